import { runForAll } from '../../platform/concurrency/request-context.ts'
import type { Db } from '../../platform/db/index.ts'
import {
  comparePositions,
  type Event,
  type EventFeed,
  type EventPosition,
  readEvents,
} from '../../platform/outbox/index.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import type { Follower } from './follower.ts'
import { eventFrame } from './frames.ts'

/** Maximum number of events in one read. It is small, because one event may have a megabyte. */
const PAGE = 50

/** With more owners, the database would take longer to look for the events of each than to read those of all. */
const MOST_OWNERS = 200

const RETRY_AFTER_MS = 500

/**
 * Reads new events once for all streams that are up to date, and passes them on to the streams in which they belong. It
 * reads only the events of owners with a stream, because most customers have none and an event may have a megabyte.
 */
export interface LiveReading {
  /**
   * Adds a stream that has sent all events up to its cursor. Returns false if the live reading has already passed this
   * cursor: the stream must then read further events itself and join again.
   */
  join(follower: Follower): boolean
  leave(follower: Follower): void
}

export interface LiveReadingDeps {
  db: Db
  log: Log
  feed: Pick<EventFeed, 'subscribe'>
  /**
   * Called with a stream that has to read events after its cursor itself, and then joins again. Meanwhile the events of
   * its owner are read, so that the stream does not miss further ones.
   */
  onBehind(follower: Follower): void
}

export function createLiveReading({ db, log, feed, onBehind }: LiveReadingDeps): LiveReading {
  /** The streams by the owner of their events. Streams without an owner get the events of all owners. */
  const audiences = new Map<string | undefined, Set<Follower>>()
  /** All events up to this position were passed on. Undefined if no stream has joined. */
  let position: EventPosition | undefined
  /** The streams that have joined since the last reading began. */
  const joined = new Set<Follower>()
  let unsubscribe: (() => void) | undefined
  let isReading = false
  let isWoken = false

  const deliver = (events: readonly Event[]): void => {
    for (const event of events) {
      let frame: Buffer | undefined
      for (const key of [undefined, event.ownerId]) {
        for (const follower of audiences.get(key) ?? []) {
          if (!follower.isLive || !follower.isFor(event)) continue
          frame ??= eventFrame(event)
          if (follower.hasRoom()) follower.send(event, frame)
          // The stream reads the events after its cursor itself as soon as its client has read the waiting data.
          else leave(follower)
        }
      }
    }
  }

  /** The owners whose events are read. Undefined if those of all are. */
  const ownersToRead = (): string[] | undefined => {
    if (audiences.has(undefined) || audiences.size > MOST_OWNERS) return undefined
    return [...audiences.keys()].filter((owner) => owner !== undefined)
  }

  /**
   * A stream that joined during a reading for other owners has missed events before its end. It keeps its place in the
   * audience: otherwise the next reading would also be for other owners, and the stream would miss events again.
   */
  const passOver = (owners: readonly string[] | undefined, upTo: EventPosition): void => {
    for (const follower of joined) {
      const { ownerId } = follower.visible
      const isRead = owners === undefined || (ownerId !== undefined && owners.includes(ownerId))
      if (isRead || !follower.isLive || comparePositions(follower.cursor, upTo) >= 0) continue
      follower.isLive = false
      onBehind(follower)
    }
  }

  const readOn = async (): Promise<void> => {
    isWoken = true
    if (isReading) return
    isReading = true
    try {
      while (isWoken && position !== undefined) {
        isWoken = false
        const after = position
        const ownerIds = ownersToRead()
        joined.clear()
        const { events, upTo, isFull } = await readEvents(db, { after, ownerIds, limit: PAGE })
        // All streams left during the read, and new ones may have joined at another position.
        if (position !== after) isWoken = true
        else {
          position = upTo
          isWoken ||= isFull
          passOver(ownerIds, upTo)
          deliver(events)
        }
      }
    } catch (error) {
      log.debug({ err: error }, 'reading new events failed; retrying')
      setTimeout(wake, RETRY_AFTER_MS).unref()
    } finally {
      isReading = false
    }
  }
  const wake = (): void => {
    // The reading is for all streams, so it must not wait for the turn of the account whose stream woke it.
    runForAll(readOn).catch((error: unknown) => log.error({ err: error }, 'passing events on to streams failed'))
  }

  const leave = (follower: Follower): void => {
    follower.isLive = false
    joined.delete(follower)
    const audience = audiences.get(follower.visible.ownerId)
    if (audience?.delete(follower) !== true) return
    if (audience.size === 0) audiences.delete(follower.visible.ownerId)
    if (audiences.size > 0) return
    position = undefined
    unsubscribe?.()
    unsubscribe = undefined
  }

  return {
    join: (follower) => {
      const { cursor } = follower
      const { ownerId } = follower.visible
      if (position !== undefined && comparePositions(cursor, position) < 0) return false
      position ??= cursor
      const audience = audiences.get(ownerId) ?? new Set()
      audiences.set(ownerId, audience.add(follower))
      joined.add(follower)
      follower.isLive = true
      unsubscribe ??= feed.subscribe(wake)
      return true
    },
    leave,
  }
}
