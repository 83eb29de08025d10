import type { Trx } from '../../../platform/db/index.ts'
import { defineJob } from '../../../platform/jobs/jobs.ts'
import type { OrderChange } from '../../order/change/change-order.ts'
import type { Order } from '../../order/store.ts'
import { orderProblems } from '../../problems.ts'
import { findActiveAttempt, type PaymentAttempt, setReleasing } from './store.ts'

/** Completes abandoned payments and refunds, and returns the money of superseded attempts. */
export const finishJob = defineJob('orders.finish_payments', ['finish-left-payments'])

/**
 * Supersedes the active attempt of an order, before another decision about its payment. Throws while a process works on
 * the attempt, because the outcome could not be applied afterwards. No process works on an attempt if its customer must
 * act, if its process was killed, or if its provider is not configured. If money was or will be captured for the
 * attempt, a job returns it.
 *
 * @returns changes for the timeline
 * @throws `payment_in_progress`
 */
export async function supersedeAttempt(trx: Trx, order: Order, now: Date): Promise<OrderChange[]> {
  const live = await findActiveAttempt(trx, order.id)
  if (live === undefined) return []
  if (!(await abandonAttempt(trx, { id: live.id, leaseToken: undefined }, now))) throw inProgress()
  return live.status === 'action_required' ? [] : [{ type: 'payment.given_up', reason: describe(live) }]
}

export function inProgress() {
  return orderProblems.payment_in_progress({ headers: { 'Retry-After': '2' } })
}

/**
 * Marks an attempt so that a job returns its money.
 *
 * @param attempt with the lease of the caller; without a lease, the attempt is marked only if no process holds one
 * @returns false if the caller has lost its lease, or another process holds one
 */
export async function abandonAttempt(
  trx: Trx,
  attempt: { id: string; leaseToken: string | undefined },
  now: Date,
): Promise<boolean> {
  if (!(await setReleasing(trx, attempt, now))) return false
  await finishJob.enqueue(trx, {}, { key: finishJob.name })
  return true
}

function describe({ provider, reference }: PaymentAttempt): string {
  const name = reference === null ? `A charge through ${provider}` : `The charge ${reference} through ${provider}`
  return `${name} was superseded before its outcome was known. If the provider took money for it, the service returns the money.`
}
