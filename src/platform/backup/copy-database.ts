import { rm } from 'node:fs/promises'
import type { DatabasePool } from '../db/index.ts'
import { type LoadDeps, loadDatabase } from './database/load.ts'
import { requireKnownSchema } from './database/requirements.ts'
import { withSnapshot } from './database/snapshot.ts'
import { countRows } from './format/manifest.ts'
import { writePart } from './format/parts.ts'
import { openFolderTarget } from './target/folder.ts'

export interface CopyDeps extends Omit<LoadDeps, 'source'> {
  /** The database that is copied. It has to be in use by this process alone, so that nothing is written meanwhile. */
  from: DatabasePool
  /** Folder for the compressed tables, which is removed at the end. */
  folder: string
}

/**
 * Copies a database into an empty one, as a backup and its restore would. The rows are read again and compared.
 *
 * @throws {BackupError} if a newer version ran on the database, or if the rows do not arrive unchanged. The new database
 *   then has no rows
 */
export async function copyDatabase({ from, folder, ...loading }: CopyDeps): Promise<void> {
  // An interrupted copy may have left it.
  await rm(folder, { recursive: true, force: true })
  const target = await openFolderTarget(folder)
  try {
    const workDir = await target.createWorkDir()
    const content = await withSnapshot(from, ({ dump }) => dump((rows) => writePart(target, workDir, rows)))
    await requireKnownSchema(content)
    loading.report(`Read ${countRows(content)} rows in ${content.tables.length} tables.`)
    await loadDatabase({ ...loading, source: target }, content)
  } finally {
    await target.close()
    await rm(folder, { recursive: true, force: true })
  }
}
