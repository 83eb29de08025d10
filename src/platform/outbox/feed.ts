import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '../db/index.ts'
import type { Log } from '../log.ts'

/** Not told by NOTIFY: commits that notify wait for each other, and the database could no longer group them. */
const LOOK_EVERY_MS = 100

/** While the database does not answer. */
const RETRY_AFTER_MS = 1_000

/** Tells, soon after new events can be read, that there are some. Each process has one, and looks on its own. */
export interface EventFeed {
  /**
   * Calls the listener whenever events may have become readable that were not when it was called last, wherever they
   * were written, and once soon after it was added. It may be called without need. Nothing is looked at while nobody
   * listens.
   *
   * @returns what ends it
   */
  subscribe(listener: () => void): () => void
  close(): Promise<void>
}

export function createEventFeed({ db, log }: { db: Db; log: Log }): EventFeed {
  const listeners = new Set<() => void>()
  /** The newest event at the last look; undefined when whoever listens is to be told anyway. */
  let seen: string | undefined
  let stop = new AbortController()
  let isClosed = false
  let running = Promise.resolve()

  const tellAll = (): void => {
    for (const listener of [...listeners]) {
      try {
        listener()
      } catch (error) {
        log.error({ err: error }, 'a reader of events failed')
      }
    }
  }

  const run = async ({ signal }: AbortController): Promise<void> => {
    let isLost = false
    while (!signal.aborted) {
      try {
        const newest = await findNewestReadable(db)
        // Also of a look that was begun for others: whoever listens now is told.
        const isNew = newest !== seen
        seen = newest
        if (isNew) tellAll()
        isLost = false
      } catch (error) {
        if (!isLost) log.warn({ err: error }, 'new events cannot be looked for; trying again')
        isLost = true
      }
      await delay(isLost ? RETRY_AFTER_MS : LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined)
    }
  }

  const begin = (): void => {
    stop = new AbortController()
    const before = running
    const current = stop
    running = before.then(() => run(current))
  }

  return {
    subscribe: (listener) => {
      // A function of its own, so that one listener can be added twice.
      const added = (): void => listener()
      if (!isClosed && listeners.size === 0) begin()
      listeners.add(added)
      // It may have read before it began to listen.
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

/** The place of the newest event that can be read. Places are only added at the end. */
async function findNewestReadable(db: Db): Promise<string> {
  const { rows } = await sql<{ place: string }>`
    select transaction_id || ' ' || position as place from events
    where transaction_id < (select events_readable_before())
    order by transaction_id desc, position desc limit ${1}::int`.execute(db)
  return rows[0]?.place ?? ''
}
