import { mkdir } from 'node:fs/promises'
import pg from 'pg'
import { type Config, ConfigError } from '../config.ts'
import { type DatabasePool, openDatabase } from '../platform/db/index.ts'
import { findSchemaMismatch, migrate } from '../platform/db/migrate.ts'
import type { Log } from '../platform/log.ts'
import {
  attachToEmbeddedPostgres,
  type EmbeddedPostgres,
  EmbeddedPostgresError,
  hasEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../platform/postgres/index.ts'
import { UsageError } from './usage-error.ts'

/** The pool waits for connections that are in use; PostgreSQL ends them, when it is ours. */
const CLOSE_DATABASE_MS = 5_000

/** Where the data is. */
export interface Storehouse {
  /** The PostgreSQL that this process runs, if it does. */
  embedded: EmbeddedPostgres | undefined
  poolConfig: pg.PoolConfig
}

/** Makes the data folder, and reaches the database that was named or starts the embedded one. */
export async function openStorehouse(config: Config, log: Log): Promise<Storehouse> {
  await makeDataDir(config)
  if (config.databaseUrl !== undefined) return { embedded: undefined, poolConfig: await reach(config.databaseUrl) }
  const embedded = await startEmbeddedPostgres({ dataDir: config.dataDir, poolSize: config.databasePool, log })
  return { embedded, poolConfig: embedded.poolConfig }
}

/** Closes the pool and stops the embedded PostgreSQL, within about 7 s. */
export async function closeStorehouse({ embedded }: Storehouse, database: DatabasePool): Promise<void> {
  await isDoneWithin(1_000, database.close())
  if (embedded !== undefined) await isDoneWithin(6_000, embedded.stop({ fastMs: 4_000, immediateMs: 1_000 }))
}

/** The database as a command uses it that does its work and ends. */
export interface CommandDatabase {
  database: DatabasePool
  close(): Promise<void>
}

/**
 * Opens the database for a command. On the embedded database the service may run meanwhile: then its PostgreSQL is used,
 * otherwise it is started for as long as the command takes.
 *
 * @throws {UsageError} when the database has not the schema of this version. A command that looks something up, or is
 *   run from the folder of another version by mistake, must not change it under a service that runs
 */
export async function openForCommand(config: Config, log: Log): Promise<CommandDatabase> {
  if (config.databaseUrl === undefined && !(await hasEmbeddedPostgres(config.dataDir))) {
    throw new UsageError(
      `There is no database in ${config.dataDir} yet. Start the service there first, name its folder with ` +
        'PLATEN_DATA_DIR, or its database with PLATEN_DATABASE_URL.',
    )
  }
  const { poolConfig, end } = await reachForCommand(config, log)
  try {
    const mismatch = await findSchemaMismatch(poolConfig)
    if (mismatch !== undefined) throw new UsageError(mismatch)
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

/** Brings the database to this version's schema, after making it where there is none. */
export async function migrateStorehouse(config: Config, log: Log): Promise<void> {
  const { poolConfig, end } = await reachForCommand(config, log)
  try {
    await migrate(poolConfig, log)
  } finally {
    await end()
  }
}

interface Reached {
  poolConfig: pg.PoolConfig
  end(): Promise<void>
}

async function reachForCommand(config: Config, log: Log): Promise<Reached> {
  if (config.databaseUrl !== undefined) {
    return { poolConfig: await reach(config.databaseUrl), end: async () => undefined }
  }
  const attached = await attach(config)
  if (attached !== undefined) return attached
  try {
    const { poolConfig, embedded } = await openStorehouse(config, log)
    return { poolConfig, end: async () => embedded?.stop() }
  } catch (error) {
    // The service was started since we looked.
    const isTaken = error instanceof EmbeddedPostgresError && error.code === 'in_use'
    const served = isTaken ? await attach(config) : undefined
    if (served === undefined) throw error
    return served
  }
}

async function attach({ dataDir }: Config): Promise<Reached | undefined> {
  const attached = await attachToEmbeddedPostgres(dataDir)
  return attached && { poolConfig: attached.poolConfig, end: attached.detach }
}

async function makeDataDir({ dataDir }: Config): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o711 }).catch((error: Error) => {
    throw new ConfigError('PLATEN_DATA_DIR', `is ${dataDir}, which cannot be created: ${error.message}`)
  })
}

/** @throws {ConfigError} when there is no database at this address */
async function reach(connectionString: string): Promise<pg.PoolConfig> {
  try {
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000 })
    await client.connect()
    await client.end()
  } catch (error) {
    throw new ConfigError('PLATEN_DATABASE_URL', `names a database that cannot be reached: ${(error as Error).message}`)
  }
  return { connectionString }
}

/** Waits for some work, but no longer than this. Returns whether it ended in time. */
export async function isDoneWithin(ms: number, work: Promise<void>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), ms)
  try {
    return await Promise.race([work.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}
