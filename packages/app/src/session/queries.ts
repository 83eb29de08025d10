import { PlatenError } from '@platen/client'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import type { Account } from './account.ts'
import { session } from './session.ts'

/** A page that was loaded with a cookie that has expired learns of it with its first request. */
function noteEnd(error: unknown): void {
  if (error instanceof PlatenError && error.code === 'invalid_refresh_token') session.noteEnd()
}

/** The client repeats failed requests itself, so queries fail once. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noteEnd }),
  mutationCache: new MutationCache({ onError: noteEnd }),
  defaultOptions: {
    queries: { retry: false, staleTime: 30_000, refetchOnWindowFocus: 'always' },
    mutations: { retry: false },
  },
})

/** Keys of what belongs to a customer begin with this, so that another customer of the browser sees none of it. */
export const OWN = 'own'

const identityOf = (account: Account): string => (account.kind === 'user' ? account.user.id : account.kind)

let identity = identityOf(session.state().account)

session.onChange(() => {
  const next = identityOf(session.state().account)
  if (next === identity) return
  const before = identity
  identity = next
  // A session that turns out to be known, or whose work moves to an account, shows the same designs.
  if (before === 'unknown') return
  if (next === 'none') queryClient.removeQueries({ queryKey: [OWN] })
  else void queryClient.resetQueries({ queryKey: [OWN] })
})
