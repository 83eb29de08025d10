import type { Order } from '@platen/client'
import { useState } from 'react'
import { possibleActions } from '../../actions/actions.ts'
import { HoldDialog } from '../../actions/hold-dialog.tsx'
import { EarlierReplies } from './earlier-replies.tsx'
import { HoldBanner } from './hold-banner.tsx'

/** Why the order is on hold, what the customer has replied to this hold and earlier ones, and the way to answer. */
export function Holds({ order }: { order: Order }) {
  // The dialog is here, because the banner of a hold goes when the answer takes its place.
  const [answered, setAnswered] = useState<string>()
  const { possible } = possibleActions(order)
  const onAnswer = possible.includes('release') || possible.includes('hold') ? setAnswered : undefined
  return (
    <>
      <HoldBanner order={order} onAnswer={onAnswer} />
      <EarlierReplies order={order} onAnswer={onAnswer} />
      {answered === undefined ? null : (
        <HoldDialog order={order} answers={answered} onClose={() => setAnswered(undefined)} />
      )}
    </>
  )
}
