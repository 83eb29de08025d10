import { isMissing } from '@platen/app/frame'
import { OWN, platen } from '@platen/app/session'
import type { ListedOrder, Order, OrderItem } from '@platen/client'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { hasEnded } from './status.ts'

/** Guests cannot follow events, so the page asks again while the order can change. */
const POLL_MS = 4_000

export const orderQuery = (orderId: string) =>
  queryOptions<Order>({
    queryKey: [OWN, 'order', orderId],
    queryFn: ({ signal }) => platen.orders.get(orderId, { signal }),
    refetchInterval: ({ state: { data, error } }) =>
      (data !== undefined && hasEnded(data)) || isMissing(error) ? false : POLL_MS,
  })

export const ordersQuery = () =>
  infiniteQueryOptions({
    queryKey: [OWN, 'orders'],
    queryFn: ({ pageParam, signal }) =>
      platen.orders.list({ view: 'summary', limit: 20, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  })

/** The picture of an ordered item. Items with texts of their own have it as soon as their files are ready. */
export const itemPreviewQuery = (orderId: string, { id, previewUrl, personalization }: OrderItem) =>
  queryOptions({
    queryKey: [OWN, 'item preview', id, personalization?.status],
    queryFn: async ({ signal }) => {
      const file = previewUrl?.split('/').at(-1) ?? ''
      const response = await platen.orders.getOwnItemFile(orderId, id, file, { signal })
      return response.blob()
    },
    enabled: previewUrl !== null && personalization?.status !== 'pending',
    staleTime: Number.POSITIVE_INFINITY,
  })

export type ActionName = Order['availableActions'][number]['action']

export const isAllowed = ({ availableActions }: Pick<ListedOrder, 'availableActions'>, name: ActionName): boolean =>
  availableActions.some(({ action, allowed }) => action === name && allowed)

/** Returns the page on which an order is paid. Undefined if it cannot be paid online now. */
export const payPathOf = (order: Pick<ListedOrder, 'id' | 'availableActions'>): string | undefined =>
  isAllowed(order, 'pay') ? `/orders/${order.id}/pay` : undefined
