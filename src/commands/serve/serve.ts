import { type CloseOptions, createService, type Service } from '../../app.ts'
import { type Config, readConfig } from '../../config/index.ts'
import { releaseAbandonedDesigns } from '../../designs/index.ts'
import { releaseAbandonedPayments } from '../../orders/index.ts'
import { systemClock } from '../../platform/clock.ts'
import { warnOfMissingTimeouts } from '../../platform/db/connections/session-timeouts.ts'
import { type DatabasePool, openDatabase, withoutPooler } from '../../platform/db/index.ts'
import { migrate } from '../../platform/db/migrations/migrate.ts'
import { releaseReservedKeys } from '../../platform/http/idempotency/idempotency.ts'
import { isLoopbackName } from '../../platform/http/operations/operations.ts'
import { releaseLeftJobs } from '../../platform/jobs/jobs.ts'
import { collectGarbageOfStart } from '../../platform/processes/collect-garbage.ts'
import { releaseLeftReservations } from '../../platform/storage/index.ts'
import { createLog, type Log } from '../../platform/telemetry/log.ts'
import { type Pools, startPools } from '../../rendering/index.ts'
import { releaseLeftDeliveries } from '../../webhooks/index.ts'
import { CommandError, INVALID_SETTINGS } from '../command-line/command-error.ts'
import { ignoreClosedOutput, writeLine } from '../command-line/terminal.ts'
import {
  closeDatabaseServer,
  type DatabaseServer,
  isDoneWithin,
  migrateDatabase,
  openDatabaseServer,
} from '../database-server.ts'
import { budgetsOf, poolOfMain } from '../processes/connections.ts'
import { type MainProcess, startMainProcess } from '../processes/main-process.ts'
import { describeEmptyArchive, describeEndingLog } from './archive-notice.ts'
import { prepareFirstStart } from './first-start.ts'
import { explainListening, requireOtherPort } from './listening.ts'

/**
 * Maximum time from the signal to the end of the process. It is less than the 30 s that Kubernetes allows by default.
 * Requests, streams and jobs get this time minus the shutdown delay and `CLOSE_REST_MS`.
 */
export const STOP_MS = 29_000
/** Time that remains for closing the database and everything else after requests and jobs have ended. */
const CLOSE_REST_MS = 10_000
const CLOSE_DATABASE_MS = 7_000

const NOTHING_SENT =
  'Nothing is sent: mails, text messages, webhooks and payments wait until the service starts without PLATEN_SEND=off and --no-send.'

/** Runs the service until SIGTERM, SIGINT or SIGHUP. Returns the exit status. */
export async function serve(config: Config): Promise<number> {
  requireOtherPort(config)
  const delayMs = config.shutdownDelaySeconds * 1_000
  const name = config.processes > 1 ? 'main' : undefined
  const log = createLog({ level: config.logLevel, destination: process.stderr, process: name })
  // Their processes load their modules while the database starts.
  const pools = startPools(log)
  const ending = await describeEndingLog(config)
  const env: Record<string, string> = config.send ? {} : { PLATEN_SEND: 'off' }
  const main = config.processes > 1 ? startMainProcess({ config, log, env, pools }) : undefined
  return runUntilStopped({ config, log, delayMs, main, pools }, async ({ service, database, server }) => {
    await prepareFirstStart(config, service.services, writeLine)
    // Only one process uses the embedded database, so unfinished work in it was left by a process that was killed.
    if (server.embedded !== undefined) {
      await releaseLeftJobs(database.db)
      await releaseReservedKeys(database.db)
      await releaseAbandonedPayments(database.db, systemClock.now())
      await releaseLeftDeliveries(database.db, systemClock.now())
      await releaseLeftReservations(database.db)
      await releaseAbandonedDesigns(service.services.designs, { alone: true })
      // A copy that sends nothing may use the storage of the original installation, which is working there.
      if (config.send) await service.services.storage.clearWorkDirs()
    }
    const url =
      main === undefined
        ? await explainListening(config, service.listen())
        : await listenInOthers(config, main, service, server)
    announce(config, url)
    const notice = await describeEmptyArchive(config)
    if (notice !== undefined) writeLine(notice)
    if (ending !== undefined) writeLine(ending)
    tellStarter('ready')
    service.startJobs()
    collectGarbageOfStart()
  })
}

/** Serves metrics in this process and requests in the API processes. Returns the URL of the service. */
async function listenInOthers(
  config: Config,
  main: MainProcess,
  service: Service,
  { poolConfig }: DatabaseServer,
): Promise<string> {
  await explainListening(config, service.listenForMetrics())
  return main.serve(service, poolConfig)
}

/** Runs jobs and webhooks only, until SIGTERM, SIGINT or SIGHUP. Returns the exit status. */
export async function work(config: Config): Promise<number> {
  if (config.databaseUrl === undefined) {
    throw new CommandError(
      'PLATEN_DATABASE_URL is not set. Set it to the database of the service. With the embedded database, only the service itself can run jobs.',
      INVALID_SETTINGS,
    )
  }
  // The shutdown delay is 0, because no load balancer sends requests to this process.
  const log = createLog({ level: config.logLevel, destination: process.stderr })
  return runUntilStopped({ config, log, delayMs: 0 }, async ({ service }) => {
    const url = await explainListening(config, service.listenForMetrics())
    service.startJobs()
    collectGarbageOfStart()
    if (url !== undefined) writeLine(`Metrics: ${url}/metrics`)
    if (!config.send) writeLine(NOTHING_SENT)
    writeLine('Running jobs. Press Ctrl-C to stop.')
  })
}

