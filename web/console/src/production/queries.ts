import { platen } from '@platen/app/session'
import type { ListedOrder, ListProductionOrdersQuery } from '@platen/client'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { OVERVIEWS } from '../orders/queries.ts'
import type { OrderStatus } from '../orders/status.ts'

/** Orders of a column. More do not help to decide what to make next. */
export const MOST_IN_COLUMN = 50

export type BoardFilter = Pick<ListProductionOrdersQuery, 'productId' | 'shippingMethod'>

/** The orders of one status, the most urgent first. */
export const boardQuery = (status: OrderStatus, filter: BoardFilter) =>
  queryOptions({
    queryKey: [...OVERVIEWS, 'board', status, filter],
    queryFn: ({ signal }) => {
      const query = { ...filter, status, sort: 'dueAt', limit: MOST_IN_COLUMN, view: 'summary' } as const
      return platen.production.listOrders(query, { signal })
    },
    placeholderData: keepPreviousData,
  })

/**
 * Finds an order by its number.
 *
 * @throws PlatenError with the code `order_number_invalid` if the number has a typing error
 */
export async function findByNumber(number: string): Promise<ListedOrder | undefined> {
  const { data } = await platen.production.listOrders({ number, limit: 1, view: 'summary' })
  return data[0]
}

/** Letters from which on a part of a number is searched. */
export const LEAST_OF_NUMBER = 3

/** The orders whose number, or whose half of it, begins like this. */
export const matchesQuery = (part: string) =>
  queryOptions({
    queryKey: [...OVERVIEWS, 'matches', part],
    queryFn: async ({ signal }) =>
      (await platen.production.listOrders({ q: part, limit: 5, view: 'summary' }, { signal })).data,
    enabled: part.length >= LEAST_OF_NUMBER,
  })
