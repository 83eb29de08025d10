import { useSyncExternalStore } from 'react'

/** Ids of designs that the customer has archived while they can still be brought back. Lists leave them out. */
let ids: ReadonlySet<string> = new Set()
const listeners = new Set<() => void>()

function set(next: ReadonlySet<string>): void {
  ids = next
  for (const listener of listeners) listener()
}

export const leaving = {
  add: (id: string): void => set(new Set([...ids, id])),
  remove: (id: string): void => set(new Set([...ids].filter((other) => other !== id))),
}

export function useLeaving(): ReadonlySet<string> {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => ids,
  )
}
