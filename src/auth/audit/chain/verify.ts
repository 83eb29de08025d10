import { timingSafeEqual } from 'node:crypto'
import type { Db } from '../../../platform/db/index.ts'
import type { KeyDerivation } from '../../keys/secrets.ts'
import { digestPersonal } from '../store.ts'
import { type ChainKeys, inOneState, readChainKeys } from './chain-keys.ts'
import { isStartValid, ORIGIN, sealOf } from './seal.ts'
import { type ChainedRow, type ChainPoint, type ChainStart, countUnsealed, listChain, readChainStart } from './store.ts'

/** The seals of a page are computed without a pause, which takes a few milliseconds. */
const PAGE = 500

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
  /** The first event that is missing or was changed. Its id is null if only its place in the chain is known. */
  place: { sequence: number; id: string | null }
  /** Number of events before the fault that were verified. */
  rows: number
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

/** A fault, before the walk adds how many events it has verified. */
type FoundFault = Omit<UnsoundRecord, 'rows'>

/**
 * Verifies the chain of security events from its start by recomputing every seal. It reads page by page, each with a
 * statement of its own: no transaction stays open for a long log, and requests are served between the pages. While it
 * runs, the service may add events at the end, and remove events from the start.
 *
 * @param knownHead sequence number and seal of an event that were stored earlier. The chain must still contain that
 * event with the same seal.
 * @param signal stops the verification
 */
export async function verifyRecord(
  db: Db,
  keys: KeyDerivation,
  knownHead: ChainPoint | undefined,
  signal?: AbortSignal,
): Promise<RecordVerdict> {
  const walk = new Walk(knownHead)
  const begin = async (): Promise<FoundFault | undefined> => {
    const state = await inOneState(db, async (trx) => ({
      start: await readChainStart(trx),
      chainKeys: await readChainKeys(trx, keys),
    }))
    return walk.begin(state.start, state.chainKeys)
  }
  let fault = await begin()
  while (fault === undefined) {
    signal?.throwIfAborted()
    const page = await listChain(db, walk.point.sequence, PAGE)
    if (page[0]?.sequence !== walk.point.sequence + 1) {
      // Either events are missing, or the service has removed them after their retention time.
      const start = await readChainStart(db)
      if (start !== undefined && start.sequence > walk.point.sequence) {
        fault = await begin()
        continue
      }
    }
    // The keys are read after the page: then the keys of all its events are among them.
    fault = walk.check(page, await inOneState(db, (trx) => readChainKeys(trx, keys)))
    if (fault === undefined && page.length < PAGE) break
  }
  fault ??= walk.end()
  if (fault !== undefined) return { ...fault, rows: walk.found.rows }
  return { isSound: true, ...walk.found, unsealed: await countUnsealed(db), head: walk.point }
}

/** The state of a verification: up to which event the chain is verified, and what was counted. */
class Walk {
  readonly found: Found = { rows: 0, withoutPersonal: 0, first: undefined, last: undefined }
  point: ChainPoint = ORIGIN
  readonly #knownHead: ChainPoint | undefined

  constructor(knownHead: ChainPoint | undefined) {
    this.#knownHead = knownHead
  }

  /** Moves to the start of the chain, which the service stores when it removes old events. */
  begin(start: ChainStart | undefined, keys: ChainKeys): FoundFault | undefined {
    if (start !== undefined && !isStartValid(keys.current, start)) {
      const sequence = start.sequence + 1
      return unsound(
        'start_moved',
        { sequence, id: null },
        `The stored start of the record (row ${sequence}) was not written by this service.`,
      )
    }
    this.point = start ?? ORIGIN
    return checkHead(this.point, this.#knownHead)
  }

  check(page: readonly ChainedRow[], keys: ChainKeys): FoundFault | undefined {
    for (const row of page) {
      const isKnown = this.#knownHead?.sequence === row.sequence
      const fault =
        checkRow(keys.of(row.sequence), this.point, row) ?? checkHead(row, isKnown ? this.#knownHead : undefined)
      if (fault !== undefined) return fault
      this.point = { sequence: row.sequence, seal: row.seal }
      this.found.last = placeOf(row)
      this.found.first ??= this.found.last
      this.found.rows += 1
      if (row.personal === null) this.found.withoutPersonal += 1
    }
    return undefined
  }

  end(): FoundFault | undefined {
    const { sequence } = this.point
    if (this.#knownHead === undefined || this.#knownHead.sequence <= sequence) return undefined
    return unsound(
      'cut_off',
      { sequence: sequence + 1, id: null },
      `The record ends with row ${sequence}, but the given head is row ${this.#knownHead.sequence}: the end of the record was removed, or the record was replaced by an older copy.`,
    )
  }
}

/**
 * Verifies that an event follows the event before it without a gap, and that neither its sealed part nor its personal
 * part was changed. Returns the fault, or undefined.
 */
function checkRow(key: Buffer, previous: ChainPoint, row: ChainedRow): FoundFault | undefined {
  const { sequence, seal, content, personal, personalSalt } = row
  if (sequence !== previous.sequence + 1) {
    const from = previous.sequence + 1
    const rows = sequence - 1 === from ? `Row ${from} is` : `Rows ${from} to ${sequence - 1} are`
    return unsound('missing', { sequence: from, id: null }, `${rows} missing before row ${nameOf(row)}.`)
  }
  const expected = sealOf(key, previous, content)
  if (seal.length !== expected.length || !timingSafeEqual(seal, expected)) {
    return unsound(
      'changed',
      { sequence, id: content.id },
      `The seal of row ${nameOf(row)} is invalid: this row, or the row before it, was changed, inserted or replaced.`,
    )
  }
  const isWhole = personal === null ? personalSalt === null : personalSalt !== null && isDigestOf(row)
  if (!isWhole)
    return unsound(
      'personal_changed',
      { sequence, id: content.id },
      `The client's IP address or user agent in row ${nameOf(row)} was changed.`,
    )
  return undefined
}

function isDigestOf({ content, personal, personalSalt }: ChainedRow): boolean {
  return digestPersonal(personalSalt ?? Buffer.alloc(0), personal ?? '').toString('hex') === content.personalDigest
}

/**
 * Compares a position of the chain with the head that was stored earlier. Returns the fault if the stored event was
 * removed or has another seal; otherwise undefined.
 */
function checkHead(place: ChainPoint, known: ChainPoint | undefined): FoundFault | undefined {
  if (known === undefined || known.sequence > place.sequence) return undefined
  if (known.sequence < place.sequence) {
    return unsound(
      'head_too_old',
      { sequence: known.sequence, id: null },
      `The event of the given head, row ${known.sequence}, was removed after its retention time: the record now begins with row ${place.sequence + 1}. Use a newer head.`,
    )
  }
  if (known.seal.equals(place.seal)) return undefined
  return unsound(
    'other_head',
    { sequence: known.sequence, id: null },
    `The seal of row ${known.sequence} differs from the given head: the record was replaced by another one.`,
  )
}

function placeOf({ sequence, content }: ChainedRow): ChainPlace {
  return { sequence, id: content.id, recordedAt: new Date(Number(content.recordedAtMicros) / 1000) }
}

function nameOf({ sequence, content }: ChainedRow): string {
  return `${sequence} (${content.id})`
}

function unsound(fault: Fault, place: UnsoundRecord['place'], message: string): FoundFault {
  return { isSound: false, fault, place, message }
}
