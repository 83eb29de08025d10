import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { platen } from '../session/platen.ts'
import { OWN } from '../session/queries.ts'

/** Keys of what an action on the account may change begin with this. */
export const ACCOUNT = [OWN, 'account'] as const

export const mfaQuery = () =>
  queryOptions({
    queryKey: [...ACCOUNT, 'factors'],
    queryFn: ({ signal }) => platen.auth.getMfa({ signal }),
  })

/** An account has at most 20 passkeys, which is one page. */
export const passkeysQuery = () =>
  queryOptions({
    queryKey: [...ACCOUNT, 'passkeys'],
    queryFn: async ({ signal }) => (await platen.auth.listPasskeys({ limit: 100 }, { signal })).data,
  })

export const identitiesQuery = () =>
  queryOptions({
    queryKey: [...ACCOUNT, 'identities'],
    queryFn: async ({ signal }) => (await platen.auth.listIdentities({ signal })).data,
  })

export const sessionsQuery = () =>
  infiniteQueryOptions({
    queryKey: [...ACCOUNT, 'sessions'],
    queryFn: ({ pageParam, signal }) => platen.auth.listSessions({ limit: 50, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  })

export const eventsQuery = () =>
  infiniteQueryOptions({
    queryKey: [...ACCOUNT, 'events'],
    queryFn: ({ pageParam, signal }) => platen.me.listSecurityEvents({ limit: 100, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  })

/** An account has at most 50 active keys, which is one page. */
export const apiKeysQuery = () =>
  queryOptions({
    queryKey: [...ACCOUNT, 'api-keys'],
    queryFn: async ({ signal }) => (await platen.apiKeys.list({ limit: 100 }, { signal })).data,
  })

export const storageQuery = () =>
  queryOptions({
    queryKey: [...ACCOUNT, 'storage'],
    queryFn: ({ signal }) => platen.me.getStorage({ signal }),
  })