/** Migrates the database. Returns the exit status. */
export async function migrateOnly(): Promise<number> {
  const config = readConfig()
  const log = createLog({ level: 'info', destination: process.stderr })
  await migrateDatabase(config, log)
  writeLine('The database is up to date.')
  return 0
}

interface Running {
  service: Service
  database: DatabasePool
  server: DatabaseServer
}

interface Program {
  config: Config
  log: Log
  /** Time for which the service serves requests after a signal. */
  delayMs: number
  /** Starts and stops the API processes, if this process is not alone. */
  main?: MainProcess | undefined
  /** By default, the service creates its own. */
  pools?: Pools
}

/**
 * Opens and migrates the database and creates the service. It closes both after a signal, or if the service cannot
 * start.
 */
async function runUntilStopped(
  { config, log, delayMs, main, pools }: Program,
  begin: (running: Running) => Promise<void>,
): Promise<number> {
  ignoreClosedOutput()
  // The handlers of signals are installed first, so that a start that is interrupted also stops PostgreSQL.
  const stopAsked = onStopSignal()
  if (config.databaseUrl === undefined) writeLine(`Starting PostgreSQL in ${config.dataDir}`)
  const server = await openDatabaseServer(config, log).catch(async (error: unknown) => {
    await main?.stop(AT_ONCE)
    throw error
  })
  const database = openDatabase(
    {
      ...server.poolConfig,
      max: main === undefined ? config.databasePool : poolOfMain(config),
      slowStatementMs: config.slowStatementMs,
      budgets: budgetsOf(config),
    },
    log,
  )
  let service: Service | undefined
  let closedInTime = true
  let reason: StopReason | undefined
  try {
    await migrate(withoutPooler(server.poolConfig), log)
    await warnOfMissingTimeouts(database.pool, log)
    service = await createService({ config, log, clock: systemClock, database, group: main?.group, pools })
    await begin({ service, database, server })
    reason = await Promise.race([stopAsked, untilLost(server)])
    tellStarter('stopping')
    writeLine(reason.message)
  } finally {
    const endsAt = performance.now() + STOP_MS
    const stop = stopWithin(reason?.isAsked === true ? delayMs : 0)
    const othersEnded = main?.stop(reason === undefined ? AT_ONCE : stop)
    if (service !== undefined) closedInTime = await closeService(service, { ...stop, until: othersEnded })
    await othersEnded
    const waiting = await closeDatabaseServer(server, database, endsAt - performance.now())
    if (waiting > 0)
      writeLine(`${waiting} segments of the write-ahead log are not archived yet. The next start archives them.`)
  }
  writeLine('Stopped.')
  const { code } = reason
  if (!closedInTime) process.exit(code)
  // Without this timer, a job that hangs would keep the process running.
  setTimeout(() => process.exit(code), 1_000).unref()
  return code
}

/** Durations of a stop in milliseconds. */
const stopWithin = (delayMs: number) => ({ delayMs, withinMs: STOP_MS - CLOSE_REST_MS - delayMs })
/** For a service that has not started. */
const AT_ONCE = { delayMs: 0, withinMs: 1_000 }

/** Closes the service. Returns whether it closed in time. */
function closeService(service: Service, options: CloseOptions): Promise<boolean> {
  return isDoneWithin(STOP_MS - CLOSE_DATABASE_MS, service.close(options))
}

function announce(config: Config, url: string): void {
  if (!config.send) writeLine(NOTHING_SENT)
  writeLine(`Platen is running at ${url} (API: ${config.origin}/v1)`)
  writeLine(`Documentation: ${url}/docs`)
  if (!config.production && config.send && config.smtpUrl === undefined) {
    const isReadable = isLoopbackName(new URL(config.origin).hostname)
    writeLine(
      isReadable ? `Mails are not sent; read them at ${url}/dev/outbox` : 'Mails are not sent: set PLATEN_SMTP_URL.',
    )
  }
  writeLine('Press Ctrl-C to stop.')
}

interface StopReason {
  message: string
  code: number
  /**
   * Whether a signal requested the stop. Otherwise the database is lost, so that the service cannot serve requests
   * during the shutdown delay.
   */
  isAsked: boolean
}

/**
 * A second signal within this time counts as the same signal, because npm forwards the signal that the whole process
 * group has already received.
 */
const SAME_SIGNAL_MS = 1_000

/** Returns a promise that resolves at the first signal to stop. A second signal ends the process at once. */
function onStopSignal(): Promise<StopReason> {
  const { promise, resolve } = Promise.withResolvers<StopReason>()
  let firstAt: number | undefined
  const stop = (): void => {
    firstAt ??= performance.now()
    if (performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(130)
    resolve({ message: 'Stopping: finishing requests and jobs in progress.', code: 0, isAsked: true })
    // Ends the process if its shutdown or its start hangs. The next start cleans up.
    setTimeout(() => process.exit(0), STOP_MS).unref()
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  // SIGHUP means that the terminal was closed. Without this handler, the process would end without stopping PostgreSQL.
  process.on('SIGHUP', stop)
  stopWithStarter(stop)
  return promise
}

/** Tells `scripts/start.ts` that the service is ready, or that it stops intentionally. */
function tellStarter(message: 'ready' | 'stopping'): void {
  // An error is ignored, because the process of `scripts/start.ts` may have ended.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined)
}

/** Stops the service when the process that restarts it has ended. See `scripts/start.ts`. */
function stopWithStarter(stop: () => void): void {
  if (process.channel === undefined) return
  process.once('disconnect', stop)
  process.channel?.unref()
}

/** Resolves when another process has taken over the data folder. */
async function untilLost({ embedded }: DatabaseServer): Promise<StopReason> {
  if (embedded === undefined) return new Promise(() => undefined)
  const { message } = await embedded.lost
  return { message, code: 1, isAsked: false }
}
