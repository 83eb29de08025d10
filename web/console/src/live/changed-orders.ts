import type { Order } from '@platen/client'
import { useSyncExternalStore } from 'react'

/** The orders that have changed since a table was read, by id. A table shows how many it lacks, and does not jump. */
let changed: ReadonlyMap<string, Order> = new Map()
const listeners = new Set<() => void>()

function set(next: ReadonlyMap<string, Order>): void {
  changed = next
  for (const listener of listeners) listener()
}

/** More than that is "many". */
const MOST = 500

export function noteChangedOrder(order: Order): void {
  if (changed.size < MOST || changed.has(order.id)) set(new Map(changed).set(order.id, order))
}

export function forgetChangedOrders(): void {
  if (changed.size > 0) set(new Map())
}

export function useChangedOrders(): ReadonlyMap<string, Order> {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => changed,
  )
}
