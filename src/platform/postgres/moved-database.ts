import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { syncDir } from '../file-system/durable-files.ts'
import { EmbeddedPostgresError, hasErrorCode } from './programs/errors.ts'

/** The file that marks a data folder whose database was moved to another server. It contains the time. */
const markOf = (dataDir: string): string => join(dataDir, 'database-moved')

/** Marks a data folder, so that nothing uses its old database by mistake, such as a command without the URL of the new one. */
export async function markMoved(dataDir: string, at: Date): Promise<string> {
  await writeFile(markOf(dataDir), `${at.toISOString()}\n`, { flush: true })
  await syncDir(dataDir)
  return markOf(dataDir)
}

/** @throws EmbeddedPostgresError `moved` if the database of the data folder was moved to another server */
export async function requireNotMoved(dataDir: string): Promise<void> {
  let time: string
  try {
    time = (await readFile(markOf(dataDir), 'utf8')).trim()
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT', 'ENOTDIR')) return
    throw error
  }
  // A power failure can leave an empty file.
  const when = time === '' ? '' : ` at ${time}`
  throw new EmbeddedPostgresError(
    'moved',
    `The database of ${dataDir} was moved to another server${when}. Set PLATEN_DATABASE_URL to the new database, or delete ` +
      `${markOf(dataDir)} to return to the old one, which lacks all later changes.`,
  )
}
