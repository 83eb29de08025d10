import { timingSafeEqual } from 'node:crypto'
import type { Db, Trx } from '../../../platform/db/index.ts'
import { digestPersonal } from '../store.ts'
import { isStartValid, ORIGIN, sealOf } from './seal.ts'
import { type ChainedRow, type ChainPoint, countUnsealed, listChain, readChainStart } from './store.ts'

const PAGE = 1000

/** The result of a verification that found no fault. */
export interface SoundRecord {
  isSound: true
  rows: number
  first: ChainPlace | undefined
  last: ChainPlace | undefined
  /** Number of events whose personal part was erased when the account was deleted. */
  withoutPersonal: number
  unsealed: number
  /**
   * The end of the chain. If it is stored outside of the database and given to a later verification, that verification
   * detects whether the log was truncated.
   */
  head: ChainPoint
}

type Found = Pick<SoundRecord, 'rows' | 'first' | 'last' | 'withoutPersonal'>

export interface ChainPlace {
  sequence: number
  id: string
  recordedAt: Date
}

export type RecordVerdict = SoundRecord | UnsoundRecord

/** The result of a verification that found a fault. It describes the first fault. */
export interface UnsoundRecord {
  isSound: false
  fault: Fault
  /** A sentence that describes the fault. It contains the id of the event if the fault concerns a single event. */
  message: string
}

export type Fault =
  | 'missing'
  | 'changed'
  | 'personal_changed'
  | 'start_moved'
  | 'cut_off'
  | 'other_head'
  | 'head_too_old'

/**
 * Verifies the chain of security events from its start by recomputing every seal.
 *
 * @param knownHead sequence number and seal of an event that were stored earlier. The chain must still contain that
 * event with the same seal.
 */
export async function verifyRecord(db: Db, key: Buffer, knownHead: ChainPoint | undefined): Promise<RecordVerdict> {
  // The transaction reads a single snapshot of the log, while the service adds and removes events.
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute((trx) => walk(trx, key, knownHead))
}

async function walk(trx: Trx, key: Buffer, knownHead: ChainPoint | undefined): Promise<RecordVerdict> {
  const start = await readChainStart(trx)
  if (start !== undefined && !isStartValid(key, start)) {
    return unsound(
      'start_moved',
      `The stored start of the record (row ${start.sequence + 1}) was not written by this service.`,
    )
  }
  let point: ChainPoint = start ?? ORIGIN
  const known = checkHead(point, knownHead)
  if (known !== undefined) return known
  const found: Found = { rows: 0, withoutPersonal: 0, first: undefined, last: undefined }
  for (;;) {
    const page = await listChain(trx, point.sequence, PAGE)
    for (const row of page) {
      const fault =
        checkRow(key, point, row) ?? checkHead(row, knownHead?.sequence === row.sequence ? knownHead : undefined)
      if (fault !== undefined) return fault
      point = { sequence: row.sequence, seal: row.seal }
      found.last = placeOf(row)
      found.first ??= found.last
      found.rows += 1
      if (row.personal === null) found.withoutPersonal += 1
    }
    if (page.length < PAGE) break
  }
  if (knownHead !== undefined && knownHead.sequence > point.sequence) {
    return unsound(
      'cut_off',
      `The record ends with row ${point.sequence}, but the given head is row ${knownHead.sequence}: the end of the record was removed, or the record was replaced by an older copy.`,
    )
  }
  return { isSound: true, ...found, unsealed: await countUnsealed(trx), head: point }
}

/**
 * Verifies that an event follows the event before it without a gap, and that neither its sealed part nor its personal
 * part was changed. Returns the fault, or undefined.
 */
function checkRow(key: Buffer, previous: ChainPoint, row: ChainedRow): UnsoundRecord | undefined {
  const { sequence, seal, content, personal, personalSalt } = row
  if (sequence !== previous.sequence + 1) {
    const from = previous.sequence + 1
    const rows = sequence - 1 === from ? `Row ${from} is` : `Rows ${from} to ${sequence - 1} are`
    return unsound('missing', `${rows} missing before row ${nameOf(row)}.`)
  }
  const expected = sealOf(key, previous, content)
  if (seal.length !== expected.length || !timingSafeEqual(seal, expected)) {
    return unsound(
      'changed',
      `The seal of row ${nameOf(row)} is invalid: this row, or the row before it, was changed, inserted or replaced.`,
    )
  }
  const isWhole = personal === null ? personalSalt === null : personalSalt !== null && isDigestOf(row)
  if (!isWhole)
    return unsound('personal_changed', `The client's IP address or user agent in row ${nameOf(row)} was changed.`)
  return undefined
}

function isDigestOf({ content, personal, personalSalt }: ChainedRow): boolean {
  return digestPersonal(personalSalt ?? Buffer.alloc(0), personal ?? '').toString('hex') === content.personalDigest
}

/**
 * Compares a position of the chain with the head that was stored earlier. Returns the fault if the stored event was
 * removed or has another seal; otherwise undefined.
 */
function checkHead(place: ChainPoint, known: ChainPoint | undefined): UnsoundRecord | undefined {
  if (known === undefined || known.sequence > place.sequence) return undefined
  if (known.sequence < place.sequence) {
    return unsound(
      'head_too_old',
      `The event of the given head, row ${known.sequence}, was removed after its retention time: the record now begins with row ${place.sequence + 1}. Use a newer head.`,
    )
  }
  if (known.seal.equals(place.seal)) return undefined
  return unsound(
    'other_head',
    `The seal of row ${known.sequence} differs from the given head: the record was replaced by another one.`,
  )
}

function placeOf({ sequence, content }: ChainedRow): ChainPlace {
  return { sequence, id: content.id, recordedAt: new Date(Number(content.recordedAtMicros) / 1000) }
}

function nameOf({ sequence, content }: ChainedRow): string {
  return `${sequence} (${content.id})`
}

function unsound(fault: Fault, message: string): UnsoundRecord {
  return { isSound: false, fault, message }
}
