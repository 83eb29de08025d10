import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { Counter, type Registry } from 'prom-client'
import type { Log } from '../../telemetry/log.ts'
import { ConnectionTimeout } from '../admission/connection-gate.ts'
import { isDatabaseUnavailable } from '../connections/errors.ts'
import { type DatabasePool, type Db, openDatabase } from '../index.ts'

/** How long a read waits for the replica to have what is committed. */
const CATCH_UP_MS = 250
const POLL_MS = 10

/** After a read that the replica could not serve, no read tries it for this long. */
const REST_MS = 5_000

/** Connections of one process to the replica, and one more for checks. */
const CONNECTIONS = 4

/** Time within which the replica must answer a check. */
const CHECK_MS = 500

/** Time after which a read gives up a replica that does not respond. The server ends each statement before. */
const READ_MS = 35_000

/** SQLSTATE of a statement that exceeded its time. It would also take long on the database itself. */
const TIMED_OUT = '57014'

/** Lists and reports for the staff, which may run on a read replica of the database. */
export interface Replica {
  /**
   * Runs a read on the replica, if there is one and it has everything that was committed before this call. Otherwise,
   * and after an error of the replica, runs the read on the database itself.
   *
   * @param read changes nothing, because it may run twice
   */
  read<T>(read: (db: Db) => Promise<T>): Promise<T>
}

export interface OpenReplica extends Replica {
  close(): Promise<void>
}

interface ReplicaDeps {
  database: Pick<DatabasePool, 'db'>
  /** Undefined: there is no replica. */
  url: string | undefined
  slowStatementMs: number
  log: Log
  registry: Registry
}

export function createReplica({ database, url, slowStatementMs, log, registry }: ReplicaDeps): OpenReplica {
  if (url === undefined) return { read: (read) => read(database.db), close: async () => undefined }
  const settings = { connectionString: url, slowStatementMs }
  const replica = openDatabase({ ...settings, max: CONNECTIONS, query_timeout: READ_MS }, log)
  // A server that does not respond must not delay the reads.
  const checks = openDatabase({ ...settings, max: 1, query_timeout: CHECK_MS, connectionTimeoutMillis: CHECK_MS }, log)
  const reads = countReads(registry)
  const rest = createRest(log)

  const readThere = async <T>(read: (db: Db) => Promise<T>): Promise<{ result: T } | undefined> => {
    if (rest.isResting()) return undefined
    const missing = await whatIsMissing(database.db, checks)
    if (missing !== undefined) return rest.begin(missing)
    try {
      const result = await read(replica.db)
      rest.end()
      return { result }
    } catch (error) {
      // Other reads of this process have all connections.
      if (error instanceof ConnectionTimeout) return undefined
      if (!isDatabaseUnavailable(error) || (error as { code?: unknown }).code === TIMED_OUT) throw error
      return rest.begin((error as Error).message)
    }
  }

  return {
    read: async (read) => {
      const found = await readThere(read)
      reads.inc({ source: found === undefined ? 'database' : 'replica' })
      return found === undefined ? read(database.db) : found.result
    },
    close: async () => {
      await Promise.all([replica.close(), checks.close()])
    },
  }
}

function countReads(registry: Registry): Counter<'source'> {
  return new Counter({
    name: 'platen_replica_reads_total',
    help: 'Lists and reports that may run on the read replica, by where they ran: replica or database.',
    labelNames: ['source'] as const,
    registers: [registry],
  })
}

/** Remembers that the replica could not serve a read, and logs when this begins and ends. */
function createRest(log: Log) {
  let until: number | undefined
  return {
    isResting: () => until !== undefined && performance.now() < until,
    begin: (reason: string): undefined => {
      if (until === undefined) log.warn({ reason }, 'the read replica cannot be used; its reads run on the database')
      until = performance.now() + REST_MS
    },
    end: () => {
      if (until !== undefined) log.info({}, 'the read replica is used again')
      until = undefined
    },
  }
}

interface Position {
  /** Identifies the data of a server. A replica has that of its primary. */
  system: string
  name: string
  position: string
}

/**
 * Waits until the replica has what is committed. Returns why it cannot be used, or undefined if it can.
 *
 * @throws only if the database itself is unavailable
 */
async function whatIsMissing(db: Db, replica: Pick<DatabasePool, 'pool'>): Promise<string | undefined> {
  try {
    const primary = await readPosition(db)
    return await whatReplicaMisses(primary, replica).catch((error: Error) => error.message)
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error
    return `its primary has no position: ${(error as Error).message}`
  }
}

const IDENTITY = '(select system_identifier::text from pg_control_system()) as system, current_database() as name'

async function readPosition(db: Db): Promise<Position> {
  const { rows } = await sql<Position>`
    select ${sql.raw(IDENTITY)}, pg_current_wal_flush_lsn()::text as position`.execute(db)
  const [position] = rows
  if (position === undefined) throw new Error('the database returned no position')
  return position
}

const STATE = `
  select ${IDENTITY}, pg_is_in_recovery() as "isReplica",
    coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false) as "hasAll"`

async function whatReplicaMisses(
  { position, ...primary }: Position,
  { pool }: Pick<DatabasePool, 'pool'>,
): Promise<string | undefined> {
  const end = performance.now() + CATCH_UP_MS
  for (;;) {
    // The method of the pool closes a connection that did not respond.
    const { rows } = await pool.query<Omit<Position, 'position'> & { isReplica: boolean; hasAll: boolean }>(STATE, [
      position,
    ])
    const [state] = rows
    if (state === undefined || state.system !== primary.system || state.name !== primary.name) {
      return 'it is another database'
    }
    if (!state.isReplica) return 'it is not a replica'
    if (state.hasAll) return undefined
    if (performance.now() > end) return `it is more than ${CATCH_UP_MS} ms behind`
    await delay(POLL_MS)
  }
}
