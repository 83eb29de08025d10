import type { Order } from '@platen/client'
import { useTexts } from '@platen/ui'

/** What the customer has replied to a hold. Lists leave out the text, and then it says only that there is a reply. */
export function HoldReply({ order: { hold, timeline } }: { order: Pick<Order, 'hold' | 'timeline'> }) {
  const { text } = useTexts()
  if (hold?.answeredAt === undefined) return null
  const reply = timeline.findLast(({ type }) => type === 'order.hold_answered')?.reason
  return reply === undefined ? (
    <p>{text('console.holdReplied')}</p>
  ) : (
    <blockquote className="hold-answer">{reply}</blockquote>
  )
}
