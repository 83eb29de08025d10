import { setTimeout as delay } from 'node:timers/promises'
import { bringUp, claimAgain, type Running, type SupervisorLog } from './bring-up.ts'
import { DATABASE, SERVICE_ROLE } from './claim.ts'
import { ensureCluster } from './cluster.ts'
import { requireNotMoved } from './moved-database.ts'
import { type StopPatience, stopServer } from './postmaster.ts'
import type { Binaries } from './programs/binaries.ts'
import { EmbeddedPostgresError } from './programs/errors.ts'
import { maintainSite, prepareSite, releaseSite, type Site, SOCKET_PORT } from './site.ts'
import { requireFinished } from './unfinished-restore.ts'

export type EmbeddedPostgresOptions = {
  /**
   * The data folder of the service. PostgreSQL stores its files in `postgres` and its messages in `postgres.log` in
   * this folder.
   */
  dataDir: string
  log: SupervisorLog
  /** The size of the connection pool of the service. The server accepts more connections than this. */
  poolSize?: number
  /** Folder to which the server archives its write-ahead log. Undefined: it does not archive. */
  walArchive?: string | undefined
  /** Whether the server is for a command. Its changes become part of the archived log, which no command begins or ends. */
  isForCommand?: boolean
  /** Programs to use instead of the installed ones. */
  binaries?: Binaries
  /**
   * Makes the server faster but lets it lose data in a crash of the computer. Also lets the role of the service create
   * databases.
   */
  unsafeForTests?: boolean
}

export type EmbeddedPoolConfig = Readonly<{
  host: string
  port: number
  user: string
  database: string
  ssl: false
}>

/** A PostgreSQL server that is restarted whenever it ends, until it is stopped. */
export type EmbeddedPostgres = Readonly<{
  poolConfig: EmbeddedPoolConfig
  /** The same settings as a URL, for programs that need one. */
  connectionString: string
  isNew: boolean
  /** False while the server restarts. */
  isUp: () => boolean
  /** The process id of the server, which changes with every restart. */
  pid: () => number
  /** Resolves when another service has taken the data folder. This service must then end. */
  lost: Promise<EmbeddedPostgresError>
  /** Stops the server. Call this function after closing the pools. A second call has no effect. */
  stop: (patience?: StopPatience) => Promise<void>
}>

const MIN_CONNECTIONS = 60
/**
 * Connections of the server in addition to the pool: for jobs and LISTEN, the readiness check, a migration, a command
 * next to the service, and the superuser.
 */
const BESIDE_POOL = 30
/** Connections of a test server. Test files run in parallel on one server, each with its own services. */
const TEST_CONNECTIONS = 300

const FIRST_BACKOFF_MS = 100
const MAX_BACKOFF_MS = 10_000
const STABLE_AFTER_MS = 60_000
const MAINTENANCE_EVERY_MS = 60 * 60 * 1000

/**
 * Starts PostgreSQL on a data folder and creates its database at the first start. Restarts the server whenever it ends,
 * until `stop` is called. Until then the folder is claimed, and a second start on the folder is rejected.
 *
 * @throws EmbeddedPostgresError with the reason and a remedy for the operator
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDir, walArchive, isForCommand = false, log, binaries, poolSize = 0, unsafeForTests = false } = options
  const maxConnections = unsafeForTests ? TEST_CONNECTIONS : Math.max(MIN_CONNECTIONS, poolSize + BESIDE_POOL)
  const settings = { dataDir, walArchive, isForCommand, binaries, maxConnections, unsafeForTests }
  const site = await explaining(dataDir, () => prepareSite(settings))
  try {
    return await explaining(dataDir, async () => {
      await requireFinished(dataDir)
      await requireNotMoved(dataDir)
      const isNew = await ensureCluster(site.cluster, site.binaries, site.launch, { sync: !unsafeForTests })
      const running = await bringUp(site, log)
      await requireStillOurs(dataDir, running)
      return supervise(site, log, isNew, running)
    })
  } catch (error) {
    await releaseSite(site)
    throw error
  }
}

/** Stops the server if `platen database move` has ended between the first check and the claim of the folder. */
async function requireStillOurs(dataDir: string, { claim, postmaster }: Running): Promise<void> {
  try {
    await requireNotMoved(dataDir)
  } catch (error) {
    await claim.release().catch(() => undefined)
    await stopServer(postmaster.pid)
    throw error
  }
}

