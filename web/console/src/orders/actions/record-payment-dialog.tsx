import { platen } from '@platen/app/session'
import { TextField, useTexts } from '@platen/ui'
import { useState } from 'react'
import { ActionDialog } from './action-dialog.tsx'
import { type DialogProps, optional } from './dialog-props.ts'
import { useOrderAction } from './use-order-action.ts'

export function RecordPaymentDialog({ order, onClose }: DialogProps) {
  const { text, formats } = useTexts()
  const [reference, setReference] = useState('')
  const { total } = order.amounts
  const record = useOrderAction(
    order,
    (ifUnchanged) =>
      platen.orders.recordPayment(
        order.id,
        { method: 'manual', amount: total, ...optional('reference', reference) },
        ifUnchanged,
      ),
    { done: text('console.donePayment'), onDone: onClose },
  )
  return (
    <ActionDialog
      order={order}
      title={text('console.actionRecordPayment')}
      confirmLabel={text('console.confirmPayment', { amount: formats.money(total) })}
      action={record}
      onConfirm={() => record.mutate()}
      onClose={onClose}
    >
      <p>{text('console.recordPaymentHelp', { amount: formats.money(total) })}</p>
      <TextField
        label={text('console.reference')}
        description={text('console.referenceHelp')}
        maxLength={200}
        value={reference}
        onChange={setReference}
        autoFocus
      />
    </ActionDialog>
  )
}
