import { platen } from '@platen/app/session'
import type { Order } from '@platen/client'
import { NumberField, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type RecentCarrier, recentCarriersQuery } from '../../queries.ts'
import { piecesLeft } from '../../shipped.ts'
import { useShippingMethodName } from '../../shipping-method-names.ts'
import { ActionDialog } from '../action-dialog.tsx'
import { type DialogProps, optional } from '../dialog-props.ts'
import { useOrderAction } from '../use-order-action.ts'
import { TrackingFields, type TrackingValues } from './tracking-fields.tsx'

/** The pieces of each item that have not left. */
const leftOf = (order: Order): ReadonlyMap<string, number> =>
  new Map(order.items.map((item) => [item.id, piecesLeft(order, item)]))

/** Most parcels of a shipping method go with the same carrier. */
function usualCarrier({ shippingMethod }: Order, carriers: readonly RecentCarrier[] = []): string {
  const usual = carriers.find(({ shippingMethods }) => shippingMethods.has(shippingMethod)) ?? carriers[0]
  return usual?.name ?? ''
}

export function ShipDialog({ order, onClose }: DialogProps) {
  const { text } = useTexts()
  const shippingMethodOf = useShippingMethodName()
  const [left] = useState(() => leftOf(order))
  const [pieces, setPieces] = useState(left)
  const { data: carriers } = useQuery(recentCarriersQuery())
  const [entered, setFields] = useState<TrackingValues>()
  const fields = entered ?? { carrier: usualCarrier(order, carriers), trackingNumber: '', trackingUrl: '' }
  const items = [...pieces].filter(([, quantity]) => quantity > 0).map(([itemId, quantity]) => ({ itemId, quantity }))
  const ship = useOrderAction(
    order,
    (ifUnchanged) =>
      platen.orders.ship(
        order.id,
        {
          carrier: fields.carrier.trim(),
          ...optional('trackingNumber', fields.trackingNumber),
          ...optional('trackingUrl', fields.trackingUrl),
          items,
        },
        ifUnchanged,
      ),
    { done: text('console.doneShip'), onDone: onClose },
  )
  return (
    <ActionDialog
      order={order}
      fact={shippingMethodOf(order)}
      title={text('console.actionShip')}
      confirmLabel={text('console.actionShip')}
      isDisabled={fields.carrier.trim() === '' || items.length === 0}
      action={ship}
      onConfirm={() => ship.mutate()}
      onClose={onClose}
    >
      <TrackingFields value={fields} onChange={setFields} begins="carrier" />
      <PiecesInParcel
        order={order}
        left={left}
        pieces={pieces}
        onChange={(itemId, quantity) => setPieces((before) => new Map(before).set(itemId, quantity))}
      />
    </ActionDialog>
  )
}

interface PiecesInParcelProps {
  order: Order
  left: ReadonlyMap<string, number>
  pieces: ReadonlyMap<string, number>
  onChange(itemId: string, quantity: number): void
}

/** How many pieces of each item are in the parcel. The others go with a later one. */
function PiecesInParcel({ order, left, pieces, onChange }: PiecesInParcelProps) {
  const { text } = useTexts()
  const open = order.items.filter(({ id }) => (left.get(id) ?? 0) > 0)
  return (
    <fieldset className="pieces">
      <legend>{text('console.inThisParcel')}</legend>
      {open.map(({ id, product, variant, design }) => (
        <NumberField
          key={id}
          label={[product.name, ...Object.values(variant.options ?? {}), design.name].filter(Boolean).join(' · ')}
          description={text('console.piecesLeft', { count: left.get(id) ?? 0 })}
          value={pieces.get(id) ?? 0}
          onChange={(value) => onChange(id, Number.isNaN(value) ? 0 : value)}
          minValue={0}
          maxValue={left.get(id) ?? 0}
          step={1}
          selectsOnFocus
        />
      ))}
    </fieldset>
  )
}
