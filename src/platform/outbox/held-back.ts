import { sql } from 'kysely'
import type { Db } from '../db/index.ts'
import type { Log } from '../telemetry/log.ts'

/** The oldest transaction that writes, on the whole database server. */
export interface Holder {
  pid: number
  application: string | null
  database: string | null
  state: string | null
  /** Age of the transaction in seconds. Null if the role may not see transactions of others. */
  seconds: number | null
}

export interface HeldBack {
  /** How long the oldest committed event waits that no reader may see yet. 0 if none waits. */
  seconds: number
  /** Undefined also while events wait for less than a second. */
  holder: Holder | undefined
}

const WARN_AFTER_SECONDS = 1

/**
 * Reads how long events wait for an older transaction. Readers get the events of a transaction only after all older
 * transactions of the database server have ended, because these may still write events.
 */
export async function readHeldBack(db: Db): Promise<HeldBack> {
  const { rows } = await sql<{ seconds: number } & { [Name in keyof Holder]: Holder[Name] | null } & { age: number }>`
    select waiting.seconds, holder.pid, holder.application, holder.database, holder.state, holder.age
    from (
      select coalesce(greatest(0, extract(epoch from clock_timestamp() - min(created_at))), 0)::float8 as seconds
      from events where transaction_id >= events_readable_before()
    ) waiting
    left join lateral (
      select pid, application_name as application, datname as database, state,
        extract(epoch from clock_timestamp() - xact_start)::float8 as age
      from pg_stat_activity
      -- The server reads the state of all its connections for this, which takes milliseconds with a thousand.
      where waiting.seconds >= ${WARN_AFTER_SECONDS}::int and backend_xid = pg_snapshot_xmin(pg_current_snapshot())::xid
      limit 1
    ) holder on true`.execute(db)
  const [row] = rows
  if (row === undefined) return { seconds: 0, holder: undefined }
  const { seconds, pid, application, database, state, age } = row
  return { seconds, holder: pid === null ? undefined : { pid, application, database, state, seconds: age } }
}

const LOOK_EVERY_MS = 5_000

/** Watches whether events wait for a transaction, and logs a warning for each such transaction. */
export interface HeldBackWatch {
  stop(): Promise<void>
}

export function watchHeldBack({
  db,
  log,
  everyMs = LOOK_EVERY_MS,
}: {
  db: Db
  log: Log
  everyMs?: number
}): HeldBackWatch {
  let running: Promise<void> | undefined
  /** Process id of the last holder in a warning, 0 if the role of the service may not see it. */
  let warned: number | undefined

  const look = async (): Promise<void> => {
    const { seconds, holder } = await readHeldBack(db)
    const found = seconds < WARN_AFTER_SECONDS ? undefined : (holder?.pid ?? 0)
    const isNew = found !== warned
    warned = found
    if (found === undefined || !isNew) return
    log.warn({ seconds, holder }, 'events wait for an older transaction of the database server')
  }

  const timer = setInterval(() => {
    running ??= look()
      .catch((error: unknown) => log.debug({ err: error }, 'reading how long events wait failed'))
      .finally(() => {
        running = undefined
      })
  }, everyMs)
  timer.unref()
  return {
    stop: async () => {
      clearInterval(timer)
      await running
    },
  }
}
