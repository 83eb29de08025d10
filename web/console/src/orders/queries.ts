import { OWN, platen } from '@platen/app/session'
import type { ListOrdersQuery } from '@platen/client'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'

/** Keys of everything that shows orders begin with this. An event of an order makes it out of date. */
export const ORDERS = [OWN, 'orders'] as const

/** A page of the table. The previous one stays until it is there, so that nothing jumps. */
export const orderListQuery = (query: ListOrdersQuery) =>
  queryOptions({
    queryKey: [...ORDERS, 'list', query],
    queryFn: ({ signal }) => platen.orders.list({ ...query, view: 'summary' }, { signal }),
    placeholderData: keepPreviousData,
  })
