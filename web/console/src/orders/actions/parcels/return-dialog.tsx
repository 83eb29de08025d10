import { platen } from '@platen/app/session'
import { TextField, useTexts } from '@platen/ui'
import { useState } from 'react'
import { ActionDialog } from '../action-dialog.tsx'
import { optional } from '../dialog-props.ts'
import { useOrderAction } from '../use-order-action.ts'
import type { ParcelDialogProps } from './deliver-dialog.tsx'
import { ParcelChoice } from './parcel-choice.tsx'
import { parcelsFor } from './shipments.ts'

export function ReturnDialog({ order, onClose, shipmentId }: ParcelDialogProps) {
  const { text } = useTexts()
  const parcels = parcelsFor(order, 'return')
  const [chosen, setChosen] = useState(shipmentId ?? parcels[0]?.id ?? '')
  const [reason, setReason] = useState('')
  const bringBack = useOrderAction(
    order,
    (ifUnchanged) => platen.orders.returnShipment(order.id, chosen, optional('reason', reason), ifUnchanged),
    { done: text('console.doneReturn'), onDone: onClose },
  )
  return (
    <ActionDialog
      order={order}
      title={text('console.actionReturn')}
      confirmLabel={text('console.actionReturn')}
      action={bringBack}
      onConfirm={() => bringBack.mutate()}
      onClose={onClose}
    >
      {shipmentId === undefined ? (
        <ParcelChoice order={order} parcels={parcels} value={chosen} onChange={setChosen} />
      ) : null}
      <TextField
        label={text('console.reason')}
        description={text('console.reasonShown')}
        rows={2}
        maxLength={1000}
        value={reason}
        onChange={setReason}
        autoFocus
      />
    </ActionDialog>
  )
}
