import type { Kysely, Transaction } from 'kysely'
import pg from 'pg'
import type { Debts } from '../concurrency/request-context.ts'
import type { Log } from '../telemetry/log.ts'
import { type ConnectionGate, createConnectionGate } from './admission/connection-gate.ts'
import { createDebts } from './admission/debts.ts'
import type { TransferBudgets, TransferUse } from './admission/transfer-budgets.ts'
import { withCallersStack } from './connections/callers-stack.ts'
import { createDialect } from './connections/dialect.ts'
import { PreparingClient } from './connections/preparing-client.ts'
import { SESSION_TIMEOUTS } from './connections/session-timeouts.ts'
import { createSlowStatements, type SlowStatements } from './connections/slow-statements.ts'
import { Database } from './database.ts'
import type { DB } from './schema.generated.ts'

export { createTransferBudgets, type TransferBudgets, transferRates } from './admission/transfer-budgets.ts'
export { plannedEachTime } from './connections/preparing-client.ts'

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
   * Opens a second pool on the same database without a pooler, with one connection by default. Used for LISTEN, which
   * occupies its connection, and for work that takes minutes. Either would take connections of the main pool away from
   * requests.
   */
  openApart(settings?: PoolSettings): DatabasePool
  /** Opens a second pool that reaches the database as the main pool does: through the pooler, if there is one. */
  openBeside(settings?: PoolSettings): DatabasePool
  /** The debts of callers to the budgets of the pool. Undefined: it has none. */
  debts: Debts | undefined
  /** Counts the connections of this pool, and the requests that wait for one. */
  load(): PoolLoad
  close(): Promise<void>
}

export interface PoolLoad {
  busy: number
  idle: number
  waiting: number
  /** Statements since the start that took `PLATEN_SLOW_STATEMENT_MS` or more. */
  slowStatements: number
  /** Requests since the start that got no connection in time. */
  timeouts: number
  /** What callers with a budget have moved. Undefined: none has one. */
  transfers: TransferUse | undefined
}

/** int8 columns contain counts and minor units of money, which are far below 2^53. They are read as numbers. */
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new Error(`int8 value ${text} is beyond the safe integers`)
  return value
})

export interface PoolSettings extends pg.PoolConfig {
  /**
   * How to connect without the pooler that these settings connect to. LISTEN, migrations and other work that needs one
   * session use it. If undefined, there is no pooler.
   */
  direct?: pg.PoolConfig | undefined
  /** Whether connections keep prepared statements. Default: true. */
  prepares?: boolean | undefined
  /** Statements that take this time are logged. Undefined or 0: none is. */
  slowStatementMs?: number | undefined
  /** Limits the bytes that the statements of requests may move. Undefined: any number. */
  budgets?: TransferBudgets | undefined
}

/** Returns the settings of connections that reach the database without a pooler. */
export function withoutPooler({ direct, ...settings }: PoolSettings): PoolSettings {
  return direct ?? settings
}

const CONNECTION_TIMEOUT_MS = 5_000

/**
 * Opens a pool. A statement fails if it gets no connection within 5 s, waits for a lock for 5 s or runs for 30 s. The
 * response to the request is then 503.
 */
export function openDatabase({ direct, slowStatementMs, budgets, ...settings }: PoolSettings, log: Log): DatabasePool {
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
    // A pooler shares the sessions of the server, so a client cannot set their timeouts. The role has them: see
    // `connections/session-timeouts.ts`.
    ...(direct === undefined ? SESSION_TIMEOUTS : {}),
    application_name: 'platen',
    ...settings,
  })
  // Without a listener, an idle connection that breaks would end the process. Only the message is logged, because the
  // error contains the whole client.
  let isClosing = false
  pool.on('error', ({ message }) => {
    // The server may end a connection before the pool has closed it.
    if (!isClosing) log.warn({ reason: message }, 'an idle database connection broke')
  })
  pool.on('connect', (client) => client.on('error', () => undefined))
  const gate = createConnectionGate({ max, timeoutMs, budgets })
  const slow = createSlowStatements({ log, thresholdMs: slowStatementMs })
  measureQueries(pool, slow)
  const db = new Database({ dialect: createDialect(pool, gate, slow) })
  return {
    db,
    reads: behindGate(pool, gate, slow),
    pool,
    openApart: (own) => openDatabase({ ...(direct ?? settings), max: 1, ...own }, log),
    openBeside: (own) => openDatabase({ direct, slowStatementMs, ...settings, max: 1, ...own }, log),
    debts: budgets === undefined ? undefined : createDebts(budgets, timeoutMs),
    load: () => ({
      busy: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: gate.waiting() + pool.waitingCount,
      slowStatements: slow.count(),
      timeouts: gate.timeouts(),
      transfers: budgets?.use,
    }),
    close: async () => {
      isClosing = true
      await db.destroy()
      // Kysely ends the pool only if it has run a statement.
      if (!pool.ended && !pool.ending) await pool.end()
    },
  }
}

/** Measures the statements that take a connection of the pool for themselves. The dialect measures all others. */
function measureQueries(pool: pg.Pool, slow: SlowStatements): void {
  const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<pg.QueryResult>
  const measured = (...args: unknown[]): Promise<pg.QueryResult> => {
    if (typeof args.at(-1) === 'function') return query(...args)
    const [first] = args
    const text = typeof first === 'string' ? first : (first as pg.QueryConfig).text
    return slow.measure(text, () => query(...args))
  }
  pool.query = measured as pg.Pool['query']
}

function behindGate(pool: pg.Pool, gate: ConnectionGate, slow: SlowStatements): Pick<pg.Pool, 'query'> {
  const run = (config: pg.QueryConfig): Promise<pg.QueryResult> => {
    const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult>()
    gate.enterRead((leave) => {
      const end = slow.begin(config.text)
      pool.query(config, (error: Error | null, result) => {
        leave()
        end?.()
        if (error) reject(error)
        else resolve(result)
      })
    }, reject)
    return promise
  }
  const query = (config: pg.QueryConfig): Promise<pg.QueryResult> => withCallersStack(run(config))
  return { query: query as pg.Pool['query'] }
}
