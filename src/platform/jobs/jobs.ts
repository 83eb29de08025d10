import { EventEmitter } from 'node:events'
import { availableParallelism } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type JobHelpers,
  Logger,
  parseCronItems,
  type Runner,
  run,
  type WorkerEvents,
  type WorkerPool,
} from 'graphile-worker'
import { sql } from 'kysely'
import pTimeout from 'p-timeout'
import { isDatabaseUnavailable } from '../db/connections/errors.ts'
import type { DatabasePool, Db, Trx } from '../db/index.ts'
import type { Log } from '../telemetry/log.ts'
import { traced } from '../telemetry/span.ts'
import { currentTraceparent, readTraceparent } from '../telemetry/traceparent.ts'
import { HEARTBEAT, type Heartbeat, type HeartbeatTiming, isStillHeld, startHeartbeat } from './runners.ts'
import { withSharedListener } from './shared-listener.ts'
import { flagOf, limitShares } from './shares.ts'

export interface JobAttempt {
  isFirst?: boolean
  isLast: boolean
  /** Aborted some seconds after the runner was told to stop, while it still waits for this job. */
  signal?: AbortSignal
}

/** A kind of work that runs apart from requests. Handlers must be idempotent, because a job may run twice. */
export interface JobDefinition {
  /** A name of the form `feature.verb` or `feature.verb_noun`. */
  name: string
  /** Names under which earlier releases may have enqueued the job. */
  formerNames?: readonly string[]
  /**
   * Runs the job. After an exception, the job runs again later, with increasing pauses, unless this was its last
   * attempt.
   */
  handle(payload: unknown, attempt?: JobAttempt): Promise<void>
  /**
   * Whether the job keeps the processor busy for seconds. Such jobs run separately, so that mails do not wait for them.
   */
  isHeavy?: boolean
  /** Whether the job waits for a mail server. Such jobs run separately, so that many mails do not delay other jobs. */
  isDelivery?: boolean
  /** Whether a delivery draws first, which can wait for other work of the same customer. Other mails do not wait for it. */
  isDrawn?: boolean
  /**
   * Whether the job sends something to customers or to services of others. While sending is off, such jobs wait.
   */
  isSending?: boolean
  /** A cron pattern with five fields, in UTC, for recurring work. */
  cron?: string
}

export interface EnqueueOptions {
  /** If a job with the same key is waiting, the new job replaces it. */
  key?: string
  runAt?: Date
  maxAttempts?: number
  /** Jobs of one queue run one after another. */
  queue?: string
  /** Jobs with a lower number run first. The default is 0. */
  priority?: number
  /**
   * The share (`networkOfShare`) for which the job runs. Jobs of one share take at most half of the places of drawn
   * deliveries of a process.
   */
  share?: string | undefined
}

/** A kind of job that requests or other jobs enqueue. The payload is JSON. */
export interface Job<Payload extends object> {
  name: string
  /** Adds a job in the transaction of the caller. The job exists only if the transaction commits. */
  enqueue(db: Db | Trx, payload: Payload, options?: EnqueueOptions): Promise<void>
  /** Adds several jobs with one statement, with keys that differ. */
  enqueueAll(db: Db | Trx, jobs: readonly (EnqueueOptions & { payload: Payload })[]): Promise<void>
  /** Defines the handler of the job. */
  handledBy(
    handle: (payload: Payload, attempt?: JobAttempt) => Promise<void>,
    options?: Pick<JobDefinition, 'cron' | 'isHeavy' | 'isDelivery' | 'isDrawn' | 'isSending'>,
  ): JobDefinition
}

export function defineJob<Payload extends object = Record<string, never>>(
  name: `${string}.${string}`,
  formerNames: readonly string[] = [],
): Job<Payload> {
  return {
    name,
    enqueue: (db, payload, options) => enqueue(db, name, payload, options),
    enqueueAll: (db, jobs) => enqueueAll(db, name, jobs),
    handledBy: (handle, options) => ({ name, formerNames, handle: handle as JobDefinition['handle'], ...options }),
  }
}

