import { platen } from '@platen/app/session'
import type { Shipment } from '@platen/client'
import { useTexts } from '@platen/ui'
import { useState } from 'react'
import { ActionDialog } from '../action-dialog.tsx'
import type { DialogProps } from '../dialog-props.ts'
import { useOrderAction } from '../use-order-action.ts'
import { TrackingFields } from './tracking-fields.tsx'

const orNull = (value: string): string | null => (value.trim() === '' ? null : value.trim())

/** Adds or corrects carrier and tracking of a parcel that has left. */
export function TrackingDialog({ order, onClose, shipment: given }: DialogProps & { shipment: Shipment }) {
  const { text } = useTexts()
  // The parcel changes while the dialog closes, and its words must not.
  const [shipment] = useState(given)
  const { carrier, trackingNumber, trackingUrl } = shipment
  const [fields, setFields] = useState({
    carrier,
    trackingNumber: trackingNumber ?? '',
    trackingUrl: trackingUrl ?? '',
  })
  const save = useOrderAction(
    order,
    (ifUnchanged) =>
      platen.orders.changeShipment(
        order.id,
        shipment.id,
        {
          carrier: fields.carrier.trim(),
          trackingNumber: orNull(fields.trackingNumber),
          trackingUrl: orNull(fields.trackingUrl),
        },
        ifUnchanged,
      ),
    { done: text('console.doneTracking'), onDone: onClose },
  )
  const title = text(trackingNumber === null ? 'console.addTracking' : 'console.correctTracking')
  return (
    <ActionDialog
      order={order}
      title={title}
      confirmLabel={title}
      isDisabled={fields.carrier.trim() === ''}
      action={save}
      onConfirm={() => save.mutate()}
      onClose={onClose}
    >
      <p>{text('console.trackingHelp')}</p>
      <TrackingFields value={fields} onChange={setFields} begins="trackingNumber" />
    </ActionDialog>
  )
}
