import { createService, type Service } from '../app.ts'
import { type Config, ConfigError, readConfig } from '../config.ts'
import { releaseAbandonedDesigns } from '../designs/index.ts'
import { releaseLeftPayments } from '../orders/index.ts'
import { systemClock } from '../platform/clock.ts'
import { type DatabasePool, openDatabase } from '../platform/db/index.ts'
import { migrate } from '../platform/db/migrate.ts'
import { releaseReservedKeys } from '../platform/http/idempotency.ts'
import { isLoopbackName } from '../platform/http/operations.ts'
import { releaseLeftJobs } from '../platform/jobs.ts'
import { createLog, type Log } from '../platform/log.ts'
import { releaseLeftReservations } from '../platform/storage/index.ts'
import { releaseLeftDeliveries } from '../webhooks/index.ts'
import { prepareFirstStart } from './first-start.ts'
import { closeStorehouse, isDoneWithin, migrateStorehouse, openStorehouse, type Storehouse } from './storehouse.ts'
import { say } from './terminal.ts'

/**
 * The whole stop, from the signal to the end of the process: what systemd, Kubernetes and others grant by default.
 * Requests, streams and jobs may take what is left of it after the delay and the time to close the rest.
 */
const STOP_MS = 29_000
/** For what is closed after requests and jobs have ended, and, within it, for the database. */
const CLOSE_REST_MS = 10_000
const CLOSE_DATABASE_MS = 7_000

/** Runs the service until it is told to stop (SIGTERM or SIGINT). Returns the exit code. */
export async function serve(config: Config): Promise<number> {
  const delayMs = config.shutdownDelaySeconds * 1_000
  return runUntilStopped(config, delayMs, async ({ service, database, storehouse, log }) => {
    await prepareFirstStart(config, database, systemClock, say)
    // Nobody else works on the embedded database: whatever is half-way there, a killed process left.
    if (storehouse.embedded !== undefined) {
      await releaseLeftJobs(database.db)
      await releaseReservedKeys(database.db)
      await releaseLeftPayments(database.db, systemClock.now())
      await releaseLeftDeliveries(database.db, systemClock.now())
      await releaseLeftReservations(database.db)
      await releaseAbandonedDesigns(service.parts.designs, { alone: true })
      await service.parts.storage.clearWorkDirs()
    }
    const address = await listen(service, config)
    announce(config, address)
    tellStarter('ready')
    service.startJobs()
    // The first save and the first drawing would otherwise wait a second for a process and its fonts.
    const { checker, renderer } = service.parts
    checker
      .warmUp()
      .catch((error: unknown) => log.warn({ err: error }, 'no checking process started yet'))
      .then(() => renderer.warmUp())
      .catch((error: unknown) => log.warn({ err: error }, 'no drawing process started yet'))
  })
}

/** Runs jobs only. Returns the exit code. */
export async function work(config: Config): Promise<number> {
  if (config.databaseUrl === undefined) {
    throw new ConfigError(
      'PLATEN_DATABASE_URL',
      'is not set. On the embedded database the service does the jobs itself.',
    )
  }
  // Nothing is balanced between processes that only run jobs.
  return runUntilStopped(config, 0, async ({ service }) => {
    service.startJobs()
    say('Working off jobs.')
  })
}

/** Brings the database to this version's schema. */
export async function migrateOnly(): Promise<number> {
  const config = readConfig()
  const log = createLog({ level: 'info', destination: process.stderr })
  await migrateStorehouse(config, log)
  say('The database is up to date.')
  return 0
}

interface Running {
  service: Service
  database: DatabasePool
  storehouse: Storehouse
  log: Log
}

