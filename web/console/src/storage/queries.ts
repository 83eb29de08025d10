import { OWN, platen } from '@platen/app/session'
import type { ListStorageAccountsQuery } from '@platen/client'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'

/** Keys of everything about storage begin with this. */
export const STORAGE = [OWN, 'storage'] as const

export const storageQuery = () =>
  queryOptions({
    queryKey: [...STORAGE, 'totals'],
    queryFn: ({ signal }) => platen.storage.get({ signal }),
    staleTime: 0,
  })

/** A page of the table. The previous one stays until it is there. */
export const storageAccountListQuery = (query: ListStorageAccountsQuery) =>
  queryOptions({
    queryKey: [...STORAGE, 'list', query],
    queryFn: ({ signal }) => platen.storage.listAccounts(query, { signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })

/** @param accountId the id of the user or of the customer */
export const storageAccountQuery = (accountId: string) =>
  queryOptions({
    queryKey: [...STORAGE, 'account', accountId],
    queryFn: ({ signal }) => platen.storage.getAccount(accountId, { signal }),
    staleTime: 0,
  })
