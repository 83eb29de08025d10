import type { Kysely, Transaction } from 'kysely'
import pg from 'pg'
import type { Log } from '../log.ts'
import { type ConnectionGate, createConnectionGate } from './connection-gate.ts'
import { Database } from './database.ts'
import { createDialect } from './dialect.ts'
import { PreparingClient } from './preparing-client.ts'
import type { DB } from './schema.generated.ts'

export { plannedEachTime } from './preparing-client.ts'

/** The database, or a transaction on it: what every query function takes first. */
export type Db = Kysely<DB>
export type Trx = Transaction<DB>

export interface DatabasePool {
  db: Db
  /** Reads by prepared statements, without the cost of Kysely. Accounts take turns, as with `db`. */
  reads: Pick<pg.Pool, 'query'>
  /** The pool itself, for reads by key before the account is known, and for jobs. It keeps no room for anybody. */
  pool: pg.Pool
  /**
   * Opens a second pool on the same database, by default of one connection. For LISTEN, which keeps its connection, and
   * for work that takes minutes: both would take connections of the pool away from requests.
   */
  openApart(settings?: PoolSettings): DatabasePool
  close(): Promise<void>
}

/** int8 columns hold counts and minor units of money, far below 2^53: read as numbers. */
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new Error(`int8 value ${text} is beyond the safe integers`)
  return value
})

export type PoolSettings = pg.PoolConfig

const CONNECTION_TIMEOUT_MS = 5_000

/** Shorter than the statement's time: the holder of a lock that does not let go is no reason to keep a client for 30 s. */
const LOCK_TIMEOUT_MS = 5_000

/**
 * Opens a pool. A statement fails that gets no connection within 5 s, waits for a lock for 5 s or runs for 30 s: a request
 * is then answered 503 instead of waiting for ever.
 */
export function openDatabase(settings: PoolSettings, log: Log): DatabasePool {
  const max = settings.max ?? 10
  const timeoutMs = settings.connectionTimeoutMillis ?? CONNECTION_TIMEOUT_MS
  const pool = new pg.Pool({
    Client: PreparingClient,
    max,
    connectionTimeoutMillis: timeoutMs,
    idleTimeoutMillis: 60_000,
    // Frees what the server keeps for a connection: plans above all, also those from before a migration.
    maxLifetimeSeconds: 300,
    statement_timeout: 30_000,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: 30_000,
    application_name: 'platen',
    ...settings,
  })
  // Without a listener an idle connection that breaks would end the process.
  // The error carries the whole client, which has no place in a log.
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
