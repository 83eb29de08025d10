import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db, Trx } from '../../../platform/db/index.ts'
import type { PaymentStatus } from '../../order/state.ts'
import type { Charge } from '../providers/provider.ts'

/** `open`, `action_required` and `authorized` are under way; of those one at most belongs to a payment. */
export type AttemptStatus =
  | 'open'
  | 'action_required'
  | 'authorized'
  | 'captured'
  | 'declined'
  | 'unanswered'
  | 'releasing'
  | 'released'

const ACTIVE = ['open', 'action_required', 'authorized'] as const satisfies AttemptStatus[]
const UNFINISHED = [...ACTIVE, 'releasing'] as const

export type AttemptOutcome = 'captured' | 'declined' | 'unanswered'

/** One try to charge an order. */
export interface PaymentAttempt extends Charge {
  paymentId: string
  provider: string
  status: AttemptStatus
  startedAt: Date
  /** Until then the process that asked the provider may still be waiting for the answer; then a job goes on. */
  leasedUntil: Date
  /** Of the process that asks the provider; null: none does. */
  leaseToken: string | null
  /** How often giving its money back has failed. */
  releaseTries: number
}

/** An attempt about which this process asks the provider. What it learns counts as long as the lease is its own. */
export type LeasedAttempt = PaymentAttempt & { leaseToken: string }

type Leased = Pick<LeasedAttempt, 'id' | 'leaseToken'>

export async function setPaymentStatus(trx: Trx, id: string, status: PaymentStatus): Promise<void> {
  await trx.updateTable('payments').set({ status }).where('id', '=', id).execute()
}

/** Marks the whole amount as paid. */
export async function setCaptured(
  trx: Trx,
  id: string,
  { method, reference, at }: { method: string; reference: string | null; at: Date },
): Promise<void> {
  await trx
    .updateTable('payments')
    .set(({ ref }) => ({ status: 'captured', method, reference, captured_amount: ref('amount'), captured_at: at }))
    .where('id', '=', id)
    .execute()
}

function selectAttempts(db: Db | Trx) {
  return db
    .selectFrom('payment_attempts')
    .innerJoin('payments', 'payments.id', 'payment_attempts.payment_id')
    .innerJoin('orders', 'orders.id', 'payments.order_id')
    .select([
      'payment_attempts.id',
      'payment_attempts.payment_id as paymentId',
      'payment_attempts.provider',
      'payment_attempts.token',
      'payment_attempts.status',
      'payment_attempts.reference',
      'payment_attempts.started_at as startedAt',
      'payment_attempts.leased_until as leasedUntil',
      'payment_attempts.lease_token as leaseToken',
      'payment_attempts.release_tries as releaseTries',
      'orders.id as orderId',
      'orders.number as orderNumber',
      'orders.currency',
      'payments.amount',
    ])
    .$narrowType<{ status: AttemptStatus }>()
}

/** The attempt of an order that is under way, if there is one. */
export async function findActiveAttempt(db: Db | Trx, orderId: string): Promise<PaymentAttempt | undefined> {
  return selectAttempts(db)
    .where('orders.id', '=', orderId)
    .where('payment_attempts.status', 'in', ACTIVE)
    .executeTakeFirst()
}

/** By what the provider calls the charge. */
export async function findAttempt(
  db: Db,
  { provider, reference }: { provider: string; reference: string },
): Promise<PaymentAttempt | undefined> {
  return selectAttempts(db)
    .where('payment_attempts.provider', '=', provider)
    .where('payment_attempts.reference', '=', reference)
    .executeTakeFirst()
}

