import { TextField, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { recentCarriersQuery } from '../queries.ts'
import { ParcelTable } from './parcel-table.tsx'
import type { BulkFields } from './use-bulk-change.ts'
import type { Changeable } from './use-selection.ts'

export interface ShipFieldsProps {
  orders: readonly Changeable[]
  fields: BulkFields
  onChange(fields: BulkFields): void
}

/** Asks for the carrier of all parcels, and for what differs from order to order. Suggests carriers of recent parcels. */
export function ShipFields({ orders, fields, onChange }: ShipFieldsProps) {
  const { text } = useTexts()
  const { data: recent = [] } = useQuery(recentCarriersQuery())
  const carriers = recent.map(({ name }) => name)
  return (
    <>
      <TextField
        label={text('console.carrier')}
        description={text('console.bulkShipHelp')}
        maxLength={100}
        autoFocus
        // Not if each order names its own.
        isRequired={orders.some(({ id }) => (fields.parcels.get(id)?.carrier ?? '').trim() === '')}
        suggestions={carriers}
        value={fields.carrier}
        onChange={(carrier) => onChange({ ...fields, carrier })}
      />
      <ParcelTable
        orders={orders}
        carrier={fields.carrier}
        carriers={carriers}
        parcels={fields.parcels}
        onChange={(id, parcel) => onChange({ ...fields, parcels: new Map(fields.parcels).set(id, parcel) })}
      />
    </>
  )
}
