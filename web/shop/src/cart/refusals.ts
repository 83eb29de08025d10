import { useSyncExternalStore } from 'react'

/** Why the service did not offer an item. */
export interface Refusal {
  /** The code of the problem, such as `price_expired`. */
  code: string
  /** The placeholder whose text is at fault. */
  placeholder?: string
}

type Refusals = ReadonlyMap<string, Refusal>

/** By the ids of the items. The checkout finds them, and the cart shows them. */
let refusals: Refusals = new Map()
const listeners = new Set<() => void>()

export function setRefusals(next: Refusals): void {
  refusals = next
  for (const listener of listeners) listener()
}

/** Forgets the refusal of an item that has changed. */
export function clearRefusal(itemId: string): void {
  if (refusals.has(itemId)) setRefusals(new Map([...refusals].filter(([id]) => id !== itemId)))
}

export function useRefusals(): Refusals {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => refusals,
  )
}
