import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db, Trx } from '../../../platform/db/index.ts'
import { defineLeases } from '../../../platform/db/locking/leases.ts'
import type { PaymentStatus } from '../../order/state.ts'
import type { Charge } from '../providers/provider.ts'

/** `open`, `action_required` and `authorized` are active. A payment has at most one active attempt. */
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

export interface PaymentAttempt extends Charge {
  paymentId: string
  provider: string
  status: AttemptStatus
  startedAt: Date
  /** End of the lease. Afterwards a job can continue the attempt. */
  leasedUntil: Date
  /** Token of the lease. Null means that no process works on the attempt. */
  leaseToken: string | null
  releaseTries: number
}

/** An attempt that this process works on. Changes by this process take effect only while it holds the lease. */
export type LeasedAttempt = PaymentAttempt & { leaseToken: string }

type Leased = Pick<LeasedAttempt, 'id' | 'leaseToken'>

export async function setPaymentStatus(trx: Trx, id: string, status: PaymentStatus): Promise<void> {
  await trx.updateTable('payments').set({ status }).where('id', '=', id).execute()
}

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

export async function findActiveAttempt(db: Db | Trx, orderId: string): Promise<PaymentAttempt | undefined> {
  return selectAttempts(db)
    .where('orders.id', '=', orderId)
    .where('payment_attempts.status', 'in', ACTIVE)
    .executeTakeFirst()
}

/**
 * Finds an attempt by the id of its charge at the provider.
 *
 * @param attemptId the id of the attempt according to the provider, for a charge that has got another id since
 */
export async function findAttempt(
  db: Db,
  { provider, reference, attemptId }: { provider: string; reference: string; attemptId?: string | undefined },
): Promise<PaymentAttempt | undefined> {
  const attempts = selectAttempts(db).where('payment_attempts.provider', '=', provider)
  const found = await attempts.where('payment_attempts.reference', '=', reference).executeTakeFirst()
  if (found !== undefined || attemptId === undefined) return found
  return attempts.where('payment_attempts.id', '=', attemptId).executeTakeFirst()
}

/**
 * Inserts an attempt with a lease, before the service calls the provider.
 *
 * @returns the attempt; its `reference` is null if the provider assigns ids of its own, otherwise it is derived from
 *   the id of the attempt
 */
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
    /** Whether the provider assigns an id of its own to each charge (`PaymentProvider.register`). */
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

/** Updates an attempt only if the caller still holds its lease, and only in one of the given statuses. */
function updateLeased(db: Db | Trx, { id, leaseToken }: Leased, statuses: readonly AttemptStatus[]) {
  return db
    .updateTable('payment_attempts')
    .where(leases.isHeld({ id, token: leaseToken }))
    .where('status', 'in', statuses)
    .returning('id')
}

const leases = defineLeases('payment_attempts', { id: 'id', until: 'leased_until' })

const NO_LEASE = { lease_token: null }

/**
 * Sets the id of the charge at the provider. This function and those below return whether the caller still held the
 * lease.
 */
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

/** Replaces the id of the charge at the provider, because the provider continues the charge under another id. */
export async function replaceReference(
  db: Db,
  held: Leased,
  { reference, leasedUntil }: { reference: string; leasedUntil: Date },
): Promise<boolean> {
  const moved = await updateLeased(db, held, ACTIVE).set({ reference, leased_until: leasedUntil }).executeTakeFirst()
  return moved !== undefined
}

export async function renewLease(db: Db, held: Leased, leasedUntil: Date): Promise<boolean> {
  const renewed = await updateLeased(db, held, UNFINISHED).set({ leased_until: leasedUntil }).executeTakeFirst()
  return renewed !== undefined
}

export async function setAuthorized(trx: Trx, held: Leased, leasedUntil: Date): Promise<boolean> {
  const moved = await updateLeased(trx, held, ACTIVE)
    .set({ status: 'authorized', leased_until: leasedUntil })
    .executeTakeFirst()
  return moved !== undefined
}

/** Ends the lease, because the customer must act first. An authorized charge never returns to `action_required`. */
export async function setActionRequired(db: Db, held: Leased, lookAgainAt: Date): Promise<boolean> {
  const moved = await updateLeased(db, held, ['open', 'action_required'])
    .set({ ...NO_LEASE, status: 'action_required', leased_until: lookAgainAt })
    .executeTakeFirst()
  return moved !== undefined
}

/** Ends the lease, so that any process can continue the attempt. */
export async function endLease(db: Db, held: Leased, at: Date): Promise<void> {
  await updateLeased(db, held, ACTIVE)
    .set({ ...NO_LEASE, leased_until: at })
    .execute()
}

/** Ends all leases, after the processes that held them were killed. */
export async function releaseAbandonedAttempts(trx: Trx, at: Date): Promise<void> {
  await trx
    .updateTable('payment_attempts')
    .set({ ...NO_LEASE, leased_until: at })
    .where('status', 'in', UNFINISHED)
    .where('lease_token', 'is not', null)
    .execute()
}

/** Ends an attempt. Returns undefined if the caller does not hold the lease, or if the attempt has ended already. */
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
 * Marks an active attempt as `releasing`, so that a job returns its money.
 *
 * @param leaseToken lease of the caller; undefined: the attempt is marked only if no process holds a lease
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

/** Marks an ended attempt as `releasing` again, because the provider still holds money for it. */
export async function reopenForRelease(db: Db, id: string, at: Date): Promise<void> {
  await db
    .updateTable('payment_attempts')
    .set({ ...NO_LEASE, status: 'releasing', leased_until: at })
    .where('id', '=', id)
    .where('status', 'in', ['declined', 'unanswered', 'released'])
    .execute()
}

/** @param reference the id of the charge at the provider, if it has changed */
export async function setReleased(
  trx: Trx,
  held: Leased,
  { at, reference }: { at: Date; reference: string | undefined },
): Promise<boolean> {
  const released = await updateLeased(trx, held, ['releasing'])
    .set({ ...NO_LEASE, status: 'released', ended_at: at, ...(reference === undefined ? {} : { reference }) })
    .executeTakeFirst()
  return released !== undefined
}

/** Ends the lease and sets the time of the next try to return the money. */
export async function postponeRelease(db: Db, held: Leased, until: Date): Promise<void> {
  await updateLeased(db, held, ['releasing'])
    .set((attempt) => ({ ...NO_LEASE, leased_until: until, release_tries: attempt.eb('release_tries', '+', 1) }))
    .execute()
}

export async function findAttemptStatus(db: Db | Trx, id: string): Promise<AttemptStatus | undefined> {
  const row = await selectAttempts(db).where('payment_attempts.id', '=', id).executeTakeFirst()
  return row?.status
}

/**
 * Whether no process holds a lease on the attempt. An attempt that waits for its customer can be leased before
 * `leased_until`, which then states the next check. (Versions before lease tokens held leases without a token.)
 */
function isUnleasedAt(now: Date) {
  return sql<boolean>`(payment_attempts.leased_until <= ${now}
    or payment_attempts.status = 'action_required' and payment_attempts.lease_token is null)`
}

export interface LeaseRequest {
  providers: readonly string[]
  now: Date
  leasedUntil: Date
  orderId?: string | undefined
  /** Leases only this attempt. If it waits for its customer, it is leased even before its next check is due. */
  attemptId?: string | undefined
}

/** Leases the due attempt that has waited longest. The process whose lease expired can no longer change it. */
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
