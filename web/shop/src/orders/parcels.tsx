import type { Order, Shipment } from '@platen/client'
import { Icon, type MessageKey, useTexts } from '@platen/ui'

const STATUS: Readonly<Record<Shipment['status'], MessageKey>> = {
  shipped: 'order.parcelShipped',
  delivered: 'order.parcelDelivered',
  returned: 'order.parcelReturned',
}

/** The parcels of an order, with the way to follow them. */
export function Parcels({ order }: { order: Order }) {
  const { text } = useTexts()
  if (order.shipments.length === 0) return null
  return (
    <section className="card-section">
      <h2>{text('order.parcels')}</h2>
      <ul className="parcels">
        {order.shipments.map((shipment, index) => (
          <Parcel key={shipment.id} {...{ order, shipment }} number={index + 1} />
        ))}
      </ul>
    </section>
  )
}

function Parcel({ order, shipment, number }: { order: Order; shipment: Shipment; number: number }) {
  const { text, formats } = useTexts()
  const { carrier, trackingNumber, trackingUrl, status, shippedAt, deliveredAt, returnedAt } = shipment
  const content = shipment.items.map(({ itemId, quantity }) => {
    const item = order.items.find(({ id }) => id === itemId)
    return text('order.timesName', { count: quantity, name: item?.design.name ?? text('order.someDesign') })
  })
  return (
    <li>
      <Icon name="package" size={20} />
      <div>
        <h3>{text('order.parcel', { number, carrier })}</h3>
        <p>{text(STATUS[status], { date: formats.date(returnedAt ?? deliveredAt ?? shippedAt) })}</p>
        {trackingNumber === null ? null : (
          <p className="note">{text('order.trackingNumber', { number: trackingNumber })}</p>
        )}
        <p className="note">{content.join(', ')}</p>
        {trackingUrl === null ? null : (
          <a href={trackingUrl} target="_blank" rel="noreferrer" className="pl-button">
            {text('order.track')}
          </a>
        )}
      </div>
    </li>
  )
}