export async function enqueue(
  db: Db | Trx,
  name: string,
  payload: object,
  options: EnqueueOptions = {},
): Promise<void> {
  await enqueueAll(db, name, [{ ...options, payload }])
}

const MAX_ATTEMPTS = 25

async function enqueueAll(
  db: Db | Trx,
  name: string,
  jobs: readonly (EnqueueOptions & { payload: object })[],
): Promise<void> {
  const traceparent = currentTraceparent()
  const specs = jobs.map(({ payload, key, runAt, maxAttempts = MAX_ATTEMPTS, queue, priority = 0, share }) => ({
    ...{ identifier: name, payload: traceparent === undefined ? payload : { ...payload, traceparent } },
    ...{ queue_name: queue, run_at: runAt, max_attempts: maxAttempts, job_key: key, priority },
    ...(share === undefined ? {} : { flags: [flagOf(share)] }),
  }))
  await sql`select graphile_worker.add_jobs(array(
    select json_populate_record(null::graphile_worker.job_spec, spec)
    from json_array_elements(${JSON.stringify(specs)}::json) as spec
  ))`.execute(db)
}

/**
 * Number of heavy jobs that one process runs at a time. It exceeds the number of processors by far, because a job also
 * counts while it waits for a drawing process. With few places, some customers with slow jobs would take all of them, and
 * other jobs would not even reach the queue of the drawing processes, in which customers take turns.
 */
const HEAVY_PLACES = Math.max(24, availableParallelism())

/**
 * Returns a function that runs work at most `places` times at once in this process, so that other jobs can use the
 * remaining places of the job runner. A call while all places are taken returns immediately. If `run` leaves work, or
 * if a call found no place, `enqueueAgain` enqueues another job, so that no job runs for long.
 *
 * @param run returns whether work is left
 */
export function limitRuns(
  places: number,
  run: () => Promise<boolean>,
  enqueueAgain: () => Promise<void>,
): () => Promise<void> {
  let running = 0
  let isAskedAgain = false
  return async () => {
    if (running === places) {
      isAskedAgain = true
      return
    }
    running += 1
    let isLeft = false
    try {
      isLeft = await run()
    } finally {
      running -= 1
    }
    if (!isLeft && !isAskedAgain) return
    isAskedAgain = false
    await enqueueAgain()
  }
}

/**
 * Releases the jobs of a killed process immediately. Call this function only if no other process runs jobs. Otherwise
 * the heartbeats of the runners decide.
 */
export async function releaseLeftJobs(db: Db): Promise<void> {
  await db.deleteFrom('job_runners').execute()
  await sql`
    select graphile_worker.force_unlock_workers(array_agg(distinct locked_by))
    from graphile_worker.jobs where locked_by is not null having count(*) > 0`.execute(db)
}

export interface JobRunner {
  /**
   * Stops the runner. Running jobs have `withinMs` to end. Jobs that still run after that are released for another
   * process.
   */
  stop(withinMs?: number): Promise<void>
}

const STOP_MS = 10_000

/** Number of deliveries that one process draws at a time. */
const DRAWN_PLACES = 3

/**
 * Runs jobs in this process until it is stopped. A runner that does not start, that ends, or that was presumed dead is
 * replaced.
 */
export function startJobRunner(
  database: DatabasePool,
  jobs: JobDefinition[],
  log: Log,
  timing: HeartbeatTiming = HEARTBEAT,
): JobRunner {
  const stopping = new AbortController()
  const heartbeat = startHeartbeat(database, log, timing)
  const pool = withSharedListener(database.pool)
  const deps: RunnerDeps = { database, pool, heartbeat, log, stopping: stopping.signal }
  const places = [
    { jobs: jobs.filter(({ isHeavy, isDelivery }) => isHeavy !== true && isDelivery !== true), concurrency: 4 },
    { jobs: jobs.filter(({ isDelivery, isDrawn }) => isDelivery === true && isDrawn !== true), concurrency: 4 },
    {
      jobs: jobs.filter(({ isDelivery, isDrawn }) => isDelivery === true && isDrawn === true),
      concurrency: DRAWN_PLACES,
      mostOfShare: Math.max(1, Math.floor(DRAWN_PLACES / 2)),
    },
    { jobs: jobs.filter(({ isHeavy }) => isHeavy === true), concurrency: HEAVY_PLACES },
  ]
  const ended = Promise.all(places.filter((place) => place.jobs.length > 0).map((place) => keepRunning(deps, place)))
  return {
    stop: async (withinMs = STOP_MS) => {
      stopping.abort()
      await pTimeout(ended, { milliseconds: Math.max(1, withinMs), message: false })
      await heartbeat.end()
    },
  }
}

