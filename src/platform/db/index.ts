import { type Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import type { Log } from '../log.ts'
import { Database } from './database.ts'
import { PreparingClient } from './preparing-client.ts'
import type { DB } from './schema.generated.ts'

export { databaseUnavailable } from './errors.ts'
export { plannedEachTime } from './preparing-client.ts'

/** The database, or a transaction on it: what every query function takes first. */
export type Db = Kysely<DB>
export type Trx = Transaction<DB>

export interface DatabasePool {
  db: Db
  /** The pool below, for prepared statements on hot paths and for LISTEN. */
  pool: pg.Pool
  /** One connection to the same database, for work of minutes: one of the pool would be missing to requests. */
  openApart(): DatabasePool
  close(): Promise<void>
}

/** int8 columns hold counts and minor units of money, far below 2^53: read as numbers. */
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new Error(`int8 value ${text} is beyond the safe integers`)
  return value
})

export type PoolSettings = pg.PoolConfig

/**
 * Opens a pool. A connection that cannot be had within 5 s, and a statement that runs longer than 30 s, fail:
 * a request is then answered 503 instead of waiting for ever.
 */
export function openDatabase(settings: PoolSettings, log: Log): DatabasePool {
  const pool = new pg.Pool({
    Client: PreparingClient,
    max: 10,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    // A statement prepared before another version of the program migrated a table would fail for as long as its connection lives.
    maxLifetimeSeconds: 300,
    statement_timeout: 30_000,
    idle_in_transaction_session_timeout: 30_000,
    application_name: 'platen',
    ...settings,
  })
  // Without a listener an idle connection that breaks would end the process.
  // The error carries the whole client, which has no place in a log.
  pool.on('error', ({ message }) => log.warn({ reason: message }, 'an idle database connection broke'))
  pool.on('connect', (client) => client.on('error', () => undefined))
  const db = new Database({ dialect: new PostgresDialect({ pool }) })
  return { db, pool, openApart: () => openDatabase({ ...settings, max: 1 }, log), close: () => db.destroy() }
}
