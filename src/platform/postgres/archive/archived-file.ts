import { createHash } from 'node:crypto'
import { open, readFile, rename, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { syncDir } from '../../file-system/durable-files.ts'
import type { EmbeddedPostgresError } from '../programs/errors.ts'
import { archiveFault } from './archive-fault.ts'

/** What is known of an archived file without decompressing it. */
export interface ArchivedHeader {
  name: string
  /** When PostgreSQL wrote to the file last. No later commit is in the file. */
  writtenAt: string
  sha256: string
}

/** A frame that programs for zstd skip (RFC 8878, 3.1.2), so that `zstd -d` decompresses an archived file, too. */
const SKIPPED_FRAME = 0x184d2a50
const PREFIX_BYTES = 8
/** Longer than each header. */
const MOST_HEADER_BYTES = 1024

export const archivedName = (name: string): string => `${name}.zst`

function encode(header: ArchivedHeader, content: Buffer): Buffer {
  const json = Buffer.from(JSON.stringify(header))
  const prefix = Buffer.alloc(PREFIX_BYTES)
  prefix.writeUInt32LE(SKIPPED_FRAME, 0)
  prefix.writeUInt32LE(json.length, 4)
  // A segment that was ended early is filled with zeros, so that it needs a small part of its 16 MiB.
  return Buffer.concat([prefix, json, zstdCompressSync(content)])
}

function splitHeader(bytes: Buffer, path: string): { header: ArchivedHeader; rest: Buffer } {
  try {
    if (bytes.readUInt32LE(0) !== SKIPPED_FRAME) throw new Error('it has no header')
    const end = PREFIX_BYTES + bytes.readUInt32LE(4)
    return { header: JSON.parse(bytes.toString('utf8', PREFIX_BYTES, end)), rest: bytes.subarray(end) }
  } catch (error) {
    throw damaged(path, error)
  }
}

function damaged(path: string, reason: unknown): EmbeddedPostgresError {
  return archiveFault(`The archived file ${path} is damaged: ${(reason as Error).message}.`)
}

/** Reads when a file was written last. @throws EmbeddedPostgresError `archive_fault` if its beginning is damaged */
export async function readHeader(folder: string, name: string): Promise<ArchivedHeader> {
  const path = join(folder, archivedName(name))
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MOST_HEADER_BYTES), 0, MOST_HEADER_BYTES, 0)
    return splitHeader(buffer.subarray(0, bytesRead), path).header
  } finally {
    await file.close()
  }
}

/** Reads a file and compares it with its checksum. @throws EmbeddedPostgresError `archive_fault` if it is damaged */
export async function readArchived(folder: string, name: string): Promise<Buffer> {
  const path = join(folder, archivedName(name))
  const { header, rest } = splitHeader(await readFile(path), path)
  let content: Buffer
  try {
    content = zstdDecompressSync(rest)
  } catch (error) {
    throw damaged(path, error)
  }
  if (header.name === name && sha256Of(content) === header.sha256) return content
  throw damaged(path, new Error('it has another checksum'))
}

/**
 * Archives a file. When the promise resolves, it survives a power failure. PostgreSQL archives a file again if it was
 * killed in between, so that an equal file may be there already.
 *
 * @throws EmbeddedPostgresError `archive_fault` if a file of this name with other content is there, which stays
 */
export async function archiveFile(folder: string, path: string, name: string): Promise<void> {
  const source = await open(path)
  try {
    const [content, { mtime }] = [await source.readFile(), await source.stat()]
    if (await isArchived(folder, name, content)) return
    const header = { name, writtenAt: mtime.toISOString(), sha256: sha256Of(content) }
    await writeDurably(join(folder, archivedName(name)), encode(header, content), mtime)
  } finally {
    await source.close()
  }
}

async function isArchived(folder: string, name: string, content: Buffer): Promise<boolean> {
  const existing = await readArchived(folder, name).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (existing === undefined) return false
  if (existing.equals(content)) return true
  throw archiveFault(
    `${join(folder, archivedName(name))} exists with other content. Another server archives to this folder.`,
  )
}

/** Writes a file under its name when it is complete and on the disk. */
async function writeDurably(path: string, bytes: Buffer, mtime: Date): Promise<void> {
  // Each attempt uses the same name, so that killed ones leave one file at most.
  const draft = `${path}.new`
  const file = await open(draft, 'w', 0o600)
  try {
    await file.writeFile(bytes)
    await utimes(draft, mtime, mtime)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, path)
  await syncDir(dirname(path))
}

function sha256Of(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}
