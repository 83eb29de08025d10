import { rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { syncDir } from '../file-system/durable-files.ts'
import { EmbeddedPostgresError, hasErrorCode } from './programs/errors.ts'

/** The file that marks a data folder whose database or files are not complete yet. */
const markOf = (dataDir: string): string => join(dataDir, 'unfinished-restore')

export async function markUnfinished(dataDir: string): Promise<void> {
  await writeFile(markOf(dataDir), '', { flush: true })
  await syncDir(dataDir)
}

export async function markFinished(dataDir: string): Promise<void> {
  await rm(markOf(dataDir))
  await syncDir(dataDir)
}

/** @throws EmbeddedPostgresError `restore_interrupted` if a restore into the data folder was interrupted */
export async function requireFinished(dataDir: string): Promise<void> {
  try {
    await stat(markOf(dataDir))
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return
    throw error
  }
  throw new EmbeddedPostgresError(
    'restore_interrupted',
    `A restore into ${dataDir} was interrupted, so its database or its files are incomplete. Delete this folder, and run ` +
      '"platen restore" again.',
  )
}
