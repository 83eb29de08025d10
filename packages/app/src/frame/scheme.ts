import { useSyncExternalStore } from 'react'
import { readStored, store } from '../session/stored.ts'

/** `auto` follows the system. */
export type Scheme = 'auto' | 'light' | 'dark'

export const SCHEMES: readonly Scheme[] = ['auto', 'light', 'dark']

const listeners = new Set<() => void>()
let scheme: Scheme = SCHEMES.find((known) => known === readStored('platen.scheme')) ?? 'auto'
apply()

function apply(): void {
  document.documentElement.style.colorScheme = scheme === 'auto' ? '' : scheme
}

export function setScheme(next: Scheme): void {
  scheme = next
  store('platen.scheme', next === 'auto' ? undefined : next)
  apply()
  for (const listener of listeners) listener()
}

export function useScheme(): Scheme {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => scheme,
  )
}
