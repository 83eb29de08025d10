import { OWN, platen } from '@platen/app/session'
import type { ListCustomersQuery } from '@platen/client'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'

export const CUSTOMER_LISTS = [OWN, 'customers'] as const
export const CUSTOMER = [OWN, 'customer'] as const

/** A page of the table. The previous one stays until it is there. */
export const customerListQuery = (query: ListCustomersQuery) =>
  queryOptions({
    queryKey: [...CUSTOMER_LISTS, query],
    queryFn: ({ signal }) => platen.customers.list(query, { signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })

export const customerQuery = (customerId: string) =>
  queryOptions({
    queryKey: [...CUSTOMER, customerId],
    queryFn: ({ signal }) => platen.customers.get(customerId, { signal }),
  })