/** Puts a service together on an open, migrated database, and takes both apart when it is to stop or cannot begin. */
async function runUntilStopped(
  config: Config,
  delayMs: number,
  begin: (running: Running) => Promise<void>,
): Promise<number> {
  const log = createLog({ level: config.logLevel, destination: process.stderr })
  // From the first moment: a start that is interrupted must not leave PostgreSQL behind.
  const stopAsked = onStopSignal()
  if (config.databaseUrl === undefined) say(`Starting PostgreSQL in ${config.dataDir}`)
  const storehouse = await openStorehouse(config, log)
  const database = openDatabase({ ...storehouse.poolConfig, max: config.databasePool }, log)
  let service: Service | undefined
  let closedInTime = true
  let reason: StopReason | undefined
  try {
    await migrate(storehouse.poolConfig, log)
    service = await createService({ config, log, clock: systemClock, database })
    await begin({ service, database, storehouse, log })
    reason = await Promise.race([stopAsked, untilLost(storehouse)])
    tellStarter('stopping')
    say(reason.message)
  } finally {
    if (service !== undefined) closedInTime = await closeService(service, reason?.isAsked === true ? delayMs : 0)
    await closeStorehouse(storehouse, database)
  }
  const { code } = reason
  if (!closedInTime) process.exit(code)
  // What was cut off, such as a job that hangs, may keep the process running.
  setTimeout(() => process.exit(code), 1_000).unref()
  return code
}

/** Returns whether everything ended in time. */
function closeService(service: Service, delayMs: number): Promise<boolean> {
  const withinMs = STOP_MS - CLOSE_REST_MS - delayMs
  return isDoneWithin(STOP_MS - CLOSE_DATABASE_MS, service.close({ delayMs, withinMs }))
}

async function listen(service: Service, config: Config): Promise<string> {
  try {
    return await service.listen()
  } catch (error) {
    const { code, port } = error as NodeJS.ErrnoException & { port?: number }
    const variable = port === config.metricsPort ? 'PLATEN_METRICS_PORT' : 'PLATEN_PORT'
    if (code === 'EADDRINUSE')
      throw new ConfigError(variable, `is ${port}, which another program uses. Choose another port.`)
    if (code === 'EACCES')
      throw new ConfigError(variable, `is ${port}, which this user may not open. Choose one above 1023.`)
    if (code === 'EADDRNOTAVAIL')
      throw new ConfigError('PLATEN_HOST', `is ${config.host}, which is not an address of this machine.`)
    throw error
  }
}

function announce(config: Config, address: string): void {
  say(`Platen answers at ${address} (API: ${config.origin}/v1)`)
  if (!config.production && config.smtpUrl === undefined) {
    const isReadable = isLoopbackName(new URL(config.origin).hostname)
    say(
      isReadable
        ? `Mails are not sent; read them at ${address}/dev/outbox`
        : 'Mails are not sent: set PLATEN_SMTP_URL.',
    )
  }
  say('Press Ctrl-C to stop.')
}

interface StopReason {
  message: string
  code: number
  /** Whether the service could go on for a while. */
  isAsked: boolean
}

/** What comes so soon after a signal is the same one: npm passes on what the group of processes was sent as a whole. */
const SAME_SIGNAL_MS = 1_000

/** Fulfilled with the signal to stop. A second signal ends the process at once. */
function onStopSignal(): Promise<StopReason> {
  const { promise, resolve } = Promise.withResolvers<StopReason>()
  let firstAt: number | undefined
  const stop = (): void => {
    firstAt ??= performance.now()
    if (performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(130)
    resolve({ message: 'Stopping: finishing what is in flight.', code: 0, isAsked: true })
    // Whatever hangs, also in a start: the next start takes over what this one leaves.
    setTimeout(() => process.exit(0), STOP_MS).unref()
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  stopWithStarter(stop)
  return promise
}

/** Tells scripts/start.ts that the service answers, or that it ends for a reason of its own. */
function tellStarter(message: 'ready' | 'stopping'): void {
  // The starter may be gone, which is then why this process stops.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined)
}

/** Stops when the process that started this one and would start it again is gone: see scripts/start.ts. */
function stopWithStarter(stop: () => void): void {
  if (process.channel === undefined) return
  process.once('disconnect', stop)
  // The channel alone does not keep the process running.
  process.channel?.unref()
}

/** Fulfilled when the database folder was taken by somebody else. */
async function untilLost({ embedded }: Storehouse): Promise<StopReason> {
  if (embedded === undefined) return new Promise(() => undefined)
  const { message } = await embedded.lost
  return { message, code: 1, isAsked: false }
}
