import type { ClientBase } from 'pg'
import { MigrationError } from './migration-error.ts'

/** A table that marks a database into which a restore has not loaded its rows yet. */
export const UNFINISHED_RESTORE = 'unfinished_restore'

/** Marks a database. The transaction that loads the rows removes the mark. */
export const MARK_UNFINISHED = `create table if not exists ${UNFINISHED_RESTORE} (begun_at timestamptz not null default now())`

export async function isUnfinishedRestore(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>('select to_regclass($1) is not null as found', [
    UNFINISHED_RESTORE,
  ])
  return rows[0]?.found === true
}

/** @throws {MigrationError} if a restore into the database was interrupted, because its tables are empty */
export async function requireFinishedRestore(client: ClientBase): Promise<void> {
  if (!(await isUnfinishedRestore(client))) return
  throw new MigrationError(
    'A restore into this database was interrupted, and no rows were loaded. Run "platen restore" again.',
  )
}
