import { sql } from 'kysely'
import type { Db, Trx } from '../db/index.ts'

/** `waiting` jobs will run by themselves, at once or later. `failed` jobs have no attempt left. */
export type JobState = 'waiting' | 'running' | 'failed'

/** A job without its payload, which may contain personal data and secrets. */
export interface StoredJob {
  id: number
  kind: string
  state: JobState
  attempts: number
  maxAttempts: number
  lastError: string | null
  runAt: Date
  /** Whether the time in `runAt` has come, by the clock of the database. */
  isDue: boolean
  createdAt: Date
}

/** The jobs of one kind. */
export interface JobCount {
  kind: string
  waiting: number
  running: number
  failed: number
  /** Since when the oldest job could run that waits for a place or a runner. */
  dueSince: Date | null
}

const STATE = sql<JobState>`case
  when j.locked_at is not null then 'running' when j.attempts >= j.max_attempts then 'failed' else 'waiting' end`

const TABLES = sql`graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id`

const COLUMNS = sql`
  j.id, t.identifier as kind, ${STATE} as state, j.attempts, j.max_attempts as "maxAttempts",
  j.last_error as "lastError", j.run_at as "runAt", j.run_at <= now() as "isDue", j.created_at as "createdAt"`

/** Counts the stored jobs by kind. Jobs that are done are not stored. */
export async function countJobs(db: Db): Promise<JobCount[]> {
  const { rows } = await sql<JobCount>`
    select kind, count(*) filter (where state = 'waiting') as waiting, count(*) filter (where state = 'running') as running,
      count(*) filter (where state = 'failed') as failed, min(run_at) filter (where state = 'waiting' and run_at <= now()) as "dueSince"
    from (select t.identifier as kind, ${STATE} as state, j.run_at from ${TABLES}) jobs
    group by kind order by kind`.execute(db)
  return rows
}

/** Counts the job runners of all processes that are alive. */
export async function countRunners(db: Db, aliveWithinMs: number): Promise<number> {
  const { count } = await db
    .selectFrom('job_runners')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('taken_over_at', 'is', null)
    .where('last_seen_at', '>', sql<Date>`now() - ${aliveWithinMs} * interval '1 millisecond'`)
    .executeTakeFirstOrThrow()
  return count
}

export interface JobListing {
  state?: JobState | undefined
  kind?: string | undefined
  /** Lists jobs that were stored before the job with this id. */
  before?: number | undefined
  limit: number
}

/** Lists jobs, newest first. It returns one job more than the limit if another page follows. */
export async function listStoredJobs(db: Db, { state, kind, before, limit }: JobListing): Promise<StoredJob[]> {
  const conditions = [
    sql`true`,
    ...(state === undefined ? [] : [sql`${STATE} = ${state}`]),
    ...(kind === undefined ? [] : [sql`t.identifier = ${kind}`]),
    ...(before === undefined ? [] : [sql`j.id < ${before}::bigint`]),
  ]
  const { rows } = await sql<StoredJob>`
    select ${COLUMNS} from ${TABLES} where ${sql.join(conditions, sql` and `)}
    order by j.id desc limit ${limit + 1}::int`.execute(db)
  return rows
}

export async function lockStoredJob(trx: Trx, id: number): Promise<StoredJob | undefined> {
  const { rows } = await sql<StoredJob>`
    select ${COLUMNS} from ${TABLES} where j.id = ${id}::bigint for update of j`.execute(trx)
  return rows[0]
}

/** Gives a job one further attempt, now. A running job must not be changed. */
export async function runJobNow(trx: Trx, id: number): Promise<void> {
  await sql`
    with changed as (
      update graphile_worker._private_jobs set run_at = now(), attempts = least(attempts, max_attempts - 1), updated_at = now()
      where id = ${id}::bigint and locked_at is null returning id
    )
    -- Wakes runners that sleep until their next poll, as the library does when a job is added.
    select pg_notify('jobs:insert', json_build_object('count', count(*))::text) from changed`.execute(trx)
}
