import { setTimeout as delay } from 'node:timers/promises'
import { Logger, parseCronItems, type Runner, run } from 'graphile-worker'
import { sql } from 'kysely'
import type { Pool } from 'pg'
import type { Db, Trx } from './db/index.ts'
import type { Log } from './log.ts'

/** A kind of work done apart from the request that asked for it. Handlers are idempotent: a job may run twice. */
export interface JobDefinition {
  name: string
  /** Runs the job; an exception makes it run again later, with growing pauses. */
  handle(payload: unknown): Promise<void>
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

export interface JobRunner {
  /** Lets running jobs end, then stops. */
  stop(): Promise<void>
}

/** Works off jobs in this process until stopped; a runner that does not start, or ends, is started again. */
export function startJobRunner(pool: Pool, jobs: JobDefinition[], log: Log): JobRunner {
  const stopping = new AbortController()
  const ended = keepRunning(() => startRunner(pool, jobs, log), stopping.signal, log)
  return {
    stop: () => {
      stopping.abort()
      return ended
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

function startRunner(pool: Pool, jobs: JobDefinition[], log: Log): Promise<Runner> {
  return run({
    pgPool: pool,
    concurrency: 4,
    noHandleSignals: true,
    pollInterval: 5_000,
    taskList: Object.fromEntries(jobs.map((job) => [job.name, (payload: unknown) => job.handle(payload)])),
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