/** Turns errors of the file system into an error that names the data folder and the cause. */
async function explaining<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) throw error
    throw new EmbeddedPostgresError(
      'not_accessible',
      `The data folder ${dataDir} cannot be used: ${error instanceof Error ? error.message : error}. Correct that, or set ` +
        'PLATEN_DATA_DIR to a folder that this user can write to.',
      { cause: error },
    )
  }
}

function supervise(site: Site, log: SupervisorLog, isNew: boolean, first: Running): EmbeddedPostgres {
  const stopAsked = Promise.withResolvers<'stop'>()
  let stopPatience: StopPatience | undefined
  const lost = Promise.withResolvers<EmbeddedPostgresError>()
  let running: Running | undefined = first
  let pid = first.postmaster.pid

  /**
   * Waits for the next event and handles it. Returns the server that runs afterwards, or undefined if the supervisor
   * has ended.
   */
  async function step({ postmaster, claim }: Running): Promise<Running | undefined> {
    const ended = postmaster.ended.then((reason) => ({ reason }))
    const dropped = claim.dropped.then(() => 'dropped' as const)
    const event = await Promise.race([ended, dropped, stopAsked.promise])
    if (event === 'stop') {
      await claim.release().catch(() => undefined)
      await stopServer(postmaster.pid, stopPatience)
      return undefined
    }
    running = undefined
    if (event === 'dropped') {
      const renewed = await claimAgain(site, postmaster)
      if (renewed !== undefined) return { postmaster, claim: renewed }
    }
    log.error({ reason: await postmaster.ended }, 'PostgreSQL ended unexpectedly and is being restarted')
    return restart()
  }

  async function restart(): Promise<Running | undefined> {
    for (;;) {
      const wait = delay(backoffMs, undefined, { ref: false })
      if ((await Promise.race([wait, stopAsked.promise])) === 'stop') return undefined
      backoffMs = Math.min(backoffMs * 2, MAX_BACKOFF_MS)
      try {
        const restarted = await bringUp(site, log)
        log.info({ pid: restarted.postmaster.pid }, 'PostgreSQL was restarted')
        return restarted
      } catch (error) {
        if (error instanceof EmbeddedPostgresError && error.code === 'in_use') throw error
        log.error({ err: error }, 'PostgreSQL could not be restarted; the service will try again')
      }
    }
  }

  let backoffMs = FIRST_BACKOFF_MS
  async function run(): Promise<void> {
    for (let next: Running | undefined = first; next !== undefined; ) {
      running = next
      pid = next.postmaster.pid
      next.claim.letProcessEnd()
      const startedAt = performance.now()
      next = await step(next)
      if (performance.now() - startedAt > STABLE_AFTER_MS) backoffMs = FIRST_BACKOFF_MS
    }
  }

  const maintenance = setInterval(() => {
    maintainSite(site).catch((error: unknown) =>
      log.warn({ err: error }, 'the maintenance of the PostgreSQL files failed'),
    )
  }, MAINTENANCE_EVERY_MS).unref()

  const finished = run()
    .catch((error: unknown) => {
      const reason = error instanceof EmbeddedPostgresError ? error : unexpected(error)
      log.error({ err: reason }, 'this service has lost the data folder')
      lost.resolve(reason)
    })
    .finally(async () => {
      running = undefined
      clearInterval(maintenance)
      await releaseSite(site)
    })

  return {
    ...addressOf(site),
    isNew,
    isUp: () => running !== undefined,
    pid: () => pid,
    lost: lost.promise,
    stop: (patience) => {
      stopPatience ??= patience
      stopAsked.resolve('stop')
      return finished
    },
  }
}

function unexpected(error: unknown): EmbeddedPostgresError {
  return new EmbeddedPostgresError('start_failed', 'The supervision of PostgreSQL failed.', { cause: error })
}

export function addressOf({
  socketFolder,
}: Pick<Site, 'socketFolder'>): Pick<EmbeddedPostgres, 'poolConfig' | 'connectionString'> {
  const query = new URLSearchParams({ host: socketFolder, port: String(SOCKET_PORT), sslmode: 'disable' })
  return {
    poolConfig: { host: socketFolder, port: SOCKET_PORT, user: SERVICE_ROLE, database: DATABASE, ssl: false },
    connectionString: `postgresql://${SERVICE_ROLE}@/${DATABASE}?${query}`,
  }
}
