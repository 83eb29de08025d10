import type { Order } from '@platen/client'
import { Banner, useTexts } from '@platen/ui'
import type { OrderStatus } from '../../status.ts'
import { AnswerButton, type OnAnswer } from './answer-button.tsx'

/** What is to be made or shipped may depend on a reply. */
const UNTIL_SHIPPED: ReadonlySet<OrderStatus> = new Set<OrderStatus>([
  'confirmed',
  'in_production',
  'partially_shipped',
  'on_hold',
])

/** What the customer replied to holds that have ended. It stays until the order has left, so that the press knows it. */
export function EarlierReplies({ order, onAnswer }: { order: Order; onAnswer: OnAnswer }) {
  const { text, formats } = useTexts()
  const replies = UNTIL_SHIPPED.has(order.status) ? earlierReplies(order) : []
  const last = replies.at(-1)
  if (last === undefined) return null
  // A present hold asks for another reply, or has it.
  const isAnswerable = order.hold === undefined && onAnswer !== undefined
  return (
    <div className="earlier-replies">
      <Banner tone="info" action={isAnswerable ? <AnswerButton reply={last.reply} onAnswer={onAnswer} /> : null}>
        {replies.map(({ at, question, reply }) => (
          <div key={at}>
            <p>{text('console.repliedToHold', { date: formats.dateTime(at), question })}</p>
            <blockquote className="hold-answer">{reply}</blockquote>
          </div>
        ))}
        {isAnswerable ? <p className="note hold-help">{text('console.answerHelp')}</p> : null}
      </Banner>
    </div>
  )
}

interface Reply {
  at: string
  question: string
  reply: string
}

/** Finds the replies to all holds but the present one. A reply that ends a hold is the reason of its release. */
function earlierReplies({ timeline, hold }: Pick<Order, 'timeline' | 'hold'>): Reply[] {
  const present = hold === undefined ? -1 : timeline.findLastIndex(({ type }) => type === 'order.on_hold')
  const ended = present < 0 ? timeline : timeline.slice(0, present)
  let question = ''
  return ended.flatMap(({ type, by, at, reason }) => {
    if (type === 'order.on_hold') question = reason ?? ''
    const isReply = type === 'order.hold_answered' || (type === 'order.released' && by === 'customer')
    return isReply && reason !== undefined ? [{ at, question, reply: reason }] : []
  })
}
