import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createZstdDecompress } from 'node:zlib'
import { createChecksum } from '../../cryptography/checksum.ts'
import { archiveFault } from '../archive/archive-fault.ts'
import type { LogFolder } from '../archive/log-folder.ts'
import { BASE_FILE, type BaseCopy } from '../archive/read-logs.ts'
import { readTar, type TarSink } from './tar.ts'

/**
 * Writes the files of a base copy to a new folder.
 *
 * @throws EmbeddedPostgresError `archive_fault` if the copy is damaged
 * @throws the error of the system if the files cannot be written, as on a full disk
 */
export async function unpackBaseCopy({ bases }: LogFolder, base: BaseCopy, cluster: string): Promise<void> {
  const path = join(bases, base.id, BASE_FILE)
  await mkdir(cluster, { mode: 0o700 })
  const files = createFileSink(cluster)
  try {
    await readBase(path, base, files)
  } finally {
    await files.end()
  }
}

/** Reads a base copy completely. @throws EmbeddedPostgresError `archive_fault` if it is damaged */
export async function verifyBaseCopy({ bases }: LogFolder, base: BaseCopy): Promise<void> {
  const ignore = async () => undefined
  await readBase(join(bases, base.id, BASE_FILE), base, { begin: ignore, write: ignore, end: ignore })
}

async function readBase(path: string, base: BaseCopy, sink: TarSink): Promise<void> {
  const checksum = createChecksum()
  const failures: unknown[] = []
  const noting = noteFailures(sink, failures)
  try {
    await pipeline(createReadStream(path), checksum.pass, createZstdDecompress(), (chunks: AsyncIterable<Buffer>) =>
      readTar(chunks, noting),
    )
  } catch (error) {
    // The destination failed, which says nothing about the copy.
    if (failures.length > 0) throw failures[0]
    throw archiveFault(`The base copy ${path} cannot be read: ${(error as Error).message}.`)
  }
  if (checksum.read().sha256 === base.file.sha256) return
  throw archiveFault(`The base copy ${path} has another checksum.`)
}

function noteFailures(sink: TarSink, failures: unknown[]): TarSink {
  const noting = (work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => {
      failures.push(error)
      throw error
    })
  return {
    begin: (entry) => noting(sink.begin(entry)),
    write: (bytes) => noting(sink.write(bytes)),
    end: () => noting(sink.end()),
  }
}

function createFileSink(root: string): TarSink {
  let file: FileHandle | undefined
  return {
    begin: async ({ name }) => {
      const path = join(root, name)
      if (name.endsWith('/')) await mkdir(path, { mode: 0o700 })
      else file = await open(path, 'wx', 0o600)
    },
    write: async (bytes) => {
      await file?.writeFile(bytes)
    },
    end: async () => {
      const ended = file
      file = undefined
      await ended?.close()
    },
  }
}
