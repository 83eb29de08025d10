import { queryOptions } from '@tanstack/react-query'
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
