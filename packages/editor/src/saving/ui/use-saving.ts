import { createContext, useContext, useSyncExternalStore } from 'react'
import type { Saver, SavingState } from '../saving-types.ts'

export const SavingContext = createContext<Saver | undefined>(undefined)

/** Returns the saver and its state, and renders again when that changes. */
export function useSaving(): { saver: Saver; saving: SavingState } {
  const saver = useContext(SavingContext)
  if (saver === undefined) throw new Error('This component must be inside a SavingContext')
  return { saver, saving: useSyncExternalStore(saver.subscribe, saver.get) }
}
