import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db, Trx } from '../../../platform/db/index.ts'
import { defineLeases } from '../../../platform/db/locking/leases.ts'
import { newId } from '../../ids.ts'
import type { PaymentStatus, RefundStatus } from '../../order/state.ts'
import type { ActingUser, Actor } from '../../order/store.ts'
import type { RefundInstruction } from '../providers/provider.ts'

export interface Refund extends RefundInstruction {
  orderId: string
  paymentId: string
  provider: string
  status: RefundStatus
  reason: string | null
  createdAt: Date
  /** Reason why the refund failed, in the terms of the provider. */
  failure: string | null
  actor: ActingUser
}

export type LeasedRefund = Refund & { leaseToken: string }

const leases = defineLeases('refunds', { id: 'id', until: 'leased_until' })

export interface NewRefund {
  paymentId: string
  amount: number
  reason: string | null
  provider: string
  actor: ActingUser
  at: Date
}

/** Inserts a refund and reserves its amount. The caller must have locked the order. Returns the id of the refund. */
export async function insertRefund(
  trx: Trx,
  { paymentId, amount, reason, provider, actor, at }: NewRefund,
): Promise<string> {
  const id = newId('refund')
  const who = { actor: actor.by, actor_id: actor.userId, actor_key_id: actor.keyId ?? null }
  const row = { id, payment_id: paymentId, amount, reason, provider, ...who, created_at: at, leased_until: at }
  await trx
    .insertInto('refunds')
    .values({ ...row, status: 'pending' })
    .execute()
  await addRefunding(trx, paymentId, amount)
  return id
}

export interface RefundOutcome {
  status: 'succeeded' | 'failed'
  reference: string | null
  failure?: string
  at: Date
}

/**
 * Ends a pending refund, and with it the reservation of its amount.
 *
 * @param refund with the lease of the caller; without a lease if the outcome is certain
 * @returns whether the refund was pending and the caller held the lease, so that an outcome counts once
 */
export async function endRefund(
  trx: Trx,
  { id, paymentId, amount, leaseToken }: Pick<Refund, 'id' | 'paymentId' | 'amount'> & { leaseToken?: string },
  { status, reference, failure, at }: RefundOutcome,
): Promise<boolean> {
  let pending = trx
    .updateTable('refunds')
    .set({ status, reference, failure: failure ?? null, ended_at: at, leased_until: null, lease_token: null })
    .where('id', '=', id)
    .where('status', '=', 'pending')
  if (leaseToken !== undefined) pending = pending.where(leases.isHeld({ id, token: leaseToken }))
  const ended = await pending.returning('id').executeTakeFirst()
  if (ended === undefined) return false
  await addRefunding(trx, paymentId, -amount)
  return true
}

/**
 * Reserves the amount of a failed refund again, because the provider made the refund. Returns false if the refund had
 * not failed.
 */
export async function reopenRefund(
  trx: Trx,
  { id, paymentId, amount }: Pick<Refund, 'id' | 'paymentId' | 'amount'>,
  { reference, at }: { reference: string; at: Date },
): Promise<boolean> {
  const reopened = await trx
    .updateTable('refunds')
    .set({ status: 'pending', reference, failure: null, ended_at: null, leased_until: at, lease_token: null })
    .where('id', '=', id)
    .where('status', '=', 'failed')
    .returning('id')
    .executeTakeFirst()
  if (reopened === undefined) return false
  await addRefunding(trx, paymentId, amount)
  return true
}

async function addRefunding(trx: Trx, paymentId: string, amount: number): Promise<void> {
  await trx
    .updateTable('payments')
    .set(({ eb }) => ({ refunding_amount: eb('refunding_amount', '+', amount) }))
    .where('id', '=', paymentId)
    .execute()
}

export async function addRefunded(
  trx: Trx,
  paymentId: string,
  { amount, status }: { amount: number; status: PaymentStatus },
): Promise<void> {
  await trx
    .updateTable('payments')
    .set(({ eb }) => ({ status, refunded_amount: eb('refunded_amount', '+', amount) }))
    .where('id', '=', paymentId)
    .execute()
}

