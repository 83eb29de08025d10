import { sql } from 'kysely'
import type { Db, Trx } from '../../../platform/db/index.ts'
import { LOCKS } from '../../../platform/db/locks.ts'

/** A place in the chain, and the seal that stands there. */
export interface ChainPoint {
  sequence: number
  seal: Buffer
}

/** The sealed part of a row, as text that is the same in every version of PostgreSQL. */
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

/** Whether this transaction may now change the chain, alone. */
export async function tryLockChain(trx: Trx): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${LOCKS.securityEventChain}) as locked`.execute(trx)
  return rows[0]?.locked === true
}

/** Waits until this transaction may change the chain, alone. */
export async function lockChain(trx: Trx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCKS.securityEventChain})`.execute(trx)
}

/** The rows that wait for their seal, oldest first. One that is being changed at this moment waits on. */
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

/** The last row that was removed from the chain's beginning; undefined while it is whole. */
export async function readChainStart(db: Db | Trx): Promise<ChainStart | undefined> {
  return db.selectFrom('security_chain_start').select(['sequence', 'seal', 'proof']).executeTakeFirst()
}

/** The newest sealed row; undefined when there is none. */
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

/** The rows that follow a place in the chain, in order. */
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

/** The oldest rows of the chain, locked; it ends before one that is being changed at this moment. */
export async function lockOldest(trx: Trx, limit: number): Promise<(ChainPoint & { recordedAt: Date })[]> {
  const { rows } = await sql<ChainPoint & { recordedAt: Date }>`
    select sequence, seal, recorded_at as "recordedAt" from security_events
    where sequence is not null order by sequence limit ${limit} for update skip locked`.execute(trx)
  return rows
}

/** Removes the beginning of the chain, and notes where it now begins. */
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
