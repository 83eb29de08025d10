import { randomUUID } from 'node:crypto'
import type { Db, Trx } from '../../platform/db/index.ts'
import type { PaymentStatus } from '../order/state.ts'
import type { Charge } from './providers/provider.ts'

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

const LIVE = ['open', 'action_required', 'authorized'] as const satisfies AttemptStatus[]
const UNSETTLED = [...LIVE, 'releasing'] as const

export type AttemptEnd = 'captured' | 'declined' | 'unanswered'

/** One try to charge an order. */
export interface PaymentAttempt extends Charge {
  paymentId: string
  provider: string
  status: AttemptStatus
  startedAt: Date
  /** Until then the process that asked the provider may still be waiting for the answer. */
  leasedUntil: Date
}

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
      'orders.id as orderId',
      'orders.number as orderNumber',
      'orders.currency',
      'payments.amount',
    ])
    .$narrowType<{ status: AttemptStatus }>()
}

/** The attempt of an order that is under way, if there is one. */
export async function findLiveAttempt(db: Db | Trx, orderId: string): Promise<PaymentAttempt | undefined> {
  return selectAttempts(db)
    .where('orders.id', '=', orderId)
    .where('payment_attempts.status', 'in', LIVE)
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

/** Writes an attempt before its provider is asked. Returns its id and what the provider calls it, where that follows from it. */
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
): Promise<{ id: string; reference: string | null }> {
  const id = randomUUID()
  const reference = isRegistered ? null : `${provider}_${id}`
  const times = { started_at: at, leased_until: leasedUntil }
  const row = { id, payment_id: paymentId, provider, token, status: 'open', reference, ...times }
  await trx.insertInto('payment_attempts').values(row).execute()
  return { id, reference }
}

/** Notes what the provider calls an attempt. Tells whether that still matters: of one that was given up it does not. */
export async function setReference(
  db: Db,
  id: string,
  { reference, leasedUntil }: { reference: string; leasedUntil: Date },
): Promise<boolean> {
  const noted = await db
    .updateTable('payment_attempts')
    .set({ reference, leased_until: leasedUntil })
    .where('id', '=', id)
    .where('status', '=', 'open')
    .where((attempt) => attempt.or([attempt('reference', 'is', null), attempt('reference', '=', reference)]))
    .returning('id')
    .executeTakeFirst()
  return noted !== undefined
}

/** Moves an attempt that is under way. Tells whether it still was. */
export async function moveAttempt(
  db: Db | Trx,
  id: string,
  { status, leasedUntil }: { status: 'action_required' | 'authorized' | 'releasing'; leasedUntil: Date },
): Promise<boolean> {
  const moved = await db
    .updateTable('payment_attempts')
    .set({ status, leased_until: leasedUntil })
    .where('id', '=', id)
    .where('status', 'in', LIVE)
    .returning('id')
    .executeTakeFirst()
  return moved !== undefined
}

/** Nobody waits for the provider's answer any more. */
export async function endLease(db: Db, id: string, at: Date): Promise<void> {
  await db
    .updateTable('payment_attempts')
    .set({ leased_until: at })
    .where('id', '=', id)
    .where('status', 'in', LIVE)
    .execute()
}

/** Closes an attempt. Undefined: it was not under way any more; its outcome counts once. */
export async function endAttempt(
  trx: Trx,
  id: string,
  status: AttemptEnd,
  at: Date,
): Promise<{ reference: string | null } | undefined> {
  return trx
    .updateTable('payment_attempts')
    .set({ status, ended_at: at })
    .where('id', '=', id)
    .where('status', 'in', LIVE)
    .returning('reference')
    .executeTakeFirst()
}

/** Has the money of an attempt given back that had ended without any. */
export async function reopenForRelease(db: Db, id: string, at: Date): Promise<void> {
  await db
    .updateTable('payment_attempts')
    .set({ status: 'releasing', leased_until: at })
    .where('id', '=', id)
    .where('status', 'in', ['declined', 'unanswered'])
    .execute()
}

/** Tells whether the attempt was still to be released. */
export async function setReleased(trx: Trx, id: string, at: Date): Promise<boolean> {
  const released = await trx
    .updateTable('payment_attempts')
    .set({ status: 'released', ended_at: at })
    .where('id', '=', id)
    .where('status', '=', 'releasing')
    .returning('id')
    .executeTakeFirst()
  return released !== undefined
}

export interface TakeOver {
  providers: readonly string[]
  now: Date
  leasedUntil: Date
  /** Only of this order. */
  orderId?: string | undefined
  /** Only this one; whether its customer has acted is looked up at any time. */
  attemptId?: string | undefined
}

/** Takes over an attempt whose process has not come back in time, the one that has waited longest: at most one caller gets it. */
export async function takeOverAttempt(
  db: Db,
  { providers, orderId, attemptId, now, leasedUntil }: TakeOver,
): Promise<PaymentAttempt | undefined> {
  if (providers.length === 0) return undefined
  let due = db
    .selectFrom('payment_attempts')
    .innerJoin('payments', 'payments.id', 'payment_attempts.payment_id')
    .select('payment_attempts.id')
    .where('payment_attempts.status', 'in', UNSETTLED)
    .where((attempt) => {
      const isFree = attempt('payment_attempts.leased_until', '<=', now)
      return attemptId === undefined
        ? isFree
        : attempt.or([isFree, attempt('payment_attempts.status', '=', 'action_required')])
    })
    .where('payment_attempts.provider', 'in', providers)
  if (orderId !== undefined) due = due.where('payments.order_id', '=', orderId)
  if (attemptId !== undefined) due = due.where('payment_attempts.id', '=', attemptId)
  const first = due.orderBy('payment_attempts.leased_until').limit(1).forUpdate('payment_attempts').skipLocked()
  const taken = await db
    .updateTable('payment_attempts')
    .set({ leased_until: leasedUntil })
    .where('id', '=', first)
    .returning('id')
    .executeTakeFirst()
  return taken && selectAttempts(db).where('payment_attempts.id', '=', taken.id).executeTakeFirst()
}
