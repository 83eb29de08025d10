import type { Event, Order } from '@platen/client'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { ORDERS, OVERVIEWS, orderQuery } from '../orders/queries.ts'
import { changedOrders } from './changed-orders.ts'
import { followEvents } from './follow-events.ts'
import { newEvents } from './new-events.ts'
import { keepRowsCurrent } from './order-rows.ts'
import { countUnread, leaveOutOwn, recountUnread } from './unread-events.ts'

/** Overviews are read again at most this often. */
const OVERVIEWS_MS = 3_000

/** Events of designs that have an order begin with this. */
const FILES = 'design.files_'

/** Keeps what the pages show of orders up to date, and notes new events. */
export function useLiveEvents(isAllowed: boolean): void {
  const client = useQueryClient()
  useEffect(() => {
    if (!isAllowed) return undefined
    const stop = new AbortController()
    const rows = keepRowsCurrent(client, stop.signal)
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
      countUnread(client, event)
      const order = orderOf(event)
      if (order === undefined) return
      rows.follow(order, { hasNewFiles: type.startsWith(FILES) })
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
    // Another tab has noted own changes.
    const onStored = ({ key }: StorageEvent): void => {
      if (key?.startsWith('platen.ownChanges.')) leaveOutOwn(client)
    }
    addEventListener('storage', onStored, { signal: stop.signal })
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [client, isAllowed])
}

function orderOf({ type, data }: Event): Order | undefined {
  return type.startsWith('design.') && !type.startsWith(FILES)
    ? undefined
    : 'erased' in data
      ? undefined
      : (data as Order)
}
