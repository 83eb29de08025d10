import { platen } from '@platen/app/session'
import type { ListOrdersQuery } from '@platen/client'
import { queryOptions } from '@tanstack/react-query'
import { OVERVIEWS } from '../orders/queries.ts'

/** The time zone of the browser, in which its days begin. */
const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()

/** The figures of the last days, of which today is one. */
export const statisticsQuery = (days: number) =>
  queryOptions({
    queryKey: [...OVERVIEWS, 'statistics', days, timeZone],
    queryFn: ({ signal }) => platen.production.getOrderStatistics({ days, timeZone }, { signal }),
  })

/** How many orders there are, by their status. */
export const orderCountsQuery = () => ({
  ...statisticsQuery(1),
  select: ({ ordersByStatus }: { ordersByStatus: Readonly<Record<string, number>> }) => ordersByStatus,
})

/** How many orders are late. */
export const lateOrdersQuery = () => ({
  ...statisticsQuery(1),
  select: ({ lateOrders }: { lateOrders: number }) => lateOrders,
})

/** The first orders that wait for the shop for one reason. Orders enter and leave the list while it is shown. */
export const attentionQuery = (query: ListOrdersQuery) =>
  queryOptions({
    queryKey: [...OVERVIEWS, 'attention', query],
    queryFn: ({ signal }) => platen.orders.list({ ...query, view: 'summary' }, { signal }),
  })
