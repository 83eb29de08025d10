import { platen } from '@platen/app/session'
import type { BulkResult, ChangeOrdersInBulkRequest } from '@platen/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ORDERS } from '../queries.ts'
import type { BulkAction } from './bulk-actions.ts'
import type { Selected } from './use-selection.ts'

/** Orders of one request. Small enough to show progress, and to lose little if the connection fails. */
const ORDERS_AT_ONCE = 20

/** What an action needs besides the orders. */
export interface BulkFields {
  carrier: string
  reason: string
}

/**
 * Runs an action on orders, some at a time. If a request fails, the next run continues with the orders that have no
 * result. Those of the failed request may have been changed, and the service does not change them twice.
 */
export function useBulkChange(action: BulkAction, orders: readonly Selected[]) {
  const client = useQueryClient()
  const [results, setResults] = useState<ReadonlyMap<string, BulkResult>>(new Map())
  const change = useMutation({
    mutationFn: async (fields: BulkFields) => {
      const left = orders.filter(({ id }) => !results.has(id))
      for (let from = 0; from < left.length; from += ORDERS_AT_ONCE) {
        const some = left.slice(from, from + ORDERS_AT_ONCE)
        const { results: of } = await platen.production.changeOrdersInBulk(requestOf(action, some, fields))
        setResults((before) => new Map([...before, ...of.map((result) => [result.orderId, result] as const)]))
      }
    },
    onSettled: () => client.invalidateQueries({ queryKey: ORDERS }),
  })
  return { change, results }
}

function requestOf(
  action: BulkAction,
  selected: readonly Selected[],
  { carrier, reason }: BulkFields,
): ChangeOrdersInBulkRequest {
  const orders = selected.map(({ id, revision }) => ({ id, revision }))
  if (action === 'ship') return { action, carrier: carrier.trim(), orders }
  if (action === 'hold') return { action, reason: reason.trim(), orders }
  return { action, orders }
}
