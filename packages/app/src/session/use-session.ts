import { useSyncExternalStore } from 'react'
import type { Account, SessionState } from './account.ts'
import { session } from './session.ts'

export function useSession(): SessionState {
  return useSyncExternalStore(session.onChange, session.state)
}

export function useAccount(): Account {
  return useSession().account
}
