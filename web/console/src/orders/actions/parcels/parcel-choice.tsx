import type { Order, Shipment } from '@platen/client'
import { Select, useTexts } from '@platen/ui'

export interface ParcelChoiceProps {
  order: Order
  parcels: readonly Shipment[]
  value: string
  onChange(shipmentId: string): void
}

/** Asks which parcel it is, if there are several. */
export function ParcelChoice({ order, parcels, value, onChange }: ParcelChoiceProps) {
  const { text } = useTexts()
  if (parcels.length < 2) return null
  const nameOf = (parcel: Shipment): string => {
    const name = text('console.parcel', { number: order.shipments.indexOf(parcel) + 1, carrier: parcel.carrier })
    return parcel.trackingNumber === null ? name : `${name} · ${parcel.trackingNumber}`
  }
  return (
    <Select
      label={text('console.whichParcel')}
      choices={parcels.map((parcel) => ({ id: parcel.id, text: nameOf(parcel) }))}
      value={value}
      onChange={onChange}
    />
  )
}
