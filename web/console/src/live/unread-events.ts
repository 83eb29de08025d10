import { OWN, platen, readStored, store } from '@platen/app/session'
import { type Event, type EventList, PlatenError } from '@platen/client'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { type EventOrigin, isOwn, type OwnChange, originOf, storeOwnChanges } from './own-changes.ts'

/** More unread events are not counted. */
const MOST = 100

/** What a browser stores that has seen no event yet. */
const BEFORE_ALL = ''

const UNREAD = [OWN, 'unread events'] as const

const storedName = (userId: string) => `platen.seenEvent.${userId}` as const

export interface UnreadEvents {
  events: readonly EventOrigin[]
  /** Whether there are more than these. */
  isMore: boolean
}

/**
 * The events after the last one that the user has seen in the log of events, without those of the user's own changes.
 * The browser stores its id, so another browser counts by itself. Without a stored id, all events until now count as
 * seen.
 */
export const unreadQuery = (userId: string) =>
  queryOptions({
    queryKey: [...UNREAD, userId],
    queryFn: async ({ signal }): Promise<UnreadEvents> => {
      const seen = readStored(storedName(userId))
      if (seen !== undefined) return readUnread(userId, await listAfter(seen, signal), signal)
      const newest = await platen.events.list({ order: 'desc', limit: 1 }, { signal })
      store(storedName(userId), newest.data[0]?.id ?? BEFORE_ALL)
      return { events: [], isMore: false }
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

/** Leaves out own events. While a page has no others, the next one is read, and the page counts as seen. */
async function readUnread(userId: string, { data, nextCursor }: EventList, signal: AbortSignal): Promise<UnreadEvents> {
  const events = data.map(originOf).filter((event) => !isOwn(event))
  const last = data.at(-1)
  if (events.length > 0 || last === undefined) return { events, isMore: nextCursor !== null }
  store(storedName(userId), last.id)
  if (nextCursor === null) return { events, isMore: false }
  return readUnread(userId, await platen.events.list({ cursor: nextCursor, limit: MOST }, { signal }), signal)
}

/** Adds a new event to the unread ones, unless it is an own one. */
export function countUnread(client: QueryClient, event: Event): void {
  const origin = originOf(event)
  if (isOwn(origin)) return
  // A response that is under way may be older than the event, and would replace what is counted here.
  if (client.isFetching({ queryKey: UNREAD }) > 0) {
    recountUnread(client)
    return
  }
  client.setQueriesData<UnreadEvents>({ queryKey: UNREAD }, (unread) => {
    if (unread === undefined || unread.events.some(({ id }) => id === origin.id)) return unread
    return unread.events.length < MOST ? { ...unread, events: [...unread.events, origin] } : { ...unread, isMore: true }
  })
}

export function recountUnread(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: UNREAD })
}

/** Notes changes of the user. Their events can have arrived before the response that states the revision. */
export function noteOwnChanges(client: QueryClient, changes: readonly OwnChange[]): void {
  if (changes.length === 0) return
  storeOwnChanges(changes)
  leaveOutOwn(client)
}

/** Leaves out the events of changes that this tab or another one has noted. */
export function leaveOutOwn(client: QueryClient): void {
  let mustRecount = client.isFetching({ queryKey: UNREAD }) > 0
  client.setQueriesData<UnreadEvents>({ queryKey: UNREAD }, (unread) => {
    const events = unread?.events.filter((event) => !isOwn(event))
    if (unread === undefined || events === undefined) return unread
    // There are more events than the list holds, and some of them have room now.
    if (unread.isMore && events.length < unread.events.length) mustRecount = true
    return { ...unread, events }
  })
  if (mustRecount) recountUnread(client)
}

/** Stores the newest event that a user has seen. */
export function markSeen(client: QueryClient, userId: string, eventId: string): void {
  store(storedName(userId), eventId)
  recountUnread(client)
}
