import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type { DatabasePool, Db } from '../db/index.ts'
import type { Log } from '../telemetry/log.ts'

/** Durations in milliseconds. */
export interface HeartbeatTiming {
  /** Time between two heartbeats of a process. */
  beatMs: number
  /** A runner without a heartbeat for this long is presumed dead. */
  lostAfterMs: number
}

export const HEARTBEAT: HeartbeatTiming = { beatMs: 5_000, lostAfterMs: 20_000 }

/**
 * How many hours the row of a dead runner is stored, so that its process, if it was only frozen, can find out that its
 * jobs were taken over.
 */
const KEPT_HOURS = 24

/** More places than a process has. */
const MOST_DUE = 100

/**
 * Shows other processes that the runners of this process are alive, and takes over the jobs of dead runners. Tells its
 * runners about due jobs, so that not each of their places must look for them.
 */
export interface Heartbeat {
  /**
   * Registers a runner. The runner must not take a job before it is registered.
   *
   * @param onLost called once if the runner was presumed dead, so that other processes may be working on its jobs
   * @param onDue called at each heartbeat at which jobs are due that no runner has taken, with their number, at most
   *   `MOST_DUE`
   * @throws if the database is unavailable
   */
  register(runnerId: string, onLost: () => void, onDue: (jobs: number) => void): Promise<void>
  /** Removes a runner that has ended. Releases jobs whose end the runner could not record. */
  remove(runnerId: string): Promise<void>
  /**
   * Ends the heartbeat. Releases the jobs that runners still hold, so that another process can take them immediately.
   */
  end(): Promise<void>
}

/**
 * Starts the heartbeat of this process.
 *
 * @param database opens a separate connection for the heartbeat, because a busy pool must not delay it
 */
export function startHeartbeat(
  database: Pick<DatabasePool, 'openApart'>,
  log: Log,
  { beatMs, lostAfterMs }: HeartbeatTiming = HEARTBEAT,
): Heartbeat {
  const apart = database.openApart()
  const { db } = apart
  const stopping = new AbortController()
  const runners = new Map<string, Registered>()
  let inContactSinceMs: number | undefined

  const beat = async (): Promise<void> => {
    const ids = [...runners.keys()]
    const alive = new Set(await recordBeat(db, ids))
    for (const id of ids.filter((one) => !alive.has(one))) {
      const runner = runners.get(id)
      runners.delete(id)
      runner?.onLost()
    }
    const due = await countDueJobs(db)
    if (due > 0) for (const { onDue } of runners.values()) onDue(due)
    inContactSinceMs ??= performance.now()
    // After an outage of the database, the other processes need time for a heartbeat before they are presumed dead.
    if (performance.now() - inContactSinceMs < lostAfterMs / 2) return
    const { released, exhausted } = await takeOverJobs(db, lostAfterMs)
    if (released > 0) log.warn({ jobs: released }, 'released the jobs of a process that has died')
    if (exhausted > 0)
      log.error({ jobs: exhausted }, 'a process died in the last attempt of a job, which is not retried')
  }

  const ended = (async () => {
    while (!stopping.signal.aborted) {
      await beat().catch((error: unknown) => {
        inContactSinceMs = undefined
        if (!stopping.signal.aborted) log.warn({ err: error }, 'the heartbeat of the job runners failed')
      })
      await delay(beatMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  })()

  return {
    register: async (runnerId, onLost, onDue) => {
      await sql`insert into job_runners (id) values (${runnerId})`.execute(db)
      runners.set(runnerId, { onLost, onDue })
    },
    remove: async (runnerId) => {
      runners.delete(runnerId)
      await sql`
        with removed as (delete from job_runners where id = ${runnerId} and taken_over_at is null returning id)
        select graphile_worker.force_unlock_workers(array[id]) from removed`.execute(db)
    },
    end: async () => {
      stopping.abort()
      await ended
      await releaseJobsOf(db, [...runners.keys()]).catch((error: unknown) =>
        log.warn({ err: error }, 'interrupted jobs could not be released; another process will release them'),
      )
      await apart.close()
    },
  }
}

interface Registered {
  onLost: () => void
  onDue: (jobs: number) => void
}

/** Counts the jobs that are due and that no runner has taken. */
async function countDueJobs(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int from (
      select from graphile_worker._private_jobs where is_available and run_at <= now() limit ${MOST_DUE}
    ) due`.execute(db)
  return rows[0]?.count ?? 0
}

async function recordBeat(db: Db, runnerIds: readonly string[]): Promise<string[]> {
  if (runnerIds.length === 0) return []
  const rows = await db
    .updateTable('job_runners')
    .set({ last_seen_at: sql`now()` })
    .where('id', 'in', runnerIds)
    .where('taken_over_at', 'is', null)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

interface TakenOver {
  released: number
  /** Number of released jobs that have no attempt left. */
  exhausted: number
}

/**
 * Presumes runners dead whose last heartbeat is too long ago, and releases their jobs. This is one statement: if two
 * processes run it at once, one waits for the rows of the other and then finds nothing to do.
 */
async function takeOverJobs(db: Db, lostAfterMs: number): Promise<TakenOver> {
  const { rows } = await sql<TakenOver>`
    with forgotten as (
      delete from job_runners where taken_over_at < now() - ${KEPT_HOURS} * interval '1 hour'
    ), gone as (
      update job_runners set taken_over_at = now()
      where taken_over_at is null and last_seen_at < now() - ${lostAfterMs} * interval '1 millisecond'
      returning id
    ), dead as (
      select id from gone union select id from job_runners where taken_over_at is not null
    ), held as (
      select array_agg(distinct locked_by) as runners, count(*)::int as released,
        count(*) filter (where attempts >= max_attempts)::int as exhausted
      from graphile_worker.jobs where locked_by in (select id from dead)
    )
    select released, exhausted, graphile_worker.force_unlock_workers(runners),
      -- Wakes runners that sleep until their next poll, as the library does when a job is added.
      pg_notify('jobs:insert', json_build_object('count', released)::text)
    from held where released > 0`.execute(db)
  return rows[0] ?? { released: 0, exhausted: 0 }
}

/** Unlocks the jobs of runners that stop. The interrupted attempt does not count. */
async function releaseJobsOf(db: Db, runnerIds: readonly string[]): Promise<void> {
  if (runnerIds.length === 0) return
  const ids = sql`${[...runnerIds]}::text[]`
  await sql`
    with released as (
      update graphile_worker._private_jobs set attempts = greatest(0, attempts - 1), locked_by = null, locked_at = null
      where locked_by = any(${ids}) returning id
    ), queues as (
      update graphile_worker._private_job_queues set locked_by = null, locked_at = null where locked_by = any(${ids})
    )
    select pg_notify('jobs:insert', json_build_object('count', count(*))::text) from released`.execute(db)
  // Marks these runners as taken over. If they still take jobs, other processes release those jobs as jobs of dead
  // runners.
  await db
    .updateTable('job_runners')
    .set({ taken_over_at: sql`now()` })
    .where('id', 'in', [...runnerIds])
    .execute()
}

export async function isStillHeld(db: Db, job: { id: string; lockedBy: string }): Promise<boolean> {
  const { rows } = await sql`
    select from graphile_worker.jobs where id = ${job.id} and locked_by = ${job.lockedBy}`.execute(db)
  return rows.length > 0
}
