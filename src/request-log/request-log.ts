import { Counter, type Registry } from 'prom-client'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db/index.ts'
import type { Log } from '../platform/telemetry/log.ts'
import { createBounds, dayOf, LOG_LIMITS, type LogLimits } from './bounds.ts'
import type { EndedEntry } from './entry.ts'
import { storeEntries } from './store.ts'

/** Entries wait this long, so that hundreds of requests need one statement. */
const WRITE_AFTER_MS = 500

/**
 * Entries that may wait in memory: more than one process adds between two flushes. Further ones are dropped, because a slow
 * database must not cost memory.
 */
const MAX_WAITING = 4_000

/** Entries of one statement. */
const BATCH = 1_000

export interface RequestLogDeps {
  db: Db
  clock: Clock
  log: Log
  registry: Registry
  /** Rejects while too little disk space is free. */
  requireFreeDisk(): Promise<void>
  limits?: LogLimits
  /** How many processes of this node log requests. Default: 1. */
  processes?: number | undefined
}

/** The log of requests. Writing it neither delays nor fails a request: what cannot be stored is dropped and counted. */
export interface RequestLog {
  add(entry: EndedEntry): void
  /** Stores all entries that wait. */
  flush(): Promise<void>
  close(): Promise<void>
}

export function createRequestLog(deps: RequestLogDeps): RequestLog {
  const { db, log } = deps
  const bounds = createBounds(deps.limits ?? LOG_LIMITS, deps.processes)
  const dropped = new Counter({
    name: 'platen_request_log_dropped_total',
    help: 'Requests that are not in the request log, by reason: bound (of a day or a client), full (too many waited), disk (too little is free) or failed.',
    labelNames: ['reason'] as const,
    registers: [deps.registry],
  })
  const waiting: EndedEntry[] = []
  let writing: Promise<void> | undefined

  const store = async (entries: EndedEntry[]): Promise<void> => {
    try {
      await deps.requireFreeDisk()
    } catch {
      dropped.inc({ reason: 'disk' }, entries.length)
      return
    }
    try {
      for (const [day, ofDay] of Map.groupBy(entries, ({ endedAt }) => dayOf(endedAt))) {
        bounds.note(day, await storeEntries(db, day, ofDay))
      }
    } catch (error) {
      dropped.inc({ reason: 'failed' }, entries.length)
      log.warn({ err: error }, 'some requests are missing in the request log')
    }
  }

  // Entries that arrive in the meantime wait for the next flush. Otherwise a busy process would store a few at a time,
  // without a pause.
  const storeAll = async (): Promise<void> => {
    for (let left = waiting.length; left > 0; left -= BATCH) await store(waiting.splice(0, Math.min(left, BATCH)))
  }

  const flush = (): Promise<void> => {
    writing ??= storeAll().finally(() => {
      writing = undefined
    })
    return writing
  }

  // Created here and not by a request, because a timer keeps the context of its creator: the statements would count
  // against the account of that request.
  const timer = setInterval(() => void flush(), WRITE_AFTER_MS).unref()

  return {
    add: (entry) => {
      if (waiting.length >= MAX_WAITING) dropped.inc({ reason: 'full' })
      else if (!bounds.admits(entry)) dropped.inc({ reason: 'bound' })
      else waiting.push(entry)
    },
    flush: async () => {
      await writing
      await flush()
    },
    close: async () => {
      clearInterval(timer)
      await writing
      await flush()
    },
  }
}
