import { availableParallelism } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { type JobHelpers, Logger, parseCronItems, type Runner, run } from 'graphile-worker'
import { sql } from 'kysely'
import type { Pool } from 'pg'
import type { Db, Trx } from './db/index.ts'
import type { Log } from './log.ts'

export interface JobAttempt {
  isLast: boolean
  /** Aborted when the runner has been told to stop some seconds ago, and waits for this job. */
  signal?: AbortSignal
}

/** A kind of work done apart from the request that asked for it. Handlers are idempotent: a job may run twice. */
export interface JobDefinition {
  name: string
  /** Runs the job; an exception makes it run again later, with growing pauses, unless this was its last attempt. */
  handle(payload: unknown, attempt?: JobAttempt): Promise<void>
  /** Keeps the machine busy for seconds. Such jobs have places of their own, so that mails need not wait for them. */
  isHeavy?: boolean
  /** Five-field cron pattern in UTC, for work that recurs by itself. */
  cron?: string
}

export interface EnqueueOptions {
  /** A second job with the key of a waiting one replaces it. */
  key?: string
  runAt?: Date
  maxAttempts?: number
  /** Jobs of one queue run one after another. */
  queue?: string
}

/** Adds a job in the caller's transaction: it exists exactly when the transaction commits. */
export async function enqueue(
  db: Db | Trx,
  name: string,
  payload: object,
  options: EnqueueOptions = {},
): Promise<void> {
  await sql`select graphile_worker.add_job(
    ${name}, payload := ${JSON.stringify(payload)}::json, queue_name := ${options.queue ?? null}::text,
    run_at := ${options.runAt ?? null}::timestamptz, max_attempts := ${options.maxAttempts ?? 25}::int, job_key := ${options.key ?? null}::text
  )`.execute(db)
}

/**
 * Runs at most once at a time in this process, so that it leaves places of the job runner to others. Who comes
 * meanwhile does not wait. What they came for, and what a run has left, is for another job: each ends soon.
 *
 * @param run tells whether it has left something
 */
export function oneAtATime(run: () => Promise<boolean>, comeAgain: () => Promise<void>): () => Promise<void> {
  let isRunning = false
  let isAskedAgain = false
  return async () => {
    if (isRunning) {
      isAskedAgain = true
      return
    }
    isRunning = true
    isAskedAgain = false
    let isLeft = false
    try {
      isLeft = await run()
    } finally {
      isRunning = false
    }
    if (isLeft || isAskedAgain) await comeAgain()
  }
}

/**
 * Lets the next runner take the jobs that a killed process had begun. For who knows that no other process works off jobs:
 * otherwise such a job is taken after four hours.
 */
export async function releaseLeftJobs(db: Db): Promise<void> {
  await sql`
    select graphile_worker.force_unlock_workers(array_agg(distinct locked_by))
    from graphile_worker.jobs where locked_by is not null having count(*) > 0`.execute(db)
}

export interface JobRunner {
  /** Lets running jobs end, then stops. */
  stop(): Promise<void>
}

/** Works off jobs in this process until stopped; a runner that does not start, or ends, is started again. */
export function startJobRunner(pool: Pool, jobs: JobDefinition[], log: Log): JobRunner {
  const stopping = new AbortController()
  const places = [
    { jobs: jobs.filter(({ isHeavy }) => isHeavy !== true), concurrency: 4 },
    { jobs: jobs.filter(({ isHeavy }) => isHeavy === true), concurrency: availableParallelism() },
  ]
  const ended = Promise.all(
    places
      .filter((place) => place.jobs.length > 0)
      .map((place) => keepRunning(() => startRunner(pool, place, log), stopping.signal, log)),
  )
  return {
    stop: async () => {
      stopping.abort()
      await ended
    },
  }
}

const RESTART_MS = 5_000

async function keepRunning(start: () => Promise<Runner>, stopping: AbortSignal, log: Log): Promise<void> {
  while (!stopping.aborted) {
    try {
      const runner = await start()
      const stop = (): void => {
        runner.stop().catch((error: unknown) => log.warn({ err: error }, 'the job runner did not stop cleanly'))
      }
      stopping.addEventListener('abort', stop, { once: true })
      // The signal may have come while the runner was starting.
      if (stopping.aborted) stop()
      await runner.promise
    } catch (error) {
      log.error({ err: error }, 'the job runner failed')
    }
    await delay(RESTART_MS, undefined, { signal: stopping }).catch(() => undefined)
  }
}

interface Places {
  jobs: JobDefinition[]
  /** Jobs at a time. */
  concurrency: number
}

function startRunner(pool: Pool, { jobs, concurrency }: Places, log: Log): Promise<Runner> {
  return run({
    pgPool: pool,
    concurrency,
    noHandleSignals: true,
    pollInterval: 5_000,
    taskList: Object.fromEntries(
      jobs.map(({ name, handle }) => [
        name,
        (payload: unknown, { job, abortSignal }: JobHelpers) =>
          handle(payload, { isLast: job.attempts >= job.max_attempts, signal: abortSignal }),
      ]),
    ),
    parsedCronItems: parseCronItems(
      jobs.flatMap(({ name, cron }) => (cron === undefined ? [] : [{ task: name, match: cron, identifier: name }])),
    ),
    logger: new Logger(() => (level, message, meta) => {
      if (level === 'error') log.error({ meta }, message)
      else if (level === 'warning') log.warn(message)
      else log.debug(message)
    }),
  })
}
