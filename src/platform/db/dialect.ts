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
import { createSemaphore, type Semaphore } from '../concurrency/semaphore.ts'

export interface DialectOptions {
  max: number
  timeoutMs: number
}

/**
 * PostgreSQL over a pool of which a part is reserved for reads. Statements that may wait for another transaction's lock
 * share the rest: any number of them that wait leaves connections for requests that only read.
 */
export function createDialect(pool: pg.Pool, options: DialectOptions): Dialect {
  const postgres = new PostgresDialect({ pool })
  return {
    createAdapter: () => postgres.createAdapter(),
    createIntrospector: (db) => postgres.createIntrospector(db),
    createQueryCompiler: () => postgres.createQueryCompiler(),
    createDriver: () => createDriver(pool, options),
  }
}

/** Connections that transactions and other writes never take: a fifth of the pool. */
export function reservedForReads(max: number): number {
  return max === 1 ? 0 : Math.max(1, Math.floor(max / 5))
}

function createDriver(pool: pg.Pool, { max, timeoutMs }: DialectOptions): Driver {
  const postgres = new PostgresDriver({ pool })
  const writers = createSemaphore(max - reservedForReads(max))
  return {
    init: () => postgres.init(),
    acquireConnection: async () => createLateConnection(postgres, { writers, timeoutMs }),
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

/** A connection that is taken from the pool with its first statement: that tells whether it may be one of the reserve. */
function createLateConnection(
  driver: Driver,
  { writers, timeoutMs }: { writers: Semaphore; timeoutMs: number },
): LateConnection {
  let opened: Promise<Opened> | undefined

  const open = async (text: string): Promise<Opened> => {
    const leave = mayWaitForLock(text) ? await writers.acquire(timeoutMs) : () => undefined
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
      return (await opened).connection.executeQuery<R>(query)
    },
    streamQuery: () => {
      throw new Error('rows are read page by page: see each-row.ts')
    },
    release: async () => {
      // Where it could not be opened, there is nothing to give back.
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

const READS = /^\s*(?:select|with|values|show)\b/i

/** Words of statements that take locks of rows, tables or transactions, wherever in the statement they stand. */
const LOCKS =
  /\b(?:insert\s+into|update|delete\s+from|merge\s+into|for\s+(?:key\s+)?share)\b|pg_(?:try_)?advisory|graphile_worker\./i

const known = new LRUCache<string, boolean>({ max: 1_000 })

/** Whether a statement may wait for another transaction. One that begins a transaction may. */
export function mayWaitForLock(text: string): boolean {
  const answer = known.get(text)
  if (answer !== undefined) return answer
  const may = !READS.test(text) || LOCKS.test(text)
  known.set(text, may)
  return may
}
