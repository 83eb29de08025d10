import type { Kysely, Transaction } from 'kysely'
import pg from 'pg'
import type { Log } from '../log.ts'
import { type ConnectionGate, createConnectionGate } from './connection-gate.ts'
import { Database } from './database.ts'
import { createDialect } from './dialect.ts'
import { PreparingClient } from './preparing-client.ts'
import type { DB } from './schema.generated.ts'

export { plannedEachTime } from './preparing-client.ts'

/** The database or a transaction on it. Query functions take one of them as their first parameter. */
export type Db = Kysely<DB>
export type Trx = Transaction<DB>

export interface DatabasePool {
  db: Db
  /**
   * Runs reads as prepared statements, without the overhead of Kysely. Shares connections fairly among accounts, as
   * `db` does.
   */
  reads: Pick<pg.Pool, 'query'>
  /**
   * The same pool without the gate: neither the shares of accounts nor the reserve for reads apply. Used for look-ups
   * by key before the account is known, and for jobs.
   */
  pool: pg.Pool
  /**
   * Opens a second pool on the same database, with one connection by default. Used for LISTEN, which occupies its
   * connection, and for work that takes minutes. Either would take connections of the main pool away from requests.
   */
  openApart(settings?: PoolSettings): DatabasePool
  close(): Promise<void>
}

/** int8 columns contain counts and minor units of money, which are far below 2^53. They are read as numbers. */
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new Error(`int8 value ${text} is beyond the safe integers`)
  return value
})

export type PoolSettings = pg.PoolConfig

const CONNECTION_TIMEOUT_MS = 5_000

/**
 * Shorter than the timeout of a statement, so that a client does not wait 30 s for a lock that another transaction
 * holds.
 */
const LOCK_TIMEOUT_MS = 5_000

/**
 * Opens a pool. A statement fails if it gets no connection within 5 s, waits for a lock for 5 s or runs for 30 s. The
 * response to the request is then 503.
 */
export function openDatabase(settings: PoolSettings, log: Log): DatabasePool {
  const max = settings.max ?? 10
  const timeoutMs = settings.connectionTimeoutMillis ?? CONNECTION_TIMEOUT_MS
  const pool = new pg.Pool({
    Client: PreparingClient,
    max,
    connectionTimeoutMillis: timeoutMs,
    idleTimeoutMillis: 60_000,
    // Closes connections after this time. This frees memory of the server, above all plans, including plans from before
    // a migration.
    maxLifetimeSeconds: 300,
    statement_timeout: 30_000,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: 30_000,
    application_name: 'platen',
    ...settings,
  })
  // Without a listener, an idle connection that breaks would end the process. Only the message is logged, because the
  // error contains the whole client.
  pool.on('error', ({ message }) => log.warn({ reason: message }, 'an idle database connection broke'))
  pool.on('connect', (client) => client.on('error', () => undefined))
  const gate = createConnectionGate({ max, timeoutMs })
  const db = new Database({ dialect: createDialect(pool, gate) })
  return {
    db,
    reads: behindGate(pool, gate),
    pool,
    openApart: (own) => openDatabase({ ...settings, max: 1, ...own }, log),
    close: () => db.destroy(),
  }
}

function behindGate(pool: pg.Pool, gate: ConnectionGate): Pick<pg.Pool, 'query'> {
  const query = async (config: pg.QueryConfig): Promise<pg.QueryResult> => {
    const leave = await gate.enter(false)
    try {
      return await pool.query(config)
    } finally {
      leave()
    }
  }
  return { query: query as pg.Pool['query'] }
}
