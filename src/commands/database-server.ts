import { mkdir } from 'node:fs/promises'
import pTimeout from 'p-timeout'
import pg from 'pg'
import { type Config, ConfigError, readConfig } from '../config/index.ts'
import { type Clock, systemClock } from '../platform/clock.ts'
import { type DatabasePool, openDatabase, type PoolSettings, withoutPooler } from '../platform/db/index.ts'
import { findSchemaMismatch, migrate } from '../platform/db/migrations/migrate.ts'
import { countWaiting } from '../platform/postgres/archive/log-folder.ts'
import {
  attachToEmbeddedPostgres,
  clusterFolder,
  type EmbeddedPostgres,
  EmbeddedPostgresError,
  hasEmbeddedPostgres,
  requireNotMoved,
  startEmbeddedPostgres,
} from '../platform/postgres/index.ts'
import { createLog, type Log } from '../platform/telemetry/log.ts'
import { CommandError } from './command-line/command-error.ts'
import { connectionsOf } from './processes/connections.ts'

const CLOSE_DATABASE_MS = 5_000
/** Updates return the values before them, which earlier versions of PostgreSQL cannot. */
const LEAST_MAJOR = 18

export interface DatabaseServer {
  /**
   * The embedded PostgreSQL. Undefined if `PLATEN_DATABASE_URL` is set, because this process does not manage that
   * server.
   */
  embedded: EmbeddedPostgres | undefined
  poolConfig: PoolSettings
  /** The data folder, if its database archives its write-ahead log. */
  archivedDir?: string | undefined
}

/**
 * Creates the data folder. Then it checks the connection to the configured database, or starts the embedded PostgreSQL.
 */
export async function openDatabaseServer(
  config: Config,
  log: Log,
  { isForCommand = false } = {},
): Promise<DatabaseServer> {
  await makeDataDir(config)
  if (config.databaseUrl !== undefined)
    return { embedded: undefined, poolConfig: await connectToOwn(config, config.databaseUrl) }
  const { dataDir, walArchive } = config
  const embedded = await startEmbeddedPostgres({
    ...{ dataDir, walArchive, isForCommand },
    ...{ poolSize: connectionsOf(config), log },
  })
  const archivedDir = walArchive === undefined ? undefined : dataDir
  return { embedded, poolConfig: embedded.poolConfig, archivedDir }
}

/** PostgreSQL archives what waits before it ends. If it is stopped earlier, it loses its statistics. */
const ARCHIVE_MS = 20_000
const FAST_MS = 4_000
/** Time for closing the pool, and for ending PostgreSQL if it does not stop by itself. */
const OTHER_MS = 3_000

/**
 * Closes the pool and stops the embedded PostgreSQL, within about 7 s, or 23 s if it archives. Returns how many segments
 * of the write-ahead log were not archived.
 *
 * @param leftMs time until the process must end
 */
export async function closeDatabaseServer(
  { embedded, archivedDir }: DatabaseServer,
  database: Pick<DatabasePool, 'close'>,
  leftMs = Number.POSITIVE_INFINITY,
): Promise<number> {
  await isDoneWithin(1_000, database.close())
  if (embedded === undefined) return 0
  const archiveMs = Math.max(FAST_MS, Math.min(ARCHIVE_MS, leftMs - OTHER_MS))
  const fastMs = archivedDir === undefined ? FAST_MS : archiveMs
  await isDoneWithin(fastMs + 2_000, embedded.stop({ fastMs, immediateMs: 1_000 }))
  return archivedDir === undefined ? 0 : countWaiting(clusterFolder(archivedDir)).catch(() => 0)
}

/** What a command gets that works on the database. */
export interface CommandContext {
  config: Config
  log: Log
  clock: Clock
  database: DatabasePool
}

/**
 * Runs a command on the database. If the service is running on the embedded PostgreSQL, the command connects to that
 * server. Otherwise the command starts PostgreSQL and stops it at the end.
 *
 * @throws {ConfigError} for an invalid setting
 * @throws {CommandError} if no database exists, or if its schema belongs to another version. A command never migrates,
 * because a service of another version may be running.
 */
export async function withDatabase<T>(work: (context: CommandContext) => Promise<T>): Promise<T> {
  const config = readConfig()
  const log = createLog({ level: config.logLevel, destination: process.stderr })
  const { database, close } = await openCommandDatabase(config, log)
  try {
    return await work({ config, log, clock: systemClock, database })
  } finally {
    await close()
  }
}

