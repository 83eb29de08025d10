import type { Order, OwnUser, Shipment } from '@platen/client'
import { Button, type MessageKey, useTexts } from '@platen/ui'
import { useState } from 'react'
import { mayUse } from '../../access/may-use.ts'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { Section } from '../../parts/page/section.tsx'
import { Pill, type Tone } from '../../parts/pill.tsx'
import { possibleActions } from '../actions/actions.ts'
import { DeliverDialog } from '../actions/parcels/deliver-dialog.tsx'
import { ReturnDialog } from '../actions/parcels/return-dialog.tsx'
import { canBe } from '../actions/parcels/shipments.ts'
import { TrackingDialog } from '../actions/parcels/tracking-dialog.tsx'

const STATUS: Readonly<Record<Shipment['status'], { text: MessageKey; tone: Tone }>> = {
  shipped: { text: 'console.parcelUnderWay', tone: 'info' },
  delivered: { text: 'console.parcelDelivered', tone: 'good' },
  returned: { text: 'console.parcelReturned', tone: 'warning' },
}

/** The parcels of an order. */
export function ParcelsSection({ order, user }: { order: Order; user: OwnUser }) {
  const { text } = useTexts()
  if (order.shipments.length === 0) return null
  return (
    <Section title={text('console.parcels')}>
      <ul className="parcels">
        {order.shipments.map((shipment, index) => (
          <Parcel key={shipment.id} order={order} shipment={shipment} number={index + 1} user={user} />
        ))}
      </ul>
    </Section>
  )
}

interface ParcelProps {
  order: Order
  shipment: Shipment
  number: number
  user: OwnUser
}

function Parcel({ order, shipment, number, user }: ParcelProps) {
  const { text, formats } = useTexts()
  const [open, setOpen] = useState<'deliver' | 'return' | 'tracking'>()
  const { possible } = possibleActions(order)
  const close = (): void => setOpen(undefined)
  const status = STATUS[shipment.status]
  const at = shipment.returnedAt ?? shipment.deliveredAt ?? shipment.shippedAt
  const pieces = shipment.items.map(({ itemId, quantity }) => {
    const item = order.items.find(({ id }) => id === itemId)
    return `${formats.number(quantity)} × ${item?.product.name ?? text('console.someProduct')}`
  })
  const mayTrack = mayUse(user, 'shipping:write')
  const tracking = shipment.trackingNumber === null ? 'console.addTracking' : 'console.correctTracking'
  const name = text('console.parcel', { number, carrier: shipment.carrier })
  // With several parcels, the keys would not tell which of them they mean.
  const which = order.shipments.length === 1 ? { keys: 'a k' } : { of: name }
  useShortcuts(mayTrack ? [{ ...which, title: tracking, run: () => setOpen('tracking') }] : [])
  return (
    <li className="parcel">
      <div>
        <h3>
          {name}
          <Pill tone={status.tone}>{text(status.text)}</Pill>
        </h3>
        <p className="note">
          {formats.dateTime(at)} · {pieces.join(', ')}
        </p>
        <Tracking shipment={shipment} />
      </div>
      <div className="row">
        {mayTrack ? (
          <Button look="quiet" onPress={() => setOpen('tracking')}>
            {text(tracking)}
          </Button>
        ) : null}
        {possible.includes('deliver') && canBe(shipment, 'deliver') ? (
          <Button onPress={() => setOpen('deliver')}>{text('console.actionDeliver')}</Button>
        ) : null}
        {possible.includes('return') && canBe(shipment, 'return') ? (
          <Button look="quiet" onPress={() => setOpen('return')}>
            {text('console.actionReturn')}
          </Button>
        ) : null}
      </div>
      {open === 'tracking' ? <TrackingDialog order={order} shipment={shipment} onClose={close} /> : null}
      {open === 'deliver' ? <DeliverDialog order={order} shipmentId={shipment.id} onClose={close} /> : null}
      {open === 'return' ? <ReturnDialog order={order} shipmentId={shipment.id} onClose={close} /> : null}
    </li>
  )
}

function Tracking({ shipment: { trackingNumber, trackingUrl } }: { shipment: Shipment }) {
  const { text } = useTexts()
  if (trackingNumber === null && trackingUrl === null) return <p className="note">{text('console.noTracking')}</p>
  const shown = trackingNumber ?? trackingUrl
  return (
    <p className="tracking">
      {trackingUrl === null ? (
        shown
      ) : (
        <a href={trackingUrl} target="_blank" rel="noreferrer">
          {shown}
        </a>
      )}
    </p>
  )
}
