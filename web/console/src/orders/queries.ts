import { OWN, platen } from '@platen/app/session'
import type { ListOrdersQuery, Order, OrderItem, OrderList } from '@platen/client'
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'

/** Keys of everything that shows orders begin with this. */
export const ORDERS = [OWN, 'orders'] as const

/** Keys of what changes with many orders begin with this. While orders change, it is read again every few seconds. */
export const OVERVIEWS = [...ORDERS, 'overviews'] as const

export const orderListKey = [...ORDERS, 'list'] as const

/** A page of the table. The previous one stays until it is there, and events change it, so that nothing jumps. */
export const orderListQuery = (query: ListOrdersQuery) =>
  queryOptions({
    queryKey: [...orderListKey, query],
    queryFn: ({ signal }) => platen.orders.list({ ...query, view: 'summary' }, { signal }),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  })

export const orderQuery = (orderId: string) =>
  queryOptions({
    queryKey: [...ORDERS, 'order', orderId],
    queryFn: ({ signal }): Promise<Order> => platen.orders.get(orderId, { signal }),
  })

/** Returns an order as a table has shown it, which its page shows until it has read the rest. */
export function findListed(client: QueryClient, orderId: string): Order | undefined {
  const pages = client.getQueriesData<OrderList>({ queryKey: orderListKey })
  const row = pages.flatMap(([, page]) => page?.data ?? []).find(({ id }) => id === orderId)
  return row === undefined ? undefined : { ...row, timeline: row.timeline ?? [] }
}

/** A picture of an ordered item. Items with texts of their own have it as soon as their files are ready. */
export const itemFileQuery = (orderId: string, { id, personalization }: OrderItem, fileId: string) =>
  queryOptions({
    queryKey: [OWN, 'item file', id, fileId, personalization?.status],
    queryFn: async ({ signal }) => (await platen.production.getOrderItemFile(orderId, id, fileId, { signal })).blob(),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** The newest orders of a customer. */
export const ordersOfCustomerQuery = (customerId: string, limit: number) =>
  queryOptions({
    queryKey: [...ORDERS, 'of customer', customerId, limit],
    queryFn: async ({ signal }) => (await platen.orders.list({ customerId, view: 'summary', limit }, { signal })).data,
  })

export type ActionName = Order['availableActions'][number]['action']
