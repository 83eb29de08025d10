import type { Trx } from '../../../platform/db/index.ts'
import { enqueue } from '../../../platform/jobs.ts'
import type { OrderChange } from '../../order/change-order.ts'
import type { Order } from '../../order/store.ts'
import { orderProblems } from '../../problems.ts'
import { findActiveAttempt, type PaymentAttempt, setReleasing } from './store.ts'

/** Asks about everything that is unsettled, and gives back what is to go back. */
export const FINISH_JOB = 'finish-left-payments'

/**
 * While a charge is under way nobody else decides about the payment of an order: its outcome could no longer be applied.
 * A charge for which nobody waits (the customer has to act, or its process died, or its provider is not there any more)
 * gives way: it is given up, and whatever was or will be taken for it goes back.
 *
 * @returns what belongs into the timeline about it
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
 * Hands an attempt over to the job that gives its money back.
 *
 * @param attempt with the lease of the caller; without one nobody may hold it
 * @returns whether that was so
 */
export async function abandonAttempt(
  trx: Trx,
  attempt: { id: string; leaseToken: string | undefined },
  now: Date,
): Promise<boolean> {
  if (!(await setReleasing(trx, attempt, now))) return false
  await enqueue(trx, FINISH_JOB, {}, { key: FINISH_JOB })
  return true
}

function describe({ provider, reference }: PaymentAttempt): string {
  const name = reference === null ? `A charge through ${provider}` : `The charge ${reference} through ${provider}`
  return `${name} was given up before its outcome was known. If money was taken, it is given back.`
}
