import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import type { ClientBase } from 'pg'
import { migrate } from '../../db/migrations/migrate.ts'
import { MARK_UNFINISHED, UNFINISHED_RESTORE } from '../../db/migrations/unfinished-restore.ts'
import { withClient } from '../../db/with-client.ts'
import type { Log } from '../../telemetry/log.ts'
import { BackupError } from '../format/backup-error.ts'
import type { Manifest, TablePart } from '../format/manifest.ts'
import { createMeter } from '../format/meter.ts'
import { discard, readPart } from '../format/parts.ts'
import type { BackupSource } from '../format/places.ts'
import { copyIn, copyOut } from './copy.ts'
import { copyStatement, STABLE_TEXTS } from './snapshot.ts'
import { listDependencies, listTables, orderByDependency, quote, quoteColumns, type Table } from './tables.ts'

export interface LoadDeps {
  /** The connection to an empty database. */
  settings: pg.PoolConfig
  log: Log
  source: BackupSource
  /** Reports tables of a backup that do not belong to the service. */
  report(line: string): void
}

/**
 * Loads the tables of a backup into an empty database. Creates the schema that they have, then loads all rows in one
 * transaction, reads them again and compares them with their checksums.
 *
 * If the process is killed, the database stays marked: no service starts on it, and a further restore continues.
 *
 * @throws {BackupError} if the rows do not arrive unchanged. The database then has no rows
 */
export async function loadDatabase(
  { log, source, report, ...deps }: LoadDeps,
  content: Manifest['database'],
): Promise<void> {
  const settings = { ...deps.settings, application_name: 'platen restore' }
  await withClient(settings, (client) => client.query(MARK_UNFINISHED))
  await migrate(settings, log, { only: content.migrations.map(({ name }) => name) })
  await withClient(settings, async (client) => {
    await client.query(
      `begin; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0;
       set local transaction_timeout = 0; ${STABLE_TEXTS}; set constraints all deferred;
       lock table ${UNFINISHED_RESTORE} in access exclusive mode`,
    )
    await loadTables({ client, source, report }, content)
    await client.query(`drop table ${UNFINISHED_RESTORE}; commit`)
    await client.query('analyze')
  })
}

async function loadTables(
  deps: { client: ClientBase } & Pick<LoadDeps, 'source' | 'report'>,
  { tables, sequences }: Manifest['database'],
): Promise<void> {
  const { client, report } = deps
  const existing = new Map((await listTables(client)).map((table) => [table.name, table]))
  const ordered = orderByDependency([...existing.keys()], await listDependencies(client))
  // Some migrations insert rows, which the backup has in their present state.
  for (const name of ordered.toReversed()) await client.query(`delete from ${quote(name)}`)
  // Triggers compute values of new rows. The rows of a backup have the values that they had. Foreign keys stay active.
  for (const name of ordered) await client.query(`alter table ${quote(name)} disable trigger user`)
  for (const { name } of tables) {
    if (!existing.has(name)) report(`The table ${name} does not belong to Platen and is not restored.`)
  }
  const parts = new Map(tables.map((one) => [one.name, one]))
  for (const name of ordered) {
    const [part, table] = [parts.get(name), existing.get(name)]
    if (part !== undefined && table !== undefined) await loadTable(deps, part, table)
  }
  // A table with a check that waits cannot be altered.
  await client.query('set constraints all immediate')
  for (const name of ordered) await client.query(`alter table ${quote(name)} enable trigger user`)
  for (const { name, last, isCalled } of sequences) {
    await client.query('select setval(to_regclass($1), $2::bigint, $3)', [quote(name), last, isCalled])
  }
}

async function loadTable(
  { client, source }: { client: ClientBase; source: BackupSource },
  { name, columns, part }: TablePart,
  table: Table,
): Promise<void> {
  const unknown = columns.filter((column) => !table.columns.includes(column))
  if (unknown.length > 0) {
    throw new BackupError(`The table ${name} has no column ${unknown.join(', ')} in this version of Platen.`)
  }
  const rows = copyIn(client, `copy ${quote(name)} (${quoteColumns(columns)}) from stdin`)
  await readPart(source, `The table ${name}`, part, rows)
  const meter = createMeter()
  await pipeline(copyOut(client, copyStatement({ ...table, columns })), meter.pass, discard)
  const { sha256, lines } = meter.read()
  if (sha256 === part.content.sha256) return
  throw new BackupError(
    `The table ${name} has other rows after the restore (${lines} instead of ${part.content.lines}). Nothing was restored.`,
  )
}
