import { platen } from '@platen/app/session'
import type { ListedOrder, Order, OrderList } from '@platen/client'
import type { QueryClient } from '@tanstack/react-query'
import { orderListKey } from '../orders/queries.ts'

/** One action can have several events, and a colleague may change many orders at once. */
const READ_MS = 300

export interface OrderRows {
  /** Shows an order of an event where the tables have it, and reads the row again. */
  follow(order: Order, options: { hasNewFiles: boolean }): void
}

/**
 * Keeps the rows of orders up to date where they are, until the signal is aborted. An event has the order as its owner
 * sees it, so what the operator may do next is read from the service. Until then, the row keeps its revision: the
 * service refuses an action that the row offers by mistake.
 */
export function keepRowsCurrent(client: QueryClient, signal: AbortSignal): OrderRows {
  /** The revisions that rows should have, by the ids of their orders. */
  const due = new Map<string, number>()
  let isWaiting = false
  const wait = (): void => {
    if (isWaiting || due.size === 0 || signal.aborted) return
    isWaiting = true
    setTimeout(() => {
      void readDue().finally(() => {
        isWaiting = false
        wait()
      })
    }, READ_MS)
  }
  const readDue = async (): Promise<void> => {
    // A page that is under way may replace the rows by earlier or later ones.
    if (client.isFetching({ queryKey: orderListKey }) > 0) return
    const behind = [...due].filter(([id, revision]) => rowsOf(client, id).some((row) => row.revision < revision))
    due.clear()
    for (const [id] of behind) {
      if (signal.aborted) return
      try {
        const { timeline: _, notes: __, ...read } = await platen.orders.get(id, { signal })
        changeRows(client, id, (row) => (row.revision > read.revision ? row : read))
      } catch {
        // The row keeps its revision, and the next event of the order tries again.
      }
    }
  }
  return {
    follow: (order, { hasNewFiles }) => {
      changeRows(client, order.id, (row) => (row.revision > order.revision ? row : withNews(row, order)))
      // New files are no change of the order, and keep its revision.
      const wanted = hasNewFiles ? Number.POSITIVE_INFINITY : order.revision
      due.set(order.id, Math.max(wanted, due.get(order.id) ?? 0))
      wait()
    },
  }
}

function rowsOf(client: QueryClient, id: string): ListedOrder[] {
  const pages = client.getQueriesData<OrderList>({ queryKey: orderListKey })
  return pages.flatMap(([, page]) => page?.data.filter((row) => row.id === id) ?? [])
}

/** Changes the row of an order where it is. */
function changeRows(client: QueryClient, id: string, change: (row: ListedOrder) => ListedOrder): void {
  client.setQueriesData<OrderList>({ queryKey: orderListKey }, (page) =>
    page === undefined || !page.data.some((row) => row.id === id)
      ? page
      : { ...page, data: page.data.map((row) => (row.id === id ? change(row) : row)) },
  )
}

/** Files and actions stay those that the operator has read. */
function withNews({ hold: _, ...row }: ListedOrder, order: Order): ListedOrder {
  const { status, hold, payment, shipments, shippingAddress, updatedAt } = order
  const changes = { status, payment, shipments, shippingAddress, updatedAt }
  return { ...row, ...changes, ...(hold === undefined ? {} : { hold }) }
}
