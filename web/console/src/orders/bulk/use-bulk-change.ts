import { platen } from '@platen/app/session'
import type { BulkResult, ChangeOrdersInBulkRequest } from '@platen/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { OwnChange } from '../../live/own-changes.ts'
import { noteOwnChanges } from '../../live/unread-events.ts'
import { optional } from '../actions/dialog-props.ts'
import { ORDERS } from '../queries.ts'
import type { BulkAction } from './bulk-actions.ts'
import type { Changeable } from './use-selection.ts'

/** Orders of one request. Small enough to show progress, and to lose little if the connection fails. */
const ORDERS_AT_ONCE = 20

/** How an order is sent. An empty carrier is that of all orders. */
export interface BulkParcel {
  carrier: string
  trackingNumber: string
}

/** What an action needs besides the orders. */
export interface BulkFields {
  carrier: string
  reason: string
  /** The parcels that differ from an empty one, by the ids of their orders. */
  parcels: ReadonlyMap<string, BulkParcel>
}

/** Returns the carrier of an order; empty if neither the order nor all of them have one. */
export const carrierOf = ({ carrier, parcels }: BulkFields, { id }: Changeable): string =>
  (parcels.get(id)?.carrier ?? '').trim() || carrier.trim()

/**
 * Runs an action on orders, some at a time. If a request fails, the next run continues with the orders that have no
 * result. Those of the failed request may have been changed, and the service does not change them twice.
 */
export function useBulkChange(action: BulkAction, orders: readonly Changeable[]) {
  const client = useQueryClient()
  const [results, setResults] = useState<ReadonlyMap<string, BulkResult>>(new Map())
  const change = useMutation({
    mutationFn: async (fields: BulkFields) => {
      const left = orders.filter(({ id }) => !results.has(id))
      for (const request of requestsOf(action, left, fields)) {
        const { results: of } = await platen.production.changeOrdersInBulk(request)
        noteOwnChanges(client, ownChanges(request.orders, of))
        setResults((before) => new Map([...before, ...of.map((result) => [result.orderId, result] as const)]))
      }
    },
    onSettled: () => client.invalidateQueries({ queryKey: ORDERS }),
  })
  return { change, results }
}

/** Returns the changes that a bulk action has made. It changes orders only from the revision that was sent. */
export function ownChanges(
  orders: readonly { id: string; revision?: number }[],
  results: readonly BulkResult[],
): OwnChange[] {
  const before = new Map(orders.map(({ id, revision }) => [id, revision]))
  return results.flatMap(({ orderId: id, outcome, revision: until }) => {
    const after = before.get(id)
    return outcome === 'done' && after !== undefined && until !== undefined ? [{ id, after, until }] : []
  })
}

/** Returns the requests that change orders. Those of one request go with the same carrier. */
function requestsOf(
  action: BulkAction,
  orders: readonly Changeable[],
  fields: BulkFields,
): readonly ChangeOrdersInBulkRequest[] {
  if (action !== 'ship') return inParts(orders).map((part) => requestOf(action, part, fields))
  const byCarrier = Map.groupBy(orders, (order) => carrierOf(fields, order))
  return Array.from(byCarrier, ([carrier, some]) =>
    inParts(some).map((part) => ({ action, carrier, orders: part.map((order) => parcelOf(order, fields)) })),
  ).flat()
}

function inParts(orders: readonly Changeable[]): Changeable[][] {
  const count = Math.ceil(orders.length / ORDERS_AT_ONCE)
  return Array.from({ length: count }, (_, part) => orders.slice(part * ORDERS_AT_ONCE, (part + 1) * ORDERS_AT_ONCE))
}

const parcelOf = ({ id, revision }: Changeable, { parcels }: BulkFields) => ({
  id,
  revision,
  ...optional('trackingNumber', parcels.get(id)?.trackingNumber ?? ''),
})

function requestOf(
  action: Exclude<BulkAction, 'ship'>,
  selected: readonly Changeable[],
  { reason }: BulkFields,
): ChangeOrdersInBulkRequest {
  const orders = selected.map(({ id, revision }) => ({ id, revision }))
  return action === 'hold' ? { action, reason: reason.trim(), orders } : { action, orders }
}
