import { type Dialect, type Driver, PostgresDialect, PostgresDriver } from 'kysely'
import type pg from 'pg'
import type { ConnectionGate } from '../admission/connection-gate.ts'
import { createLateConnection, type LateConnection } from './late-connection.ts'
import type { SlowStatements } from './slow-statements.ts'

/**
 * Creates a dialect for PostgreSQL over a pool behind a gate. Statements that may wait for a lock of another
 * transaction never get the connections that are reserved for reads.
 *
 * @param pool a pool of `PreparingClient`
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
    acquireConnection: async () => createLateConnection(pool, gate, slow),
    beginTransaction: async (connection, settings) => {
      const { isolationLevel, accessMode } = settings
      if (isolationLevel === undefined && accessMode === undefined) (connection as LateConnection).begin()
      else await postgres.beginTransaction(connection, settings)
    },
    commitTransaction: (connection) => (connection as LateConnection).end('commit'),
    rollbackTransaction: (connection) => (connection as LateConnection).end('rollback'),
    savepoint: (connection, name, compile) => postgres.savepoint(connection, name, compile),
    rollbackToSavepoint: (connection, name, compile) => postgres.rollbackToSavepoint(connection, name, compile),
    releaseSavepoint: (connection, name, compile) => postgres.releaseSavepoint(connection, name, compile),
    releaseConnection: (connection) => (connection as LateConnection).release(),
    destroy: () => postgres.destroy(),
  }
}
