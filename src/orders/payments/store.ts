import { randomUUID } from 'node:crypto'
import type { Db, Trx } from '../../platform/db/index.ts'
import { newId } from '../../platform/ids.ts'
import type { PaymentStatus } from '../order/state.ts'
import { orderProblems } from '../problems.ts'

/** One try to charge an order. */
export interface PaymentAttempt {
  id: string
  orderId: string
  paymentId: string
  provider: string
  token: string
  amount: number
  currency: string
}

export type AttemptEnd = 'captured' | 'declined' | 'unanswered'

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

/** Notes a refund and adds it to the payment's sum. Returns its id. */
export async function insertRefund(
  trx: Trx,
  paymentId: string,
  { amount, reason, status, at }: { amount: number; reason: string | null; status: PaymentStatus; at: Date },
): Promise<string> {
  const id = newId('refund')
  await trx.insertInto('refunds').values({ id, payment_id: paymentId, amount, reason, created_at: at }).execute()
  await trx
    .updateTable('payments')
    .set(({ eb }) => ({ status, refunded_amount: eb('refunded_amount', '+', amount) }))
    .where('id', '=', paymentId)
    .execute()
  return id
}

/**
 * While a charge is under way nobody else decides about the payment: its outcome could no longer be applied.
 * The caller holds the order's lock.
 *
 * @throws `payment_in_progress`
 */
export async function refuseWhilePaying(trx: Trx, paymentId: string): Promise<void> {
  const open = await trx
    .selectFrom('payment_attempts')
    .select('id')
    .where('payment_id', '=', paymentId)
    .where('status', '=', 'open')
    .executeTakeFirst()
  if (open !== undefined) throw orderProblems.payment_in_progress({ headers: { 'Retry-After': '2' } })
}

export async function insertAttempt(
  trx: Trx,
  {
    paymentId,
    provider,
    token,
    at,
    leasedUntil,
  }: Pick<PaymentAttempt, 'paymentId' | 'provider' | 'token'> & { at: Date; leasedUntil: Date },
): Promise<string> {
  const id = randomUUID()
  await trx
    .insertInto('payment_attempts')
    .values({ id, payment_id: paymentId, provider, token, status: 'open', started_at: at, leased_until: leasedUntil })
    .execute()
  return id
}

/**
 * Takes over attempts whose process has not come back in time: at most one caller gets each.
 *
 * @param orderId only of this order
 */
export async function takeOverAttempts(
  db: Db,
  { provider, orderId, now, leasedUntil }: { provider: string; orderId?: string; now: Date; leasedUntil: Date },
): Promise<PaymentAttempt[]> {
  let query = db
    .updateTable('payment_attempts')
    .from('payments')
    .innerJoin('orders', 'orders.id', 'payments.order_id')
    .set({ leased_until: leasedUntil })
    .whereRef('payments.id', '=', 'payment_attempts.payment_id')
    .where('payment_attempts.status', '=', 'open')
    .where('payment_attempts.provider', '=', provider)
    .where('payment_attempts.leased_until', '<=', now)
  if (orderId !== undefined) query = query.where('orders.id', '=', orderId)
  return query
    .returning([
      'payment_attempts.id',
      'orders.id as orderId',
      'payment_attempts.payment_id as paymentId',
      'payment_attempts.provider',
      'payment_attempts.token',
      'payments.amount',
      'orders.currency',
    ])
    .execute()
}

/** Closes an attempt. Tells whether it was still open: its outcome counts once. */
export async function endAttempt(trx: Trx, id: string, status: AttemptEnd, at: Date): Promise<boolean> {
  const ended = await trx
    .updateTable('payment_attempts')
    .set({ status, ended_at: at })
    .where('id', '=', id)
    .where('status', '=', 'open')
    .returning('id')
    .executeTakeFirst()
  return ended !== undefined
}
