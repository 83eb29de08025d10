import { rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../clock.ts'
import type { Db, Trx } from '../../db/index.ts'
import { Problem } from '../../problem.ts'
import type { Admission, Reservation, Storage } from '../../storage/index.ts'
import { signalOfHangUp } from '../connections/hang-up.ts'
import { findReplay, hasAnswer, idempotently } from '../idempotency/idempotency.ts'
import { locationOfNew } from '../responses/location.ts'
import { declaredSize, discardRest, type ReceivedFile, receiveStream, receiveUpload } from './receive-upload.ts'

interface UploadDeps {
  db: Db
  clock: Clock
  storage: Storage
}

interface Bytes {
  least: number
  wanted: number
}

interface Upload<Kept, Body> {
  maxBytes: number
  /** Left out if the request contains the file. */
  source?: {
    /** Identifies the request for `Idempotency-Key`; a repetition does not fetch the file again. */
    fingerprint: string
    open(): Promise<Readable>
  }
  /** Reserves room in the quota of the owner. Left out for files that belong to no account. */
  reserve?(bytes: Bytes): Promise<Reservation>
  /**
   * Checks the file and throws if it cannot be used. Returns the file to store: the file itself, or another file in
   * `dir`.
   */
  examine(received: ReceivedFile, dir: string): Promise<Kept>
  /** Maximum number of bytes that `examine` writes. Absent if it writes nothing. */
  unpackedBytes?: number
  /** Adds the record for the stored bytes and charges its owner, or finds the existing record. */
  record(trx: Trx, kept: Kept): Promise<{ body: Body; created: boolean }>
}

/**
 * Handles an upload: receives the file, checks it, stores its bytes and adds its record. Responds with 201, or with 200
 * for an existing record. Room on the disk and in the quota of the owner is reserved before anything is written. The file
 * is read as fast as its caller may write, whether its bytes are stored already or not. A
 * repeated request needs no room in the quota: its file is received and compared, and the stored response is sent. A
 * failure leaves at most bytes that garbage collection deletes. Until then, they count towards the quota of the owner.
 *
 * @throws `rate_limited`, `storage_unavailable`, `storage_quota_exceeded`, and the problems of `receiveUpload`,
 *   `idempotently`, `examine` and `record`
 */
export async function takeUpload<Kept extends ReceivedFile, Body extends { id: string }>(
  deps: UploadDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  upload: Upload<Kept, Body>,
): Promise<Body> {
  const { storage } = deps
  const { maxBytes, examine, record, reserve, source, unpackedBytes = 0 } = upload
  const known = source && (await findReplay<Body>(deps, request, reply, source.fingerprint))
  if (known !== undefined) return known
  const room = new AsyncDisposableStack()
  const hangUp = signalOfHangUp(reply)
  let refusal: Problem | undefined
  const unlessRepeated = async <Result>(taking: Promise<Result>): Promise<Result | undefined> => {
    try {
      return await taking
    } catch (error) {
      const isExceeded = error instanceof Problem && error.code === 'storage_quota_exceeded'
      if (!isExceeded || !(await hasAnswer(deps, request))) throw error
      refusal = error
      return undefined
    }
  }
  try {
    const leniently = reserve && { reserve: (bytes: Bytes) => unlessRepeated(reserve(bytes)) }
    const { dir, admission, reservation } = await takeRoom(
      storage,
      request,
      { maxBytes, isElsewhere: source !== undefined, ...leniently },
      room,
    )
    let pacedBytes = 0
    const options = {
      maxBytes,
      onProgress: async (bytes: number) => {
        await storage.pace(bytes - pacedBytes, hangUp)
        pacedBytes = bytes
        await admission.cover(bytes)
        if (reservation !== undefined && refusal === undefined) await unlessRepeated(reservation.cover(bytes))
      },
    }
    const received =
      source === undefined
        ? await receiveUpload(request, dir, options)
        : await receiveStream(await source.open(), dir, options)
    const fingerprint = source?.fingerprint ?? received.sha256
    const replayed = await findReplay<Body>(deps, request, reply, fingerprint)
    if (replayed !== undefined) return replayed
    if (refusal !== undefined) throw refusal
    if (unpackedBytes > 0) await admission.cover(received.bytes + unpackedBytes)
    const kept = await examine(received, dir)
    // A stored font can be larger than the uploaded file, so the additional bytes are reserved before they are stored.
    await reservation?.cover(kept.bytes)
    if (kept.bytes > received.bytes) await storage.pace(kept.bytes - received.bytes, hangUp)
    // The bytes are stored before the record is committed. Bytes without a record are harmless, but a record without
    // bytes must not exist.
    await storage.store(kept)
    const add = async (trx: Trx) => {
      await storage.retain(trx, [kept.sha256])
      const { body, created } = await record(trx, kept)
      await reservation?.settle(trx, created ? kept.bytes : 0)
      return { status: created ? 201 : 200, body, headers: locationOfNew(request, body) }
    }
    return await idempotently(deps, request, reply, add, fingerprint).catch(async (error: unknown) => {
      await reservation?.settleUnrecorded(kept)
      throw error
    })
  } finally {
    await room.disposeAsync()
  }
}

interface RoomNeeded {
  maxBytes: number
  /** The request does not contain the file, so its length says nothing. */
  isElsewhere: boolean
  reserve?: (bytes: Bytes) => Promise<Reservation | undefined>
}

interface Room {
  admission: Admission
  reservation: Reservation | undefined
  dir: string
}

/**
 * Reserves room on the disk and in the quota, then creates a work folder. A rejected request has written nothing.
 *
 * @param room releases all reservations when it is disposed
 */
async function takeRoom(
  storage: Storage,
  request: FastifyRequest,
  { maxBytes, isElsewhere, reserve }: RoomNeeded,
  room: AsyncDisposableStack,
): Promise<Room> {
  const { wanted, ...size } = sizeOf(isElsewhere ? undefined : declaredSize(request), maxBytes)
  try {
    storage.requireRoom()
    const admission = await storage.admit(size)
    room.defer(admission.end)
    const reservation = await reserve?.({ least: size.least, wanted })
    room.defer(async () => reservation?.release())
    const dir = await storage.createWorkDir()
    room.defer(() => rm(dir, { recursive: true, force: true }))
    return { admission, reservation, dir }
  } catch (error) {
    discardRest(request)
    throw error
  }
}

/** Number of bytes that are reserved at first for an upload of undeclared length. */
const UNDECLARED_BYTES = 4 * 1024 * 1024

/**
 * Returns the largest possible size of the file, and the room that it needs at the start. A file that is too large is
 * rejected when it is received.
 */
function sizeOf(declared: ReturnType<typeof declaredSize>, maxBytes: number): Bytes & { most: number } {
  if (declared === undefined) return { least: 1, wanted: Math.min(UNDECLARED_BYTES, maxBytes), most: maxBytes }
  const most = Math.min(declared.most, maxBytes)
  return { least: Math.min(declared.least, maxBytes), wanted: most, most }
}
