import { open, opendir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { hasErrorCode } from '../programs/errors.ts'
import { headerOf, paddingFor } from './tar.ts'

/** Folders whose files belong to the running server only (as of pg_basebackup). */
const EMPTIED = [
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
]

const LEFT_OUT =
  /(^|\/)(pgsql_tmp.*|pg_internal\.init.*|postmaster\.(pid|opts)|\.s\.PGSQL\..*|backup_label.*|tablespace_map.*|.*\.signal|postgresql\.auto\.conf\.tmp)$/

const CONTROL_FILE = 'global/pg_control'
const CHUNK_BYTES = 1024 * 1024

/**
 * Reads the files of a running cluster as a tar file, in a state that a recovery makes consistent. The server changes,
 * extends and removes files in the meantime.
 */
export async function* readCluster(cluster: string): AsyncGenerator<Buffer> {
  for await (const name of listFiles(cluster, '')) {
    if (name.endsWith('/')) yield headerOf({ name, bytes: 0 })
    else yield* readFileOf(cluster, name)
  }
  // A recovery begins with this file, which must not be older than the others.
  const control = await readStably(join(cluster, CONTROL_FILE))
  yield* entryOf(CONTROL_FILE, control)
}

/** Makes an entry of a tar file. */
export function* entryOf(name: string, content: Buffer): Generator<Buffer> {
  yield headerOf({ name, bytes: content.length })
  yield content
  yield paddingFor(content.length)
}

async function* listFiles(root: string, folder: string): AsyncGenerator<string> {
  const entries = await opendir(join(root, folder)).catch(ifGone)
  if (entries === undefined) return
  for await (const entry of entries) {
    const name = `${folder}${entry.name}`
    if (LEFT_OUT.test(name) || name === CONTROL_FILE) continue
    const isLink = entry.isSymbolicLink()
    if (isLink && folder === 'pg_tblspc/') {
      throw new Error(`The database has the tablespace ${name}, which cannot be copied.`)
    }
    const found = isLink ? await stat(join(root, name)).catch(ifGone) : entry
    if (found?.isDirectory() === true) {
      yield `${name}/`
      if (EMPTIED.includes(name)) continue
      if (isLink) throw new Error(`The folder ${name} of the database is a symbolic link, which cannot be copied.`)
      yield* listFiles(root, `${name}/`)
    } else if (found?.isFile() === true) yield name
  }
}

async function* readFileOf(root: string, name: string): AsyncGenerator<Buffer> {
  const file = await open(join(root, name)).catch(ifGone)
  // Its table was dropped. The recovery drops it, too.
  if (file === undefined) return
  try {
    const { size } = await file.stat()
    yield headerOf({ name, bytes: size })
    let left = size
    while (left > 0) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(left, CHUNK_BYTES)))
      // The file was truncated. The recovery does the same with the blanks.
      const part = bytesRead === 0 ? buffer : buffer.subarray(0, bytesRead)
      left -= part.length
      yield part
    }
    yield paddingFor(size)
  } finally {
    await file.close()
  }
}

/** Reads a file that the server may be writing now. */
async function readStably(path: string): Promise<Buffer> {
  for (let before = await readFile(path); ; ) {
    await delay(5)
    const after = await readFile(path)
    if (after.equals(before)) return after
    before = after
  }
}

function ifGone(error: unknown): undefined {
  if (hasErrorCode(error, 'ENOENT')) return undefined
  throw error
}

/** Returns the major version of PostgreSQL of a cluster. */
export async function readMajorOf(cluster: string): Promise<number> {
  return Number.parseInt(await readFile(join(cluster, 'PG_VERSION'), 'utf8'), 10)
}
