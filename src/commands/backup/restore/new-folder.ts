import { chmod, mkdtemp, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { makeDirDurably, syncDir } from '../../../platform/file-system/durable-files.ts'
import { realPathOf } from '../../../platform/file-system/real-path.ts'
import { CommandError } from '../../command-line/command-error.ts'

/**
 * Returns the path of a new or empty folder without symbolic links. A restore replaces the folder, which is not possible
 * with a link.
 *
 * @throws {CommandError} if the folder contains anything, or cannot be replaced
 */
export async function requireNewFolder(dataDir: string): Promise<string> {
  const unusable = (error: Error): never => {
    throw new CommandError(`${dataDir} cannot be used: ${error.message}. Nothing was changed.`)
  }
  const folder = await realPathOf(dataDir).catch(unusable)
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) =>
    error.code === 'ENOENT' ? [] : unusable(error),
  )
  if (await isMountPoint(folder)) {
    throw new CommandError(
      `The folder ${folder} is a mount point, which a restore cannot replace. Nothing was changed. Add --data-dir with a new ` +
        'folder in it.',
    )
  }
  if (names.length === 0) return folder
  throw new CommandError(`The folder ${dataDir} is not empty. Nothing was changed. Add --data-dir with a new folder.`)
}

async function isMountPoint(folder: string): Promise<boolean> {
  const found = await stat(folder).catch(() => undefined)
  return found !== undefined && found.dev !== (await stat(dirname(folder))).dev
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
