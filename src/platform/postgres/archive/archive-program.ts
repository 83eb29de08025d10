// Moves files of the write-ahead log into an archive and back. PostgreSQL starts it for each file, as `archive_command`
// and `restore_command`. Usage:
//   archive-program put <archive> <path> <name>    archives a file
//   archive-program get <archive> <name> <path>    writes an archived file to the path
//   archive-program try <archive>                  checks that the folder can be written and read
import { open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { syncDir } from '../../file-system/durable-files.ts'
import { isFullDisk } from '../../file-system/full-disk.ts'
import { archiveFile, readArchived } from './archived-file.ts'

const FAILED = 1
/** PostgreSQL takes this for the end of the archive. */
const MISSING = 1
/**
 * Ends a recovery with an error, as all statuses above 125. Otherwise a file that is damaged, or that a full disk cannot
 * take, would seem to be missing.
 */
const FATAL = 200

async function run([action, folder = '', first = '', second = '']: readonly string[]): Promise<number> {
  if (action === 'put') await archiveFile(folder, first, second)
  else if (action === 'get') return get(folder, first, second)
  else await tryFolder(folder)
  return 0
}

async function get(folder: string, name: string, path: string): Promise<number> {
  const content = await readArchived(folder, name).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (content === undefined) return MISSING
  await writeFile(path, content, { mode: 0o600 })
  return 0
}

async function tryFolder(folder: string): Promise<void> {
  const path = join(folder, '.try')
  const file = await open(path, 'w', 0o600)
  await file.sync().finally(() => file.close())
  await rm(path)
  await syncDir(folder)
}

const words = process.argv.slice(2)
process.exitCode = await run(words).catch((error: unknown) => {
  const [action, archive, , path] = words
  const reason = error instanceof Error ? error.message : String(error)
  // The error of a write does not name its file.
  const disk = isFullDisk(error) ? `The disk of ${action === 'get' ? path : archive} is full: ` : ''
  process.stderr.write(`${disk}${reason}\n`)
  return action === 'get' ? FATAL : FAILED
})
