import type { Order } from '@platen/client'
import { Banner, type MessageKey, useTexts } from '@platen/ui'
import { AnswerButton, type OnAnswer } from './answer-button.tsx'
import { HoldMail } from './hold-mail.tsx'
import { HoldReply, replyOf } from './hold-reply.tsx'

const WAITS_FOR: Readonly<Record<NonNullable<Order['hold']>['resolution'], MessageKey>> = {
  address: 'console.holdWaitsAddress',
  confirmation: 'console.holdWaitsConfirmation',
  answer: 'console.holdWaitsAnswer',
  none: 'console.holdWaitsNone',
}

/** Why the order is on hold, and for whom it waits. */
export function HoldBanner({ order, onAnswer }: { order: Order; onAnswer: OnAnswer }) {
  const { text, formats } = useTexts()
  const { hold } = order
  if (hold === undefined) return null
  const isAnswerable = hold.answeredAt !== undefined && onAnswer !== undefined
  return (
    <div className="hold">
      <Banner
        tone="warning"
        action={isAnswerable ? <AnswerButton reply={replyOf(order) ?? ''} onAnswer={onAnswer} /> : null}
      >
        <p className="hold-reason">{hold.reason}</p>
        <p>
          {text('console.heldSince', { date: formats.dateTime(hold.since) })}{' '}
          {hold.answeredAt === undefined
            ? text(WAITS_FOR[hold.resolution])
            : text('console.holdAnswered', { date: formats.dateTime(hold.answeredAt) })}
        </p>
        {/* Whether a mail went is of no interest once the customer has replied. */}
        {hold.answeredAt === undefined ? <HoldMail order={order} since={hold.since} /> : null}
        <HoldReply order={order} />
        {isAnswerable ? <p className="note hold-help">{text('console.answerHelpHeld')}</p> : null}
      </Banner>
    </div>
  )
}
