import { useTexts } from '@platen/ui'
import { type KeyboardEvent, useId } from 'react'
import type { BulkParcel } from './use-bulk-change.ts'
import type { Changeable } from './use-selection.ts'

export interface ParcelTableProps {
  orders: readonly Changeable[]
  /** The carrier of the orders that name none. */
  carrier: string
  /** What is suggested as the carrier of an order. */
  carriers: readonly string[]
  parcels: ReadonlyMap<string, BulkParcel>
  onChange(orderId: string, parcel: BulkParcel): void
}

const EMPTY: BulkParcel = { carrier: '', trackingNumber: '' }

/** The carrier and the tracking number of each order. */
export function ParcelTable({ orders, carrier, carriers, parcels, onChange }: ParcelTableProps) {
  const { text } = useTexts()
  const listId = useId()
  return (
    <>
      <table className="parcel-table" aria-label={text('console.bulkParcels')}>
        <thead>
          <tr>
            <th scope="col">{text('console.order')}</th>
            <th scope="col">{text('console.bulkTracking')}</th>
            <th scope="col">{text('console.carrier')}</th>
          </tr>
        </thead>
        <tbody>
          {orders.map(({ id, number }) => {
            const parcel = parcels.get(id) ?? EMPTY
            const field = (name: keyof BulkParcel) => ({
              className: 'pl-input',
              maxLength: 100,
              value: parcel[name],
              onChange: ({ target }: { target: { value: string } }) =>
                onChange(id, { ...parcel, [name]: target.value }),
            })
            return (
              <tr key={id}>
                <th scope="row">{number}</th>
                <td data-label={text('console.bulkTracking')}>
                  <input
                    aria-label={text('console.bulkTrackingOf', { number })}
                    data-tracking
                    onKeyDown={goToNextRow}
                    {...field('trackingNumber')}
                  />
                </td>
                <td data-label={text('console.carrier')}>
                  <input
                    aria-label={text('console.bulkCarrierOf', { number })}
                    placeholder={carrier}
                    list={listId}
                    {...field('carrier')}
                  />
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
      <datalist id={listId}>
        {carriers.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </>
  )
}

/** A scanner presses Enter after each number. In the last row, Enter submits the form. */
function goToNextRow(event: KeyboardEvent<HTMLInputElement>): void {
  if (event.key !== 'Enter') return
  const next = event.currentTarget.closest('tr')?.nextElementSibling
  if (next == null) return
  event.preventDefault()
  next.querySelector<HTMLInputElement>('[data-tracking]')?.focus()
}