interface RunnerDeps {
  database: DatabasePool
  /** The pool of the database, in which all runners listen with one connection. */
  pool: DatabasePool['pool']
  heartbeat: Heartbeat
  log: Log
  stopping: AbortSignal
}

interface Places {
  jobs: JobDefinition[]
  concurrency: number
  /** The most places of jobs of one share. Default: all. */
  mostOfShare?: number
}

const RESTART_MS = 5_000

/**
 * How often each place looks for a job by itself. Notifications announce new jobs, and heartbeats those that became due
 * later. With a short interval, the places of many nodes would be most of the load of a database at rest.
 */
const POLL_MS = 120_000

/** Time after the end of a job within which its queue is free. */
const QUEUE_FREE_MS = 20

async function keepRunning(deps: RunnerDeps, places: Places): Promise<void> {
  const { log, stopping } = deps
  const all: Promise<void>[] = []
  while (!stopping.aborted) {
    const { promise: lost, resolve: lose } = Promise.withResolvers<'lost'>()
    const running = runUntilStopped(deps, places, { lost, lose: () => lose('lost') }).catch((error: unknown) =>
      log.error({ err: error }, 'the job runner failed'),
    )
    all.push(running)
    // The jobs of a runner that was presumed dead may take long to end, so its successor starts without waiting for
    // them.
    if ((await Promise.race([running, lost])) === 'lost') {
      log.warn('this process was presumed dead, and continues with a new job runner')
      continue
    }
    await delay(RESTART_MS, undefined, { signal: stopping }).catch(() => undefined)
  }
  await Promise.all(all)
}

interface Loss {
  lost: Promise<unknown>
  lose(): void
}

/** Runs one runner until the process stops or the runner was presumed dead. Lets its jobs end. */
async function runUntilStopped(deps: RunnerDeps, places: Places, { lost, lose }: Loss): Promise<void> {
  const { heartbeat, stopping, log } = deps
  const { runner, id, begin, look } = await createRunner(deps, places)
  const stop = (): void => {
    runner.stop().catch((error: unknown) => log.warn({ err: error }, 'the job runner did not stop cleanly'))
  }
  const ended = runner.promise.finally(async () => {
    stopping.removeEventListener('abort', stop)
    // If the row cannot be removed, other processes presume the runner dead after some time.
    await heartbeat.remove(id).catch(() => undefined)
  })
  ended.catch(() => undefined)
  const registered = heartbeat.register(id, lose, look)
  begin(registered)
  try {
    await registered
  } catch (error) {
    stop()
    await ended.catch(() => undefined)
    throw error
  }
  lost.then(stop)
  stopping.addEventListener('abort', stop, { once: true })
  // The signal may have arrived while the runner was starting.
  if (stopping.aborted) stop()
  await ended
}

interface CreatedRunner {
  runner: Runner
  id: string
  /** Allows the runner to take jobs once the promise is fulfilled. */
  begin(registered: Promise<void>): void
  /** Makes up to this many places look for a job now. */
  look(places: number): void
}

