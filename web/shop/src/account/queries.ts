import { platen } from '@platen/app/session'
import { ACCOUNT } from '@platen/app/sign-in'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'

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