/** Writes an attempt before its provider is asked, and holds it. Returns what the provider calls it, where that follows from its id. */
export async function insertAttempt(
  trx: Trx,
  {
    paymentId,
    provider,
    token,
    isRegistered,
    at,
    leasedUntil,
  }: {
    paymentId: string
    provider: string
    token: string
    /** Whether the provider gives charges names of its own. */
    isRegistered: boolean
    at: Date
    leasedUntil: Date
  },
): Promise<Leased & { reference: string | null }> {
  const id = randomUUID()
  const leaseToken = randomUUID()
  const reference = isRegistered ? null : `${provider}_${id}`
  const times = { started_at: at, leased_until: leasedUntil }
  const row = {
    id,
    payment_id: paymentId,
    provider,
    token,
    status: 'open',
    reference,
    lease_token: leaseToken,
    ...times,
  }
  await trx.insertInto('payment_attempts').values(row).execute()
  return { id, reference, leaseToken }
}

/** What only the holder of an attempt may change, while it is in one of these states. */
function updateLeased(db: Db | Trx, { id, leaseToken }: Leased, statuses: readonly AttemptStatus[]) {
  return db
    .updateTable('payment_attempts')
    .where('id', '=', id)
    .where('lease_token', '=', leaseToken)
    .where('status', 'in', statuses)
    .returning('id')
}

const NO_LEASE = { lease_token: null }

/** Notes what the provider calls an attempt. Tells whether it was still held, as the other functions here do. */
export async function setReference(
  db: Db,
  held: Leased,
  { reference, leasedUntil }: { reference: string; leasedUntil: Date },
): Promise<boolean> {
  const noted = await updateLeased(db, held, ['open'])
    .set({ reference, leased_until: leasedUntil })
    .where((attempt) => attempt.or([attempt('reference', 'is', null), attempt('reference', '=', reference)]))
    .executeTakeFirst()
  return noted !== undefined
}

export async function renewLease(db: Db, held: Leased, leasedUntil: Date): Promise<boolean> {
  const renewed = await updateLeased(db, held, UNFINISHED).set({ leased_until: leasedUntil }).executeTakeFirst()
  return renewed !== undefined
}

/** The provider holds the money, and its process goes on to take it. */
export async function setAuthorized(trx: Trx, held: Leased, leasedUntil: Date): Promise<boolean> {
  const moved = await updateLeased(trx, held, ACTIVE)
    .set({ status: 'authorized', leased_until: leasedUntil })
    .executeTakeFirst()
  return moved !== undefined
}

/** The customer has to act, and nobody waits for the provider. A charge that was authorized does not come back here. */
export async function setActionRequired(db: Db, held: Leased, lookAgainAt: Date): Promise<boolean> {
  const moved = await updateLeased(db, held, ['open', 'action_required'])
    .set({ ...NO_LEASE, status: 'action_required', leased_until: lookAgainAt })
    .executeTakeFirst()
  return moved !== undefined
}

/** Nobody waits for the provider's answer any more. */
export async function endLease(db: Db, held: Leased, at: Date): Promise<void> {
  await updateLeased(db, held, ACTIVE)
    .set({ ...NO_LEASE, leased_until: at })
    .execute()
}

/** Nobody waits for any answer any more: whoever did was killed. */
export async function releaseAbandonedAttempts(trx: Trx, at: Date): Promise<void> {
  await trx
    .updateTable('payment_attempts')
    .set({ ...NO_LEASE, leased_until: at })
    .where('status', 'in', UNFINISHED)
    .where('lease_token', 'is not', null)
    .execute()
}

/** Closes an attempt. Undefined: its holder is somebody else, or it has ended; its outcome counts once. */
export async function endAttempt(
  trx: Trx,
  held: Leased,
  status: AttemptOutcome,
  at: Date,
): Promise<{ reference: string | null } | undefined> {
  return updateLeased(trx, held, ACTIVE)
    .set({ ...NO_LEASE, status, ended_at: at })
    .returning('reference')
    .executeTakeFirst()
}

/**
 * Hands an attempt that is under way over to the job that gives its money back.
 *
 * @param leaseToken of the caller, if it holds the attempt; otherwise nobody may
 */
