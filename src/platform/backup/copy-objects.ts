import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { forEachAtOnce } from '../concurrency/for-each.ts'
import { type NewObject, type ObjectSource, openIfThere, type StoredObject } from '../storage/index.ts'
import type { Part } from './format/manifest.ts'
import { createMeter } from './format/meter.ts'
import { readPart } from './format/parts.ts'
import type { BackupSource } from './format/places.ts'

export interface ObjectSink {
  list(): AsyncIterable<StoredObject[]>
  put(object: NewObject): Promise<void>
}

export interface CopiedObjects {
  /** Number of objects that the destination did not contain. */
  copied: number
  bytes: number
  /** Hashes of objects that are missing or damaged in the source. They were not copied. */
  damaged: string[]
}

const CONCURRENCY = 4

/** Copies listed objects that the destination does not contain. Compares the bytes of each with its hash. */
export async function copyObjects(
  listed: AsyncIterable<StoredObject>,
  { from, to, workDir }: { from: ObjectSource; to: ObjectSink; workDir: string },
): Promise<CopiedObjects> {
  const present = await readSizes(to)
  const result: CopiedObjects = { copied: 0, bytes: 0, damaged: [] }
  const copy = async (object: StoredObject): Promise<void> => {
    if (present.get(object.sha256) === object.bytes) return
    if (!(await copyObject(object, { from, to, workDir }))) return void result.damaged.push(object.sha256)
    result.copied += 1
    result.bytes += object.bytes
  }
  await forEachAtOnce(listed, CONCURRENCY, copy)
  return result
}

/** Lists the sizes of all objects of a store. */
export async function readSizes({ list }: Pick<ObjectSink, 'list'>): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  for await (const batch of list()) for (const { sha256, bytes } of batch) sizes.set(sha256, bytes)
  return sizes
}

/** Returns false if the object is missing or damaged in the source. */
async function copyObject(
  { sha256, bytes }: StoredObject,
  { from, to, workDir }: { from: ObjectSource; to: ObjectSink; workDir: string },
): Promise<boolean> {
  const path = join(workDir, sha256)
  const meter = createMeter()
  try {
    const stream = await openIfThere(from, sha256)
    if (stream === undefined) return false
    await pipeline(stream, meter.pass, createWriteStream(path, { mode: 0o600 }))
    if (meter.read().sha256 !== sha256) return false
    await to.put({ path, sha256, bytes })
    return true
  } finally {
    await rm(path, { force: true })
  }
}

/** Reads the list of the objects of a backup. */
export async function* readObjectList(source: BackupSource, list: Part): AsyncGenerator<StoredObject> {
  const lines = new PassThrough()
  const reading = readPart(source, 'The list of the stored files', list, lines)
  reading.catch((error: Error) => lines.destroy(error))
  try {
    yield* parseList(lines)
  } catch (error) {
    // Reading fails with the reason for the operator.
    await reading
    throw error
  }
  await reading
}

async function* parseList(chunks: AsyncIterable<Buffer>): AsyncGenerator<StoredObject> {
  let rest = ''
  for await (const chunk of chunks) {
    const complete = `${rest}${chunk.toString('latin1')}`.split('\n')
    rest = complete.pop() ?? ''
    for (const line of complete) {
      const [sha256 = '', bytes] = line.split(' ')
      yield { sha256, bytes: Number(bytes) }
    }
  }
}

export function toListLine({ sha256, bytes }: StoredObject): string {
  return `${sha256} ${bytes}\n`
}
