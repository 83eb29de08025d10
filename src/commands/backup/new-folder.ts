import { chmod, mkdtemp, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { makeDirDurably, syncDir } from '../../platform/durable-files.ts'
import { CommandError } from '../command-error.ts'

/** @throws {CommandError} if the folder contains anything */
export async function requireNewFolder(dataDir: string): Promise<void> {
  const names = await readdir(dataDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw new CommandError(`${dataDir} cannot be used: ${error.message}.`)
  })
  if (names.length === 0) return
  throw new CommandError(`The folder ${dataDir} is not empty. Nothing was changed. Add --data-dir with a new folder.`)
}

/** Fills a new folder beside the data folder, and gives it its name when it is complete. Removes it after a failure. */
export async function fillNewFolder<T>(dataDir: string, fill: (draft: string) => Promise<T>): Promise<T> {
  await makeDirDurably(dirname(dataDir))
  const draft = await mkdtemp(join(dirname(dataDir), `${basename(dataDir)}.restoring-`))
  let filled: T
  try {
    // If this process runs as root, PostgreSQL runs as another user, which must pass through the folder.
    await chmod(draft, 0o711)
    filled = await fill(draft)
  } catch (error) {
    await rm(draft, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    throw error
  }
  await moveIntoPlace(draft, dataDir)
  return filled
}

/** Gives the complete folder its name. */
async function moveIntoPlace(draft: string, dataDir: string): Promise<void> {
  try {
    await rmdir(dataDir).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
    await rename(draft, dataDir)
  } catch (error) {
    throw new CommandError(
      `Everything was restored to ${draft}, but the folder could not be renamed to ${dataDir}: ${(error as Error).message}. ` +
        'Rename it.',
    )
  }
  await syncDir(dirname(dataDir))
}