async function createRunner({ database, pool: pgPool, log }: RunnerDeps, places: Places): Promise<CreatedRunner> {
  const { jobs, concurrency, mostOfShare = concurrency } = places
  const events: WorkerEvents = new EventEmitter()
  const beginLook = mostOfShare < concurrency ? limitShares(events, mostOfShare) : async () => null
  let pool: WorkerPool | undefined
  events.once('pool:create', ({ workerPool }) => {
    pool = workerPool
  })
  // A pool that stops refuses to look.
  let isStopping = false
  events.once('pool:gracefulShutdown', () => {
    isStopping = true
  })
  const registration = Promise.withResolvers<void>()
  registration.promise.catch(() => undefined)
  const runner = await run({
    pgPool,
    concurrency,
    noHandleSignals: true,
    pollInterval: POLL_MS,
    events,
    // The runner calls this function before it takes a job. It waits for the registration, because no process would
    // release the jobs of an unregistered runner that is killed.
    forbiddenFlags: () => registration.promise.then(beginLook),
    // Makes the library complete jobs in batches, for which it handles errors: the runner ends and is replaced. Without
    // batches, a database that becomes unavailable while a job ends would cause an unhandled rejection, which ends the
    // process.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    taskList: toTaskList(jobs, database.db),
    parsedCronItems: parseCronItems(
      jobs.flatMap(({ name, cron }) => (cron === undefined ? [] : [{ task: name, match: cron, identifier: name }])),
    ),
    logger: new Logger(() => (level, message, meta) => {
      if (level === 'error') log.error({ meta }, message)
      else if (level === 'warning' && !isAboutPoolSize(meta)) log.warn(message)
      else log.debug(message)
    }),
  })
  if (pool === undefined) throw new Error('the job runner has no pool')
  const { id, nudge } = pool
  const look = (places: number): void => {
    if (!isStopping) nudge.call(pool, places)
  }
  // The place looks for its next job before the queue of the last one is free, so it does not find the next of a queue.
  events.on('job:complete', ({ job }) => {
    if (job.job_queue_id !== null) setTimeout(look, QUEUE_FREE_MS, 1).unref()
  })
  return { runner, id, begin: registration.resolve, look }
}

/**
 * The library warns of a pool that is smaller than the number of places. Here this is intended: most jobs draw or send,
 * and hold no connection meanwhile.
 */
function isAboutPoolSize(meta: object | undefined): boolean {
  return meta !== undefined && 'max' in meta && 'concurrency' in meta
}

/** Two jobs of one name would replace each other without an error. */
export function toTaskList(jobs: readonly JobDefinition[], db: Db): Record<string, ReturnType<typeof toTask>> {
  const tasks: Record<string, ReturnType<typeof toTask>> = {}
  for (const job of jobs) {
    for (const name of [job.name, ...(job.formerNames ?? [])]) {
      if (name in tasks) throw new Error(`two jobs have the name ${name}`)
      tasks[name] = toTask(job, db)
    }
  }
  return tasks
}

function toTask({ name, handle }: JobDefinition, db: Db) {
  return async (payload: unknown, { job, abortSignal }: JobHelpers): Promise<void> => {
    const { attempts, max_attempts: most } = job
    // The request or job that has enqueued this job may have added its trace.
    const { traceparent, ...ofJob } = (payload ?? {}) as { traceparent?: unknown }
    const attempt = { isFirst: attempts === 1, isLast: attempts >= most, signal: abortSignal }
    const attributes = {
      'messaging.system': 'graphile_worker',
      'messaging.destination.name': name,
      'platen.job.attempt': attempts,
    }
    await traced(
      `process ${name}`,
      { kind: 'consumer', isRoot: true, parent: readTraceparent(traceparent), attributes },
      () => handle(ofJob, attempt),
    )
    // The library deletes a completed job without checking which runner holds it. If another process has taken over the
    // job and fails, the job would never run again. An exception prevents this, because a failure is recorded only for
    // the holder.
    if (!(await isHeld(db, job, abortSignal))) throw new Error('the job was taken over by another process')
  }
}

/**
 * Tells whether this runner still holds the job. Waits while the database is unavailable, so that a completed job does
 * not run again.
 */
async function isHeld(db: Db, job: JobHelpers['job'], stopped: AbortSignal | undefined): Promise<boolean> {
  for (;;) {
    try {
      return await isStillHeld(db, { id: job.id, lockedBy: job.locked_by ?? '' })
    } catch (error) {
      if (!isDatabaseUnavailable(error) || stopped?.aborted === true) throw error
      await delay(1_000)
    }
  }
}
