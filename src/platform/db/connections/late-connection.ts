import { CompiledQuery, type DatabaseConnection, type QueryResult } from 'kysely'
import type pg from 'pg'
import { currentSpan, traced } from '../../telemetry/span.ts'
import type { ConnectionGate } from '../admission/connection-gate.ts'
import { withCallersStack } from './callers-stack.ts'
import { mayWaitForLock } from './may-wait-for-lock.ts'
import type { PreparingClient } from './preparing-client.ts'
import type { SlowStatements } from './slow-statements.ts'

/** A connection that is taken from the pool when its first statement runs. */
export interface LateConnection extends DatabaseConnection {
  /** Lets the next statement begin a transaction. */
  begin(): void
  /** Ends the transaction. One without statements has not begun, and sends nothing. */
  end(how: 'commit' | 'rollback'): Promise<void>
  release(): Promise<void>
}

interface Opened {
  client: pg.PoolClient & PreparingClient
  leave: () => void
}

/**
 * @param gate the first statement determines whether the connection may be one of those reserved for reads; that of a
 *   transaction may not
 */
export function createLateConnection(pool: pg.Pool, gate: ConnectionGate, slow: SlowStatements): LateConnection {
  let opened: Promise<Opened> | undefined
  let isBeginning = false

  const open = async (mayWait: boolean): Promise<Opened> => {
    const leave = await gate.enter(mayWait)
    try {
      return { client: (await pool.connect()) as Opened['client'], leave }
    } catch (error) {
      leave()
      throw error
    }
  }

  const executeQuery = async <R>({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<R>> => {
    const begins = isBeginning
    isBeginning = false
    opened ??= open(begins || mayWaitForLock(text))
    const { client } = await opened
    const values = [...parameters]
    const run = () => (begins ? client.beginWith(text, values) : client.query(text, values))
    return toQueryResult<R>(await withCallersStack(tracedStatement(text, () => slow.measure(text, run))))
  }

  return {
    executeQuery,
    streamQuery: () => {
      throw new Error('rows are read page by page: see each-row.ts')
    },
    begin: () => {
      isBeginning = true
    },
    end: async (how) => {
      if (isBeginning) isBeginning = false
      else await executeQuery(CompiledQuery.raw(how))
    },
    release: async () => {
      // If opening the connection failed, there is no connection to release.
      const { client, leave } = (await opened?.catch(() => undefined)) ?? {}
      client?.release()
      leave?.()
    },
  }
}

const CHANGES = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

function toQueryResult<R>({ command, rowCount, rows }: pg.QueryResult): QueryResult<R> {
  return CHANGES.has(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows }
}

/** Runs a statement in a span. The text has no values, because these are parameters. */
function tracedStatement<T>(text: string, run: () => Promise<T>): Promise<T> {
  if (currentSpan() === undefined) return run()
  const operation = /^\s*(?:\/\*.*?\*\/\s*)?(\w+)/s.exec(text)?.[1]?.toUpperCase() ?? 'SQL'
  const attributes = { 'db.system.name': 'postgresql', 'db.operation.name': operation, 'db.query.text': text }
  return traced(operation, { kind: 'client', attributes }, run)
}
