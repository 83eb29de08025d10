import { platen } from '@platen/app/session'
import type { HoldOrderRequest, Order } from '@platen/client'
import { Banner, type MessageKey, Select, TextField, useTexts } from '@platen/ui'
import { useState } from 'react'
import { ActionDialog } from './action-dialog.tsx'
import type { DialogProps } from './dialog-props.ts'
import { type IfUnchanged, ifRevision, useOrderAction } from './use-order-action.ts'

type Resolution = NonNullable<Order['hold']>['resolution']

const RESOLUTIONS: Readonly<Record<Resolution, MessageKey>> = {
  answer: 'console.resolutionAnswer',
  address: 'console.resolutionAddress',
  confirmation: 'console.resolutionConfirmation',
  none: 'console.resolutionNone',
}

export interface HoldDialogProps extends DialogProps {
  /** What the customer has written, if the reason of the hold is an answer to it. Empty if the text is not known. */
  answers?: string | undefined
}

/** Puts an order on hold. That is also the way to write to a customer. */
export function HoldDialog({ order, onClose, answers }: HoldDialogProps) {
  const { text } = useTexts()
  const isAnswer = answers !== undefined
  const [wasHeld] = useState(order.status === 'on_hold')
  const [reason, setReason] = useState('')
  const [resolution, setResolution] = useState<Resolution>('answer')
  const [isReleased, setIsReleased] = useState(false)
  const hold = useOrderAction(
    order,
    (ifUnchanged) => putOnHold(order, { reason: reason.trim(), resolution }, ifUnchanged, () => setIsReleased(true)),
    {
      done: text(isAnswer ? 'console.doneAnswer' : 'console.doneHold', { number: order.number }),
      onDone: onClose,
      // The customer reads an answer at once, and the hold before it cannot come back.
      ...(isAnswer ? {} : { undo: (ifUnchanged) => platen.orders.release(order.id, ifUnchanged) }),
    },
  )
  return (
    <ActionDialog
      order={order}
      title={text(isAnswer ? 'console.answerCustomer' : 'console.actionHold')}
      confirmLabel={text(isAnswer ? 'console.answerConfirm' : 'console.actionHold')}
      isDisabled={reason.trim() === ''}
      action={hold}
      onConfirm={() => hold.mutate()}
      onClose={onClose}
    >
      {isReleased && hold.isError ? (
        <Banner tone="warning" isLive>
          {text('console.answerReleased')}
        </Banner>
      ) : null}
      {isAnswer && answers !== '' ? <blockquote className="hold-answer">{answers}</blockquote> : null}
      <TextField
        label={text(isAnswer ? 'console.answer' : 'console.reason')}
        description={text(
          isAnswer ? (wasHeld ? 'console.answerHelpHeld' : 'console.answerHelp') : 'console.holdReasonHelp',
        )}
        rows={3}
        maxLength={1000}
        value={reason}
        onChange={setReason}
        isRequired
        autoFocus
      />
      <Select
        label={text('console.holdResolution')}
        choices={(Object.keys(RESOLUTIONS) as Resolution[]).map((id) => ({ id, text: text(RESOLUTIONS[id]) }))}
        value={resolution}
        onChange={(value) => setResolution(value as Resolution)}
      />
    </ActionDialog>
  )
}

/** Puts an order on hold. One that is on hold takes no other question, and is released just before. */
async function putOnHold(
  order: Order,
  hold: HoldOrderRequest,
  ifUnchanged: IfUnchanged,
  onReleased: () => void,
): Promise<Order> {
  if (order.status !== 'on_hold') return platen.orders.hold(order.id, hold, ifUnchanged)
  const { revision } = await platen.orders.release(order.id, ifUnchanged)
  onReleased()
  return platen.orders.hold(order.id, hold, ifRevision(revision))
}