async function openCommandDatabase(
  config: Config,
  log: Log,
): Promise<{ database: DatabasePool; close(): Promise<void> }> {
  if (config.databaseUrl === undefined) await requireDatabase(config)
  const { poolConfig, end } = await connectForCommand(config, log)
  try {
    const mismatch = await findSchemaMismatch(poolConfig)
    if (mismatch !== undefined) throw new CommandError(mismatch)
  } catch (error) {
    await end()
    throw error
  }
  const database = openDatabase({ ...poolConfig, max: 4 }, log)
  return {
    database,
    close: async () => {
      await isDoneWithin(CLOSE_DATABASE_MS, database.close())
      await end()
    },
  }
}

async function requireDatabase({ dataDir }: Config): Promise<void> {
  await requireNotMoved(dataDir)
  if (await hasEmbeddedPostgres(dataDir)) return
  throw new CommandError(
    `The folder ${dataDir} contains no database yet. Start the service once, or set PLATEN_DATA_DIR or ` +
      'PLATEN_DATABASE_URL to an existing database.',
  )
}

/** Migrates the database. If no database exists, creates the embedded one. */
export async function migrateDatabase(config: Config, log: Log): Promise<void> {
  const { poolConfig, end } = await connectForCommand(config, log)
  try {
    await migrate(poolConfig, log)
  } finally {
    await end()
  }
}

interface Connection {
  poolConfig: pg.PoolConfig
  end(): Promise<void>
}

/** Connects to the configured database, or to the embedded one, which is started if no service runs it. */
export async function connectForCommand(config: Config, log: Log): Promise<Connection> {
  if (config.databaseUrl !== undefined) {
    const poolConfig = withoutPooler(await connectToOwn(config, config.databaseUrl))
    return { poolConfig, end: async () => undefined }
  }
  const attached = await attach(config)
  if (attached !== undefined) return attached
  try {
    const { poolConfig, embedded } = await openDatabaseServer(config, log, { isForCommand: true })
    return { poolConfig, end: async () => embedded?.stop() }
  } catch (error) {
    // The service may have started after `attach` found no server.
    const isTaken = error instanceof EmbeddedPostgresError && error.code === 'in_use'
    const served = isTaken ? await attach(config) : undefined
    if (served === undefined) throw error
    return served
  }
}

async function attach({ dataDir }: Config): Promise<Connection | undefined> {
  const attached = await attachToEmbeddedPostgres(dataDir)
  return attached && { poolConfig: attached.poolConfig, end: attached.detach }
}

async function makeDataDir({ dataDir }: Config): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o711 }).catch((error: Error) => {
    throw new ConfigError(
      'PLATEN_DATA_DIR',
      `is ${dataDir}, which cannot be created: ${error.message}. Choose another folder.`,
    )
  })
}

/** Connects to the database of the settings. @throws {ConfigError} if a connection to one of the URLs fails */
async function connectToOwn(
  { databaseDirectUrl, databasePrepared }: Config,
  databaseUrl: string,
): Promise<PoolSettings> {
  await checkConnection('PLATEN_DATABASE_URL', databaseUrl)
  const settings = { connectionString: databaseUrl, prepares: databasePrepared }
  if (databaseDirectUrl === undefined) return settings
  await checkConnection('PLATEN_DATABASE_DIRECT_URL', databaseDirectUrl)
  return { ...settings, direct: { connectionString: databaseDirectUrl } }
}

/** Checks that the database can be reached. @throws {ConfigError} if it cannot, or if its server is too old */
async function checkConnection(name: string, connectionString: string): Promise<void> {
  const major = await readMajor(connectionString).catch((error: Error) => {
    throw new ConfigError(
      name,
      `names a database that cannot be reached: ${error.message}. Check the URL and the server.`,
    )
  })
  if (major >= LEAST_MAJOR) return
  throw new ConfigError(name, `names a server of PostgreSQL ${major}. Platen needs PostgreSQL ${LEAST_MAJOR} or later.`)
}

async function readMajor(connectionString: string): Promise<number> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000 })
  try {
    await client.connect()
    const { rows } = await client.query<{ number: string }>("select current_setting('server_version_num') as number")
    return Math.floor(Number(rows[0]?.number) / 10_000)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Waits until a promise settles. Returns false if this takes longer than `ms`. */
export function isDoneWithin(ms: number, work: Promise<void>): Promise<boolean> {
  return pTimeout(
    work.then(() => true),
    { milliseconds: ms, fallback: () => false },
  )
}
