import { readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncDir } from '../../file-system/durable-files.ts'
import { hasErrorCode } from '../programs/errors.ts'
import type { LogFolder } from './log-folder.ts'
import { isLogOf } from './read-logs.ts'

/**
 * The file of a log that names the logs of the same installation before it. The ids of base copies tell that only as
 * long as backups with these ids exist.
 */
const fileOf = ({ bases }: LogFolder): string => join(dirname(bases), 'earlier-logs.json')

/**
 * Finds the other logs of the installation to which a log belongs: those with a base copy of its backups, and those that
 * one of these logs names.
 */
export async function findRelated(
  own: LogFolder,
  logs: readonly LogFolder[],
  backups: ReadonlySet<string>,
): Promise<Set<string>> {
  const related = new Set([own.name])
  for (const log of logs) if (await isLogOf(log, backups)) related.add(log.name)
  // A set also visits what is added meanwhile.
  for (const name of related) {
    const log = logs.find((one) => one.name === name)
    for (const earlier of log === undefined ? [] : await readEarlier(log)) related.add(earlier)
  }
  related.delete(own.name)
  return related
}

/** Records in a log which other logs belong to the same installation. */
export async function recordRelated(own: LogFolder, related: readonly string[]): Promise<void> {
  const [path, text] = [fileOf(own), JSON.stringify(related.toSorted())]
  if (JSON.stringify(await readEarlier(own)) === text) return
  await writeFile(`${path}.new`, text, { mode: 0o600, flush: true })
  await rename(`${path}.new`, path)
  await syncDir(dirname(path))
}

async function readEarlier(log: LogFolder): Promise<string[]> {
  try {
    return JSON.parse(await readFile(fileOf(log), 'utf8'))
  } catch (error) {
    // Without the names, logs are kept that could be removed.
    if (hasErrorCode(error, 'ENOENT') || error instanceof SyntaxError) return []
    throw error
  }
}
