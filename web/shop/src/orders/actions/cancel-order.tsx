import { platen } from '@platen/app/session'
import type { Order } from '@platen/client'
import { AlertDialog, Banner, Button, TextField, useTexts } from '@platen/ui'
import { useState } from 'react'
import { isAllowed } from '../queries.ts'
import { orderProblemText } from './order-problem-text.ts'
import { useOrderAction } from './use-order-action.ts'

/** Cancels an order as long as that is possible, and otherwise says why it is not. */
export function CancelOrder({ order }: { order: Order }) {
  const texts = useTexts()
  const { text } = texts
  const [isOpen, setOpen] = useState(false)
  const [reason, setReason] = useState('')
  const cancel = useOrderAction(order.id, () =>
    platen.orders.cancel(order.id, reason.trim() === '' ? undefined : { reason: reason.trim() }),
  )
  if (!isAllowed(order, 'cancel') && !isOpen) {
    const isTooLate = order.status === 'in_production' || order.status === 'on_hold'
    return isTooLate ? (
      <p className="note">{text(order.status === 'on_hold' ? 'order.cancelAfterHold' : 'order.cancelTooLate')}</p>
    ) : null
  }
  const close = (): void => {
    setOpen(false)
    cancel.reset()
  }
  return (
    <>
      <Button look="quiet" onPress={() => setOpen(true)}>
        {text('order.cancel')}
      </Button>
      <AlertDialog
        title={text('order.cancelTitle')}
        isOpen={isOpen}
        confirmLabel={text('order.cancel')}
        cancelLabel={text('order.keepOrder')}
        isDanger
        isPending={cancel.isPending}
        onConfirm={() => cancel.mutate(undefined, { onSuccess: () => setOpen(false) })}
        onCancel={close}
      >
        <div className="form">
          <p>{text(order.payment.capturedAt === null ? 'order.cancelHelp' : 'order.cancelHelpPaid')}</p>
          <TextField
            label={text('order.cancelReason')}
            description={text('shop.optionalField')}
            rows={2}
            maxLength={1000}
            value={reason}
            onChange={setReason}
          />
          {cancel.error === null ? null : (
            <Banner tone="danger" isLive>
              {orderProblemText(texts, cancel.error)}
            </Banner>
          )}
        </div>
      </AlertDialog>
    </>
  )
}
