import { sql } from 'kysely'
import type { Db, Trx } from '../../../platform/db/index.ts'
import { AUTH_LOCKS } from '../../locks.ts'

/** The position of an event in the chain, with the seal of that event. */
export interface ChainPoint {
  sequence: number
  seal: Buffer
}

/** The part of an event that its seal covers. The values are text that is the same in every version of PostgreSQL. */
export interface SealedContent {
  id: string
  type: string
  result: string
  userId: string | null
  actor: string | null
  sessionId: string | null
  method: string | null
  details: string
  personalDigest: string
  recordedAtMicros: string
}

const SEALED_CONTENT = sql`
  id, type, result, user_id as "userId", actor, session_id as "sessionId", method, details::text as details,
  encode(personal_digest, 'hex') as "personalDigest",
  (extract(epoch from recorded_at) * 1000000)::bigint::text as "recordedAtMicros"`

/**
 * Locks the chain until the transaction ends, unless another transaction holds the lock.
 *
 * @returns whether the chain is now locked
 */
export async function tryLockChain(trx: Trx): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${AUTH_LOCKS.securityEventChain}) as locked`.execute(trx)
  return rows[0]?.locked === true
}

/** Locks the chain until the transaction ends, after waiting for another transaction that holds the lock. */
export async function lockChain(trx: Trx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${AUTH_LOCKS.securityEventChain})`.execute(trx)
}

/** Lists unsealed events, oldest first, without the events that another transaction has locked. */
export async function listUnsealed(trx: Trx, limit: number): Promise<SealedContent[]> {
  const { rows } = await sql<SealedContent>`
    select ${SEALED_CONTENT} from security_events where sequence is null order by id limit ${limit}
    for no key update skip locked`.execute(trx)
  return rows
}

export async function setSeals(trx: Trx, sealed: readonly (ChainPoint & { id: string })[]): Promise<void> {
  const ids = sealed.map(({ id }) => id)
  const sequences = sealed.map(({ sequence }) => sequence)
  const seals = sealed.map(({ seal }) => seal.toString('hex'))
  await sql`
    update security_events e set sequence = s.sequence, seal = decode(s.seal, 'hex')
    from unnest(${ids}::text[], ${sequences}::bigint[], ${seals}::text[]) as s (id, sequence, seal)
    where e.id = s.id`.execute(trx)
}

export interface ChainStart extends ChainPoint {
  proof: Buffer
}

/**
 * Reads the newest event that was removed from the start of the chain. Returns undefined if no event was ever removed.
 */
export async function readChainStart(db: Db | Trx): Promise<ChainStart | undefined> {
  return db.selectFrom('security_chain_start').select(['sequence', 'seal', 'proof']).executeTakeFirst()
}

/** Reads the newest sealed event. Returns undefined if no event is sealed. */
export async function readChainEnd(db: Db | Trx): Promise<ChainPoint | undefined> {
  const { rows } = await sql<ChainPoint>`
    select sequence, seal from security_events where sequence is not null order by sequence desc limit 1`.execute(db)
  return rows[0]
}

export interface ChainedRow extends ChainPoint {
  content: SealedContent
  personal: string | null
  personalSalt: Buffer | null
}

/** Lists the sealed events after a position in the chain, in order. */
export async function listChain(db: Db | Trx, afterSequence: number, limit: number): Promise<ChainedRow[]> {
  const { rows } = await sql<SealedContent & Omit<ChainedRow, 'content'>>`
    select sequence, seal, personal, personal_salt as "personalSalt", ${SEALED_CONTENT}
    from security_events where sequence > ${afterSequence} order by sequence limit ${limit}`.execute(db)
  return rows.map(({ sequence, seal, personal, personalSalt, ...content }) => ({
    sequence,
    seal,
    personal,
    personalSalt,
    content,
  }))
}

export async function countUnsealed(db: Db | Trx): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from security_events where sequence is null`.execute(db)
  return rows[0]?.count ?? 0
}

/** Lists and locks the oldest sealed events, without the events that another transaction has locked. */
export async function lockOldest(trx: Trx, limit: number): Promise<(ChainPoint & { recordedAt: Date })[]> {
  const { rows } = await sql<ChainPoint & { recordedAt: Date }>`
    select sequence, seal, recorded_at as "recordedAt" from security_events
    where sequence is not null order by sequence limit ${limit} for update skip locked`.execute(trx)
  return rows
}

/** Removes the events up to the new start of the chain, and stores the new start. */
export async function removeOldest(trx: Trx, start: ChainStart): Promise<void> {
  await sql`select set_config('platen.audit_prune', 'on', true)`.execute(trx)
  await sql`delete from security_events where sequence <= ${start.sequence}`.execute(trx)
  await sql`select set_config('platen.audit_prune', 'off', true)`.execute(trx)
  const { sequence, seal, proof } = start
  await trx
    .insertInto('security_chain_start')
    .values({ sequence, seal, proof })
    .onConflict((conflict) => conflict.column('only_row').doUpdateSet({ sequence, seal, proof }))
    .execute()
}

/** A change of the key that seals events. */
export interface KeyChange {
  position: number
  /** Identifies the key of the events after `lastSequence`. */
  keyId: string
  lastSequence: number
  /** The key of the events up to `lastSequence`, encrypted with the secret of the service. */
  earlierKeyEncrypted: Buffer
}

/** Lists all changes of the key, oldest first. There is one for each rotation of the secret. */
export async function listKeyChanges(trx: Trx): Promise<KeyChange[]> {
  return trx
    .selectFrom('security_event_keys')
    .select([
      'position',
      'key_id as keyId',
      'last_sequence as lastSequence',
      'earlier_key_encrypted as earlierKeyEncrypted',
    ])
    .orderBy('position')
    .execute()
}

export async function insertKeyChange(trx: Trx, change: Omit<KeyChange, 'position'>, at: Date): Promise<void> {
  const { keyId, lastSequence, earlierKeyEncrypted } = change
  await trx
    .insertInto('security_event_keys')
    .values({
      key_id: keyId,
      last_sequence: lastSequence,
      earlier_key_encrypted: earlierKeyEncrypted,
      changed_at: at,
    })
    .execute()
}

export async function setEarlierKey(trx: Trx, position: number, encrypted: Buffer): Promise<void> {
  await trx
    .updateTable('security_event_keys')
    .set({ earlier_key_encrypted: encrypted })
    .where('position', '=', position)
    .execute()
}

export async function setStartProof(trx: Trx, proof: Buffer): Promise<void> {
  await trx.updateTable('security_chain_start').set({ proof }).execute()
}
