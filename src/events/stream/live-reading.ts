import { runForAll } from '../../platform/concurrency/request-context.ts'
import type { Db } from '../../platform/db/index.ts'
import type { Log } from '../../platform/log.ts'
import {
  comparePositions,
  type Event,
  type EventFeed,
  type EventPosition,
  readEvents,
} from '../../platform/outbox/index.ts'
import type { Follower } from './follower.ts'
import { eventFrame } from './frames.ts'

/** Maximum number of events in one read. It is small, because one event may have a megabyte. */
const PAGE = 50

const RETRY_AFTER_MS = 500

/**
 * Reads new events once for all streams that are up to date, and passes them on to the streams in which they belong.
 */
export interface LiveReading {
  /**
   * Adds a stream that has sent all events up to its cursor. Returns false if the live reading has already passed this
   * cursor: the stream must then read further events itself and join again.
   */
  join(follower: Follower): boolean
  leave(follower: Follower): void
}

export function createLiveReading({ db, log, feed }: { db: Db; log: Log; feed: EventFeed }): LiveReading {
  /** The streams by the owner of their events. Streams without an owner get the events of all owners. */
  const audiences = new Map<string | undefined, Set<Follower>>()
  /** All events up to this position were passed on. Undefined if no stream has joined. */
  let position: EventPosition | undefined
  let unsubscribe: (() => void) | undefined
  let isReading = false
  let isWoken = false

  const deliver = (events: readonly Event[]): void => {
    for (const event of events) {
      let frame: Buffer | undefined
      for (const key of [undefined, event.ownerId]) {
        for (const follower of audiences.get(key) ?? []) {
          if (!follower.isFor(event)) continue
          frame ??= eventFrame(event)
          if (follower.hasRoom()) follower.send(event, frame)
          // The stream reads the events after its cursor itself as soon as its client has read the waiting data.
          else leave(follower)
        }
      }
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
        const { events, upTo, isFull } = await readEvents(db, { after, limit: PAGE })
        // All streams left during the read, and new ones may have joined at another position.
        if (position !== after) isWoken = true
        else {
          position = upTo
          isWoken ||= isFull
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
      follower.isLive = true
      unsubscribe ??= feed.subscribe(wake)
      return true
    },
    leave,
  }
}
