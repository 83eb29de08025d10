import type { Readable } from 'node:stream'
import { Kysely, PostgresDialect } from 'kysely'
import type { PoolClient } from 'pg'
import type { DatabasePool, Db } from '../../db/index.ts'
import type { DB } from '../../db/schema.generated.ts'
import { BackupError } from '../format/backup-error.ts'
import type { Manifest, Part, TablePart } from '../format/manifest.ts'
import { copyOut } from './copy.ts'
import { listTables, quote, quoteColumns, readSequences, type Table } from './tables.ts'

/** One consistent state of the database. All reads see the same rows, whatever other transactions commit. */
export interface Snapshot {
  takenAt: Date
  /** The snapshot as a database for queries of features. */
  db: Db
  /** Reads all tables. `write` gets the rows of each of them, one on each line. */
  dump(write: (rows: Readable) => Promise<Part>): Promise<Manifest['database']>
}

/** Limits of the role or the database, which are meant for requests. */
const UNLIMITED = `set local statement_timeout = 0; set local lock_timeout = '60s';
  set local idle_in_transaction_session_timeout = 0; set local transaction_timeout = 0`

/** The texts of values are the same on every server with these settings. */
export const STABLE_TEXTS = `set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres';
  set local timezone = 'UTC'; set local extra_float_digits = 1; set local bytea_output = 'hex'`

const MOST_TRIES = 5

/**
 * Runs work on a snapshot of the database. The snapshot is a read-only transaction on a connection of its own, which
 * blocks no writer. It only blocks migrations that change existing tables, until the work ends.
 */
export async function withSnapshot<T>(database: DatabasePool, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  const own = database.openApart({
    application_name: 'platen backup',
    statement_timeout: 0,
    lock_timeout: 0,
    idle_in_transaction_session_timeout: 0,
    maxLifetimeSeconds: 0,
  })
  const client = await own.pool.connect()
  let isBroken = true
  try {
    const tables = await begin(client)
    const { rows } = await client.query<{ at: Date }>('select now() as at')
    const db = onClient(client)
    const dump = (write: (rows: Readable) => Promise<Part>) => dumpTables(client, tables, write)
    const result = await work({ takenAt: rows[0]?.at ?? new Date(), db, dump })
    await client.query('commit')
    isBroken = false
    return result
  } finally {
    // A connection on which a copy was interrupted cannot be used again.
    client.release(isBroken)
    await own.pool.end()
  }
}

/**
 * Begins the transaction and locks all tables against changes of their columns. Their list is read before and after,
 * because a migration may add a table in between.
 */
async function begin(client: PoolClient): Promise<Table[]> {
  for (let triesLeft = MOST_TRIES; triesLeft > 0; triesLeft -= 1) {
    const names = (await listTables(client)).map(({ name }) => quote(name))
    await client.query(`begin isolation level repeatable read, read only; ${UNLIMITED}; ${STABLE_TEXTS}`)
    // The first query takes the snapshot, this statement does not.
    await client.query(`lock table ${['schema_migrations', ...names].join(', ')} in access share mode`)
    const tables = await listTables(client)
    if (tables.map(({ name }) => quote(name)).join() === names.join()) return tables
    await client.query('rollback')
  }
  throw new BackupError('The database is being migrated. Make the backup when the migration has ended.')
}

async function dumpTables(
  client: PoolClient,
  tables: readonly Table[],
  write: (rows: Readable) => Promise<Part>,
): Promise<Manifest['database']> {
  const server = await client.query<{ server: string }>("select current_setting('server_version') as server")
  const migrations = await client.query<{ name: string; sha256: string }>(
    'select name, sha256 from schema_migrations order by name',
  )
  const parts: TablePart[] = []
  for (const table of tables) {
    const { name, columns } = table
    parts.push({ name, columns, part: await write(copyOut(client, copyStatement(table))) })
  }
  const sequences = await readSequences(client)
  return { server: server.rows[0]?.server ?? '', migrations: migrations.rows, tables: parts, sequences }
}

/** Reads the rows of a table in an order that is the same on every server. */
export function copyStatement({ name, columns, order }: Table): string {
  return `copy (select ${quoteColumns(columns)} from ${quote(name)} order by ${order.join(', ')}) to stdout`
}

/** Makes a database whose queries all run on this connection. */
function onClient(client: PoolClient): Db {
  const shared = { query: client.query.bind(client), release: () => undefined }
  const pool = { connect: async () => shared as unknown as PoolClient, end: async () => undefined }
  return new Kysely<DB>({ dialect: new PostgresDialect({ pool }) })
}
