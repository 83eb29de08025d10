import { timingSafeEqual } from 'node:crypto'
import type { Db, Trx } from '../../../platform/db/index.ts'
import { digestPersonal } from '../store.ts'
import { isStartValid, ORIGIN, sealOf } from './seal.ts'
import { type ChainedRow, type ChainPoint, countUnsealed, listChain, readChainStart } from './store.ts'

const PAGE = 1000

/** The result for a log without a fault. */
export interface SoundRecord {
  isSound: true
  rows: number
  first: ChainPlace | undefined
  last: ChainPlace | undefined
  /** Events whose personal part was erased with the account. */
  withoutPersonal: number
  unsealed: number
  /** The end of the chain. Stored elsewhere, it later shows whether the log was truncated. */
  head: ChainPoint
}

type Found = Pick<SoundRecord, 'rows' | 'first' | 'last' | 'withoutPersonal'>

export interface ChainPlace {
  sequence: number
  id: string
  recordedAt: Date
}

export type RecordVerdict = SoundRecord | UnsoundRecord

/** The first fault that was found. */
export interface UnsoundRecord {
  isSound: false
  fault: Fault
  /** A description, with the id of the event if the fault concerns one. */
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
 * @param knownHead an end of the chain that was stored earlier, which must still be part of it
 */
export async function verifyRecord(db: Db, key: Buffer, knownHead: ChainPoint | undefined): Promise<RecordVerdict> {
  // A single snapshot of the log, while the service adds and removes events.
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
      `The note of where the record begins (row ${start.sequence + 1}) was not made by this service.`,
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
      `The record ends with row ${point.sequence}, but once reached to row ${knownHead.sequence}: its end was cut off, or an older copy put in its place.`,
    )
  }
  return { isSound: true, ...found, unsealed: await countUnsealed(trx), head: point }
}

/** Finds the fault of the event that should follow this position. */
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
      `Row ${nameOf(row)} does not bear the seal that belongs to it: it, or the row before it, was changed, put in or exchanged.`,
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

/** Finds a contradiction between this position and a head that was stored earlier. */
function checkHead(place: ChainPoint, known: ChainPoint | undefined): UnsoundRecord | undefined {
  if (known === undefined || known.sequence > place.sequence) return undefined
  if (known.sequence < place.sequence) {
    return unsound(
      'head_too_old',
      `The noted head, row ${known.sequence}, is past its time and was removed: the record now begins with row ${place.sequence + 1}. Compare with a newer one.`,
    )
  }
  if (known.seal.equals(place.seal)) return undefined
  return unsound(
    'other_head',
    `Row ${known.sequence} bears another seal than was noted: the record was replaced by another one.`,
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
