import type { Event, ListedOrder, Order, OrderList } from '@platen/client'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { ORDERS, OVERVIEWS, orderListKey, orderQuery } from '../orders/queries.ts'
import { changedOrders } from './changed-orders.ts'
import { followEvents } from './follow-events.ts'
import { newEvents } from './new-events.ts'
import { countUnread, recountUnread } from './unread-events.ts'

/** Overviews are read again at most this often. */
const OVERVIEWS_MS = 3_000

/** Keeps what the pages show of orders up to date, and notes new events. */
export function useLiveEvents(isAllowed: boolean): void {
  const client = useQueryClient()
  useEffect(() => {
    if (!isAllowed) return undefined
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const refreshOverviews = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined
        void client.invalidateQueries({ queryKey: OVERVIEWS })
      }, OVERVIEWS_MS)
    }
    const onEvent = (event: Event): void => {
      const { id, type, subject, createdAt } = event
      newEvents.note({ id, type, subject, createdAt })
      countUnread(client, id)
      const order = orderOf(event)
      if (order === undefined) return
      showInTables(client, order)
      changedOrders.note(order)
      void client.invalidateQueries({ queryKey: orderQuery(order.id).queryKey })
      refreshOverviews()
    }
    const onGap = (): void => {
      void client.invalidateQueries({ queryKey: [...ORDERS, 'order'] })
      recountUnread(client)
      refreshOverviews()
    }
    followEvents({ onEvent, onGap }, stop.signal)
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [client, isAllowed])
}

function orderOf({ type, data }: Event): Order | undefined {
  return type.startsWith('design.') && !type.startsWith('design.files_')
    ? undefined
    : 'erased' in data
      ? undefined
      : (data as Order)
}

/** Changes the row of an order where it is. */
function showInTables(client: QueryClient, order: Order): void {
  client.setQueriesData<OrderList>({ queryKey: orderListKey }, (page) =>
    page === undefined || !page.data.some(({ id }) => id === order.id)
      ? page
      : { ...page, data: page.data.map((row) => (row.id === order.id ? changeRow(row, order) : row)) },
  )
}

/** An event has the order as its owner sees it, so files and actions stay those that the operator has read. */
function changeRow({ hold: _, ...row }: ListedOrder, order: Order): ListedOrder {
  const { status, hold, payment, shipments, shippingAddress, updatedAt } = order
  const changes = { status, payment, shipments, shippingAddress, updatedAt }
  return { ...row, ...changes, ...(hold === undefined ? {} : { hold }) }
}