export async function setRefundReference(db: Db, id: string, reference: string): Promise<void> {
  await db.updateTable('refunds').set({ reference }).where('id', '=', id).where('status', '=', 'pending').execute()
}

/** Marks a refund that succeeded first and that the bank returned later. Returns false if it was marked before. */
export async function setRefundFailure(trx: Trx, id: string, failure: string): Promise<boolean> {
  const marked = await trx
    .updateTable('refunds')
    .set({ failure })
    .where('id', '=', id)
    .where('status', '=', 'succeeded')
    .where('failure', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return marked !== undefined
}

function selectRefunds(db: Db | Trx) {
  return db
    .selectFrom('refunds')
    .innerJoin('payments', 'payments.id', 'refunds.payment_id')
    .innerJoin('orders', 'orders.id', 'payments.order_id')
    .select([
      'refunds.id',
      'refunds.payment_id',
      'refunds.provider',
      'refunds.status',
      'refunds.amount',
      'refunds.reason',
      'refunds.reference',
      'refunds.tries',
      'refunds.created_at',
      'refunds.failure',
      'refunds.actor',
      'refunds.actor_id',
      'refunds.actor_key_id',
      'payments.reference as charge_reference',
      'orders.id as order_id',
      'orders.currency',
    ])
}

type RefundRow = Awaited<ReturnType<ReturnType<typeof selectRefunds>['executeTakeFirstOrThrow']>>

function toRefund(row: RefundRow): Refund {
  return {
    id: row.id,
    orderId: row.order_id,
    paymentId: row.payment_id,
    provider: row.provider ?? 'manual',
    status: row.status as RefundStatus,
    amount: row.amount,
    currency: row.currency,
    reason: row.reason,
    reference: row.reference,
    chargeReference: row.charge_reference,
    createdAt: row.created_at,
    failure: row.failure,
    isRepeated: row.tries > 1,
    actor: { by: (row.actor ?? 'operator') as Actor, userId: row.actor_id, keyId: row.actor_key_id },
  }
}

export async function listRefundsOf(db: Db | Trx, orderId: string): Promise<Refund[]> {
  const rows = await selectRefunds(db).where('orders.id', '=', orderId).orderBy('refunds.id').execute()
  return rows.map(toRefund)
}

export interface LeaseRequest {
  providers: readonly string[]
  now: Date
  leasedUntil: Date
  orderId?: string
}

/** Ends all leases, after the processes that held them were killed. */
export async function releaseAbandonedRefunds(trx: Trx, at: Date): Promise<void> {
  await trx
    .updateTable('refunds')
    .set({ lease_token: null, leased_until: at })
    .where('status', '=', 'pending')
    .where('lease_token', 'is not', null)
    .execute()
}

/** Leases the due refund that has waited longest. If callers compete, only one gets it. */
export async function leaseRefund(
  db: Db,
  { providers, orderId, now, leasedUntil }: LeaseRequest,
): Promise<LeasedRefund | undefined> {
  if (providers.length === 0) return undefined
  let due = db
    .selectFrom('refunds')
    .innerJoin('payments', 'payments.id', 'refunds.payment_id')
    .select('refunds.id')
    .where('refunds.status', '=', 'pending')
    .where('refunds.leased_until', '<=', now)
    .where('refunds.provider', 'in', providers)
  if (orderId !== undefined) due = due.where('payments.order_id', '=', orderId)
  const leaseToken = randomUUID()
  const taken = await db
    .updateTable('refunds')
    .set({ leased_until: leasedUntil, lease_token: leaseToken, tries: sql<number>`tries + 1` })
    .where('id', '=', due.orderBy('refunds.leased_until').limit(1).forUpdate('refunds').skipLocked())
    .returning('id')
    .executeTakeFirst()
  if (taken === undefined) return undefined
  const row = await selectRefunds(db).where('refunds.id', '=', taken.id).executeTakeFirst()
  return row && { ...toRefund(row), leaseToken }
}