export async function setReleasing(
  trx: Trx,
  { id, leaseToken }: { id: string; leaseToken: string | undefined },
  now: Date,
): Promise<boolean> {
  const moved = await trx
    .updateTable('payment_attempts')
    .set({ ...NO_LEASE, status: 'releasing', leased_until: now })
    .where('id', '=', id)
    .where('status', 'in', ACTIVE)
    .where((attempt) => (leaseToken === undefined ? isUnleasedAt(now) : attempt('lease_token', '=', leaseToken)))
    .returning('id')
    .executeTakeFirst()
  return moved !== undefined
}

/** Has the money of an attempt given back that had ended without any, or whose return came back. */
export async function reopenForRelease(db: Db, id: string, at: Date): Promise<void> {
  await db
    .updateTable('payment_attempts')
    .set({ ...NO_LEASE, status: 'releasing', leased_until: at })
    .where('id', '=', id)
    .where('status', 'in', ['declined', 'unanswered', 'released'])
    .execute()
}

export async function setReleased(trx: Trx, held: Leased, at: Date): Promise<boolean> {
  const released = await updateLeased(trx, held, ['releasing'])
    .set({ ...NO_LEASE, status: 'released', ended_at: at })
    .executeTakeFirst()
  return released !== undefined
}

/** The money could not be given back; that is tried again then. */
export async function postponeRelease(db: Db, held: Leased, until: Date): Promise<void> {
  await updateLeased(db, held, ['releasing'])
    .set((attempt) => ({ ...NO_LEASE, leased_until: until, release_tries: attempt.eb('release_tries', '+', 1) }))
    .execute()
}

/** The status of an attempt as it is now. */
export async function findAttemptStatus(db: Db | Trx, id: string): Promise<AttemptStatus | undefined> {
  const row = await selectAttempts(db).where('payment_attempts.id', '=', id).executeTakeFirst()
  return row?.status
}

/**
 * Whether nobody asks the provider about an attempt. One for which its customer has to act may be looked at before its
 * time. (An older version holds without a token.)
 */
function isUnleasedAt(now: Date) {
  return sql<boolean>`(payment_attempts.leased_until <= ${now}
    or payment_attempts.status = 'action_required' and payment_attempts.lease_token is null)`
}

export interface LeaseRequest {
  providers: readonly string[]
  now: Date
  leasedUntil: Date
  /** Only of this order. */
  orderId?: string | undefined
  /** Only this one; whether its customer has acted is looked up whenever nobody else does. */
  attemptId?: string | undefined
}

/**
 * Takes over an attempt that nobody holds and that is due, the one that has waited longest: at most one caller gets it,
 * and whoever held it before changes nothing any more.
 */
export async function leaseAttempt(
  db: Db,
  { providers, orderId, attemptId, now, leasedUntil }: LeaseRequest,
): Promise<LeasedAttempt | undefined> {
  if (providers.length === 0) return undefined
  let due = db
    .selectFrom('payment_attempts')
    .innerJoin('payments', 'payments.id', 'payment_attempts.payment_id')
    .select('payment_attempts.id')
    .where('payment_attempts.status', 'in', UNFINISHED)
    .where((attempt) =>
      attemptId === undefined ? attempt('payment_attempts.leased_until', '<=', now) : isUnleasedAt(now),
    )
    .where('payment_attempts.provider', 'in', providers)
  if (orderId !== undefined) due = due.where('payments.order_id', '=', orderId)
  if (attemptId !== undefined) due = due.where('payment_attempts.id', '=', attemptId)
  const first = due.orderBy('payment_attempts.leased_until').limit(1).forUpdate('payment_attempts').skipLocked()
  const leaseToken = randomUUID()
  const taken = await db
    .updateTable('payment_attempts')
    .set({ leased_until: leasedUntil, lease_token: leaseToken })
    .where('id', '=', first)
    .returning('id')
    .executeTakeFirst()
  if (taken === undefined) return undefined
  const attempt = await selectAttempts(db).where('payment_attempts.id', '=', taken.id).executeTakeFirst()
  return attempt && { ...attempt, leaseToken }
}
