import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresDialect,
  PostgresDriver,
  type QueryResult,
} from 'kysely'
import { LRUCache } from 'lru-cache'
import type pg from 'pg'
import { currentSpan, traced } from '../tracing/span.ts'
import type { ConnectionGate } from './connection-gate.ts'
import type { SlowStatements } from './slow-statements.ts'

/**
 * Creates a dialect for PostgreSQL over a pool behind a gate. Statements that may wait for a lock of another
 * transaction never get the connections that are reserved for reads.
 */
export function createDialect(pool: pg.Pool, gate: ConnectionGate, slow: SlowStatements): Dialect {
  const postgres = new PostgresDialect({ pool })
  return {
    createAdapter: () => postgres.createAdapter(),
    createIntrospector: (db) => postgres.createIntrospector(db),
    createQueryCompiler: () => postgres.createQueryCompiler(),
    createDriver: () => createDriver(pool, gate, slow),
  }
}

function createDriver(pool: pg.Pool, gate: ConnectionGate, slow: SlowStatements): Driver {
  const postgres = new PostgresDriver({ pool })
  return {
    init: () => postgres.init(),
    acquireConnection: async () => createLateConnection(postgres, gate, slow),
    beginTransaction: (connection, settings) => postgres.beginTransaction(connection, settings),
    commitTransaction: (connection) => postgres.commitTransaction(connection),
    rollbackTransaction: (connection) => postgres.rollbackTransaction(connection),
    savepoint: (connection, name, compile) => postgres.savepoint(connection, name, compile),
    rollbackToSavepoint: (connection, name, compile) => postgres.rollbackToSavepoint(connection, name, compile),
    releaseSavepoint: (connection, name, compile) => postgres.releaseSavepoint(connection, name, compile),
    releaseConnection: (connection) => (connection as LateConnection).release(),
    destroy: () => postgres.destroy(),
  }
}

interface LateConnection extends DatabaseConnection {
  release(): Promise<void>
}

interface Opened {
  connection: DatabaseConnection
  leave: () => void
}

/**
 * Creates a connection that is taken from the pool when its first statement runs. The first statement determines
 * whether the connection may be one of those reserved for reads.
 */
function createLateConnection(driver: Driver, gate: ConnectionGate, slow: SlowStatements): LateConnection {
  let opened: Promise<Opened> | undefined

  const open = async (text: string): Promise<Opened> => {
    const leave = await gate.enter(mayWaitForLock(text))
    try {
      return { connection: await driver.acquireConnection(), leave }
    } catch (error) {
      leave()
      throw error
    }
  }

  return {
    executeQuery: async <R>(query: CompiledQuery): Promise<QueryResult<R>> => {
      opened ??= open(query.sql)
      const { connection } = await opened
      return tracedStatement(query.sql, () => slow.measure(query.sql, () => connection.executeQuery<R>(query)))
    },
    streamQuery: () => {
      throw new Error('rows are read page by page: see each-row.ts')
    },
    release: async () => {
      // If opening the connection failed, there is no connection to release.
      const { connection, leave } = (await opened?.catch(() => undefined)) ?? {}
      if (connection === undefined) return
      try {
        await driver.releaseConnection(connection)
      } finally {
        leave?.()
      }
    },
  }
}

/** Runs a statement in a span. The text has no values, because these are parameters. */
function tracedStatement<T>(text: string, run: () => Promise<T>): Promise<T> {
  if (currentSpan() === undefined) return run()
  const operation = /^\s*(?:\/\*.*?\*\/\s*)?(\w+)/s.exec(text)?.[1]?.toUpperCase() ?? 'SQL'
  const attributes = { 'db.system.name': 'postgresql', 'db.operation.name': operation, 'db.query.text': text }
  return traced(operation, { kind: 'client', attributes }, run)
}

/** A read may begin with a comment, such as that of statements that are planned each time. */
const READS = /^\s*(?:\/\*.*?\*\/\s*)*(?:select|with|values|show)\b/is

/** Matches words at any place of a statement that show that it takes locks of rows, tables or transactions. */
const LOCKS =
  /\b(?:insert\s+into|update|delete\s+from|merge\s+into|for\s+(?:key\s+)?share)\b|pg_(?:try_)?advisory|graphile_worker\./i

const known = new LRUCache<string, boolean>({ max: 1_000 })

/** Tells whether a statement may wait for another transaction. A statement that begins a transaction counts as well. */
export function mayWaitForLock(text: string): boolean {
  const answer = known.get(text)
  if (answer !== undefined) return answer
  const may = !READS.test(text) || LOCKS.test(text)
  known.set(text, may)
  return may
}
