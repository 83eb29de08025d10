import { platen } from '@platen/app/session'
import { minorDigits, NumberField, TextField, useTexts } from '@platen/ui'
import { useState } from 'react'
import { inMinorUnits, inUnits } from '../../parts/money.ts'
import { refundableOf } from '../money.ts'
import { ActionDialog } from './action-dialog.tsx'
import { type DialogProps, optional } from './dialog-props.ts'
import { useOrderAction } from './use-order-action.ts'

export function RefundDialog({ order, onClose }: DialogProps) {
  const { text, formats } = useTexts()
  const left = refundableOf(order)
  const digits = minorDigits(left.currency)
  const [units, setUnits] = useState(inUnits(left))
  const [reason, setReason] = useState('')
  const amount = inMinorUnits(Number.isNaN(units) ? 0 : units, left.currency)
  const refund = useOrderAction(
    order,
    (ifUnchanged) => platen.orders.refund(order.id, { amount, ...optional('reason', reason) }, ifUnchanged),
    { done: text('console.doneRefund', { amount: formats.money(amount) }), onDone: onClose },
  )
  return (
    <ActionDialog
      title={text('console.actionRefund')}
      confirmLabel={text('console.confirmRefund', { amount: formats.money(amount) })}
      isDanger
      isDisabled={amount.amount <= 0 || amount.amount > left.amount}
      action={refund}
      onConfirm={() => refund.mutate()}
      onClose={onClose}
    >
      <NumberField
        label={text('console.amount')}
        description={text('console.refundLeft', { amount: formats.money(left) })}
        value={units}
        onChange={setUnits}
        minValue={0}
        maxValue={inUnits(left)}
        formatOptions={{
          style: 'currency',
          currency: left.currency,
          minimumFractionDigits: digits,
          maximumFractionDigits: digits,
        }}
        hasSteppers={false}
        autoFocus
      />
      <TextField
        label={text('console.reason')}
        description={text('console.reasonOptional')}
        maxLength={1000}
        value={reason}
        onChange={setReason}
      />
    </ActionDialog>
  )
}
