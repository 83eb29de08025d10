import { platen } from '@platen/app/session'
import { minorDigits, TextField, useTexts } from '@platen/ui'
import { useState } from 'react'
import { DecimalField } from '../../parts/form/decimal-field.tsx'
import { inMinorUnits, inUnits } from '../../parts/form/money.ts'
import { refundableOf } from '../money.ts'
import { ActionDialog } from './action-dialog.tsx'
import { type DialogProps, optional } from './dialog-props.ts'
import { useOrderAction } from './use-order-action.ts'

export function RefundDialog({ order, onClose }: DialogProps) {
  const { text, formats } = useTexts()
  const left = refundableOf(order)
  const [units, setUnits] = useState<number | undefined>(inUnits(left))
  const [reason, setReason] = useState('')
  const amount = inMinorUnits(units ?? 0, left.currency)
  const isTooMuch = amount.amount > left.amount
  const refund = useOrderAction(
    order,
    (ifUnchanged) => platen.orders.refund(order.id, { amount, ...optional('reason', reason) }, ifUnchanged),
    { done: text('console.doneRefund', { amount: formats.money(amount) }), onDone: onClose },
  )
  return (
    <ActionDialog
      order={order}
      title={text('console.actionRefund')}
      confirmLabel={
        amount.amount <= 0 || isTooMuch
          ? text('console.actionRefund')
          : text('console.confirmRefund', { amount: formats.money(amount) })
      }
      isDanger
      isDisabled={amount.amount <= 0 || isTooMuch}
      action={refund}
      onConfirm={() => refund.mutate()}
      onClose={onClose}
    >
      <DecimalField
        label={text('console.amount')}
        description={text('console.refundLeft', { amount: formats.money(left) })}
        {...(isTooMuch ? { error: text('console.refundTooMuch', { amount: formats.money(left) }) } : {})}
        value={units}
        onChange={setUnits}
        decimals={minorDigits(left.currency)}
        isPadded
        isRequired
        unit={left.currency}
        autoFocus
        selectsOnFocus
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
