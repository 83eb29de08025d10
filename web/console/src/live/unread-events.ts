import { OWN, platen, readStored, store } from '@platen/app/session'
import { type EventList, PlatenError } from '@platen/client'
import { type QueryClient, queryOptions } from '@tanstack/react-query'

/** More unread events are not counted. */
const MOST = 100

/** What a browser stores that has seen no event yet. */
const BEFORE_ALL = ''

const UNREAD = [OWN, 'unread events'] as const

const storedName = (userId: string) => `platen.seenEvent.${userId}` as const

export interface UnreadEvents {
  ids: readonly string[]
  /** Whether there are more than these. */
  isMore: boolean
}

/**
 * The events after the last one that the user has seen in the log of events. The browser stores its id, so another
 * browser counts by itself. Without a stored id, all events until now count as seen.
 */
export const unreadQuery = (userId: string) =>
  queryOptions({
    queryKey: [...UNREAD, userId],
    queryFn: async ({ signal }): Promise<UnreadEvents> => {
      const seen = readStored(storedName(userId))
      if (seen !== undefined) return toUnread(await listAfter(seen, signal))
      const newest = await platen.events.list({ order: 'desc', limit: 1 }, { signal })
      store(storedName(userId), newest.data[0]?.id ?? BEFORE_ALL)
      return { ids: [], isMore: false }
    },
    staleTime: 0,
  })

/** Reads all events if none has been seen, or if the last one seen is no longer retained. */
async function listAfter(after: string, signal: AbortSignal): Promise<EventList> {
  if (after === BEFORE_ALL) return platen.events.list({ limit: MOST }, { signal })
  try {
    return await platen.events.list({ after, limit: MOST }, { signal })
  } catch (error) {
    if (!(error instanceof PlatenError && error.status === 400)) throw error
    return platen.events.list({ limit: MOST }, { signal })
  }
}

const toUnread = ({ data, nextCursor }: EventList): UnreadEvents => ({
  ids: data.map(({ id }) => id),
  isMore: nextCursor !== null,
})

/** Adds a new event to the unread ones. */
export function countUnread(client: QueryClient, id: string): void {
  // A response that is under way may be older than the event, and would replace what is counted here.
  if (client.isFetching({ queryKey: UNREAD }) > 0) {
    recountUnread(client)
    return
  }
  client.setQueriesData<UnreadEvents>({ queryKey: UNREAD }, (unread) => {
    if (unread === undefined || unread.ids.includes(id)) return unread
    return unread.ids.length < MOST ? { ...unread, ids: [...unread.ids, id] } : { ...unread, isMore: true }
  })
}

export function recountUnread(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: UNREAD })
}

/** Stores the newest event that a user has seen. */
export function markSeen(client: QueryClient, userId: string, eventId: string): void {
  store(storedName(userId), eventId)
  recountUnread(client)
}
