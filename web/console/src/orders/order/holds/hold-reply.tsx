import type { Order } from '@platen/client'
import { useTexts } from '@platen/ui'

/** What the customer has replied to a hold. Lists leave out the text, and then it says only that there is a reply. */
export function HoldReply({ order }: { order: Pick<Order, 'hold' | 'timeline'> }) {
  const { text } = useTexts()
  if (order.hold?.answeredAt === undefined) return null
  const reply = replyOf(order)
  return reply === undefined ? (
    <p>{text('console.holdReplied')}</p>
  ) : (
    <blockquote className="hold-answer">{reply}</blockquote>
  )
}

/** Returns the text with which the customer has replied last. */
export const replyOf = ({ timeline }: Pick<Order, 'timeline'>): string | undefined =>
  timeline.findLast(({ type }) => type === 'order.hold_answered')?.reason
