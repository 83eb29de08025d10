import { OWN, platen } from '@platen/app/session'
import type { FinalizationFile, ListProductionOrdersQuery, Order, OrderItem, OrderList } from '@platen/client'
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'

/** Keys of everything that shows orders begin with this. */
export const ORDERS = [OWN, 'orders'] as const

/** Keys of what changes with many orders begin with this. While orders change, it is read again every few seconds. */
export const OVERVIEWS = [...ORDERS, 'overviews'] as const

/** A mail goes about a second after its cause. */
const MAIL_MS = 3_000

export const orderListKey = [...ORDERS, 'list'] as const

/** A page of the table. The previous one stays until it is there, and events change it, so that nothing jumps. */
export const orderListQuery = (query: ListProductionOrdersQuery) =>
  queryOptions({
    queryKey: [...orderListKey, query],
    queryFn: ({ signal }) => {
      const { sort, ...filter } = query
      // Customers have the other list, too, and it has no index by due time.
      if (sort === 'dueAt') return platen.production.listOrders({ ...filter, sort, view: 'summary' }, { signal })
      return platen.orders.list({ ...filter, ...(sort === undefined ? {} : { sort }), view: 'summary' }, { signal })
    },
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

/** The mails about an order. One that waits is read again until it has gone. */
export const orderMailsQuery = (orderId: string) =>
  queryOptions({
    queryKey: [...ORDERS, 'mails', orderId],
    queryFn: ({ signal }) => platen.orders.listMails(orderId, { signal }),
    refetchInterval: ({ state: { data } }) =>
      data === undefined || data.sending === 'on' || data.sending === 'outbox' ? MAIL_MS : false,
  })

export interface RecentCarrier {
  name: string
  /** The shipping methods of the orders that went with it. */
  shippingMethods: ReadonlySet<string>
}

/** The carriers of the last parcels, the latest first. */
export const recentCarriersQuery = () =>
  queryOptions({
    queryKey: [...ORDERS, 'recent carriers'],
    queryFn: async ({ signal }): Promise<readonly RecentCarrier[]> => {
      const status = 'partially_shipped,shipped,delivered'
      const { data } = await platen.orders.list({ status, view: 'summary', limit: 50 }, { signal })
      const parcels = data.flatMap(({ shipments, shippingMethod }) =>
        shipments.map((one) => ({ ...one, shippingMethod })),
      )
      const carriers = new Map<string, Set<string>>()
      for (const { carrier, shippingMethod } of parcels.sort((a, b) => b.createdAt.localeCompare(a.createdAt))) {
        carriers.set(carrier, (carriers.get(carrier) ?? new Set()).add(shippingMethod))
      }
      return [...carriers].map(([name, shippingMethods]) => ({ name, shippingMethods }))
    },
  })

/** A picture of an ordered item. Items with texts of their own have it as soon as their files are ready. */
export const itemFileQuery = (orderId: string, { id, personalization }: OrderItem, fileId: string) =>
  queryOptions({
    queryKey: [OWN, 'item file', id, fileId, personalization?.status],
    queryFn: async ({ signal }) => (await platen.production.getOrderItemFile(orderId, id, fileId, { signal })).blob(),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** The picture of a page of a print file, which never changes. */
export const itemPageQuery = (
  orderId: string,
  { id }: OrderItem,
  { id: fileId, sha256 }: FinalizationFile,
  { page, widthPx }: { page: number; widthPx: number },
) =>
  queryOptions({
    queryKey: [OWN, 'item page', id, sha256, page, widthPx],
    queryFn: async ({ signal }) =>
      (await platen.production.drawOrderItemFilePage(orderId, id, fileId, page, { width: widthPx }, { signal })).blob(),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** The newest orders of a customer, who may place more while they are shown. */
export const ordersOfCustomerQuery = (customerId: string, limit: number) =>
  queryOptions({
    queryKey: [...OVERVIEWS, 'of customer', customerId, limit],
    queryFn: async ({ signal }) => (await platen.orders.list({ customerId, view: 'summary', limit }, { signal })).data,
  })

export type ActionName = Order['availableActions'][number]['action']
