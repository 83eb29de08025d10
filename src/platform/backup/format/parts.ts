import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { BackupError } from './backup-error.ts'
import type { Part } from './manifest.ts'
import { createMeter } from './meter.ts'
import type { BackupSource, BackupTarget } from './places.ts'

/** Compresses rows, one on each line, to a file, and stores it. */
export async function writePart(target: BackupTarget, workDir: string, rows: Readable): Promise<Part> {
  const path = join(workDir, 'part')
  const [content, compressed] = [createMeter(), createMeter()]
  try {
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600 })
    await pipeline(rows, content.pass, createZstdCompress(), compressed.pass, file)
    const { sha256, bytes } = compressed.read()
    await target.put({ path, sha256, bytes })
    return { file: { sha256, bytes }, content: content.read() }
  } finally {
    await rm(path, { force: true })
  }
}

/**
 * Reads a part and compares the file and its content with their checksums.
 *
 * @param what the part, for the message
 * @param sink takes the rows. By default, they are only compared
 * @throws {BackupError} if the part is missing or damaged. The sink may have got rows before
 */
export async function readPart(source: BackupSource, what: string, part: Part, sink?: Writable): Promise<void> {
  const [content, compressed] = [createMeter(), createMeter()]
  const damaged = (reason: string) =>
    new BackupError(`${what} in ${source.place} is damaged: ${reason}. Use another backup.`)
  const { stream } = await source.open(part.file.sha256).catch((error: Error) => {
    throw damaged(error.message)
  })
  const decompress = createZstdDecompress()
  // A pipeline destroys all its streams with the first error. These listeners precede its own, so the first one that is
  // called tells which stream failed.
  let failed: 'source' | 'sink' | undefined
  for (const one of [stream, decompress]) {
    one.once('error', () => {
      failed ??= 'source'
    })
  }
  sink?.once('error', () => {
    failed ??= 'sink'
  })
  await pipeline(stream, compressed.pass, decompress, content.pass, sink ?? discard).catch((error: Error) => {
    throw failed === 'sink' ? error : damaged(error.message)
  })
  if (compressed.read().sha256 !== part.file.sha256) throw damaged('its file has another checksum')
  const { sha256, bytes, lines } = content.read()
  const isComplete = bytes === part.content.bytes && lines === part.content.lines
  if (!isComplete) throw damaged(`it has ${lines} rows instead of ${part.content.lines}`)
  if (sha256 !== part.content.sha256) throw damaged('its rows have another checksum')
}

/** Ends a pipeline whose data is not needed. */
export async function discard(chunks: AsyncIterable<unknown>): Promise<void> {
  const iterator = chunks[Symbol.asyncIterator]()
  while ((await iterator.next()).done !== true);
}
