import { rm } from 'node:fs/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../clock.ts'
import type { Db, Trx } from '../db/index.ts'
import { idempotently } from '../http/idempotency.ts'
import { locationOfNew } from '../http/location.ts'
import type { Storage } from '../storage/index.ts'
import { declaredSize, discardRest, type ReceivedFile, receiveUpload } from './receive-upload.ts'

interface UploadDeps {
  db: Db
  clock: Clock
  storage: Storage
}

interface Upload<Kept, Body> {
  maxBytes: number
  /** Throws unless the file can be used. Answers what is to be kept of it: the file itself, or another one in `dir`. */
  examine(received: ReceivedFile, dir: string): Promise<Kept>
  /** Adds the record of bytes that the storage has and holds, or finds the one there is. */
  record(trx: Trx, kept: Kept): Promise<{ body: Body; created: boolean }>
}

/**
 * Answers an upload: receives the file, has it examined, hands its bytes to the storage and records them; 201, or 200
 * for a record there was. Room on the disk is taken before anything is written. Whatever fails leaves nothing but bytes that the storage's collection removes.
 *
 * @throws as `receiveUpload`, `idempotently`, and what `examine` and `record` throw; `storage_unavailable`
 */
export async function takeUpload<Kept extends { path: string; sha256: string }, Body extends { id: string }>(
  deps: UploadDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { maxBytes, examine, record }: Upload<Kept, Body>,
): Promise<Body> {
  const { storage } = deps
  const room = new AsyncDisposableStack()
  try {
    const dir = await takeRoom(storage, request, maxBytes, room)
    const received = await receiveUpload(request, dir, {
      maxBytes,
      onProgress: () => storage.requireFree(),
    })
    const kept = await examine(received, dir)
    // Before the row is committed: a record whose bytes are missing must not exist, bytes without a record may.
    await storage.adopt(kept)
    const add = async (trx: Trx) => {
      await storage.hold(trx, [kept.sha256])
      const { body, created } = await record(trx, kept)
      return { status: created ? 201 : 200, body, headers: locationOfNew(request, body) }
    }
    return await idempotently(deps, request, reply, add, received.sha256)
  } finally {
    await room.disposeAsync()
  }
}

/**
 * Takes room on the disk, then a work folder. A request that is refused has written nothing.
 *
 * @param room gives both back when it is disposed of
 */
async function takeRoom(
  storage: Storage,
  request: FastifyRequest,
  maxBytes: number,
  room: AsyncDisposableStack,
): Promise<string> {
  try {
    // What is too large is refused on arrival; a body of undeclared length may be as long as any.
    const declared = declaredSize(request)?.most ?? maxBytes
    room.defer(await storage.admit(Math.min(declared, maxBytes)))
    const dir = await storage.createWorkDir()
    room.defer(() => rm(dir, { recursive: true, force: true }))
    return dir
  } catch (error) {
    discardRest(request)
    throw error
  }
}
