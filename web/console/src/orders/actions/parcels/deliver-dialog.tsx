import { platen } from '@platen/app/session'
import { useTexts } from '@platen/ui'
import { useState } from 'react'
import { ActionDialog } from '../action-dialog.tsx'
import type { DialogProps } from '../dialog-props.ts'
import { useOrderAction } from '../use-order-action.ts'
import { ParcelChoice } from './parcel-choice.tsx'
import { parcelsFor } from './shipments.ts'

export interface ParcelDialogProps extends DialogProps {
  /** The parcel. Without it, the dialog asks. */
  shipmentId?: string
}

export function DeliverDialog({ order, onClose, shipmentId }: ParcelDialogProps) {
  const { text } = useTexts()
  const parcels = parcelsFor(order, 'deliver')
  const [chosen, setChosen] = useState(shipmentId ?? parcels[0]?.id ?? '')
  const deliver = useOrderAction(order, (ifUnchanged) => platen.orders.deliverShipment(order.id, chosen, ifUnchanged), {
    done: text('console.doneDeliver'),
    onDone: onClose,
  })
  return (
    <ActionDialog
      order={order}
      title={text('console.actionDeliver')}
      confirmLabel={text('console.actionDeliver')}
      action={deliver}
      onConfirm={() => deliver.mutate()}
      onClose={onClose}
    >
      <p>{text('console.deliverHelp')}</p>
      {shipmentId === undefined ? (
        <ParcelChoice order={order} parcels={parcels} value={chosen} onChange={setChosen} />
      ) : null}
    </ActionDialog>
  )
}
