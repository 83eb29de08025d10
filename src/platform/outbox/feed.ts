import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { runForAll } from '../concurrency/request-context.ts'
import type { Db } from '../db/index.ts'
import type { Log } from '../telemetry/log.ts'

/**
 * Interval at which the feed polls. With NOTIFY instead, commits would wait for each other, and the database could not
 * group them.
 */
const LOOK_EVERY_MS = 100

/** The interval while the database does not respond. */
const RETRY_AFTER_MS = 1_000

/** Notifies listeners soon after new events can be read. Each process has one feed, which polls the database. */
export interface EventFeed {
  /**
   * Adds a listener. The feed calls it once soon after it was added, and then whenever events may have become readable,
   * whichever process wrote them. Unnecessary calls are possible. The feed polls only while it has listeners.
   *
   * @returns a function that removes the listener
   */
  subscribe(listener: () => void): () => void
  close(): Promise<void>
}

export function createEventFeed({ db, log }: { db: Db; log: Log }): EventFeed {
  const listeners = new Set<() => void>()
  /** The newest event of the last poll. Undefined if listeners must be called even without a new event. */
  let seen: string | undefined
  let stop = new AbortController()
  let isClosed = false
  let running = Promise.resolve()

  const notifyAll = (): void => {
    for (const listener of [...listeners]) {
      try {
        listener()
      } catch (error) {
        log.error({ err: error }, 'a listener of the event feed failed')
      }
    }
  }

  const run = async ({ signal }: AbortController): Promise<void> => {
    let isLost = false
    while (!signal.aborted) {
      try {
        const newest = await findNewestReadable(db)
        // Compared after the query, so that a listener that was added during the query is called too.
        const isNew = newest !== seen
        seen = newest
        if (isNew) notifyAll()
        isLost = false
      } catch (error) {
        if (!isLost) log.warn({ err: error }, 'the event feed cannot read the database; it will try again')
        isLost = true
      }
      await delay(isLost ? RETRY_AFTER_MS : LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined)
    }
  }

  const begin = (): void => {
    stop = new AbortController()
    const before = running
    const current = stop
    // It polls for all listeners, and not as a part of the request that added the first one.
    running = runForAll(() => before.then(() => run(current)))
  }

  return {
    subscribe: (listener) => {
      // Wraps the listener in a new function, so that the same listener can be added twice.
      const added = (): void => listener()
      if (!isClosed && listeners.size === 0) begin()
      listeners.add(added)
      // Forces a call of the listeners, because the new one may have read events before it was added.
      seen = undefined
      return () => {
        if (listeners.delete(added) && listeners.size === 0) stop.abort()
      }
    },
    close: async () => {
      isClosed = true
      listeners.clear()
      stop.abort()
      await running
    },
  }
}

/** Returns the position of the newest readable event. New positions are always later. */
async function findNewestReadable(db: Db): Promise<string> {
  const { rows } = await sql<{ place: string }>`
    select transaction_id || ' ' || position as place from events
    where transaction_id < (select events_readable_before())
    order by transaction_id desc, position desc limit ${1}::int`.execute(db)
  return rows[0]?.place ?? ''
}
