import type { Stripe } from 'stripe'
import { reuseBriefly } from '../../../../platform/concurrency/reuse-briefly.ts'
import type { Log } from '../../../../platform/telemetry/log.ts'
import type { KnownDispute } from '../provider.ts'
import { disputeEndOf } from './dispute-ends.ts'
import { StripeFailure } from './errors.ts'
import { createTimeBudget, type Send } from './time-budget.ts'

/** Maximum number of disputes that are read for one payment. */
const MAX_LISTED = 1000

/** An administrator waits for this request. */
const PROBE_MS = 3_000

/** How long the outcome of the request is reused. */
const PROBED_MS = 60_000

export interface DisputeReader {
  /** Lists the disputes of a payment, or none if Stripe does not let the service read them. */
  list(send: Send, reference: string): Promise<KnownDispute[]>
  /** Tells whether the API key may read disputes. Undefined if Stripe did not say. */
  mayRead(): Promise<boolean | undefined>
}

/**
 * Reads disputes. A restricted API key may lack the permission (403), and a payment may belong to an earlier Stripe account
 * (404). Repeating the request would not help, so both are logged once instead of failing a job every day.
 */
export function createDisputeReader({ disputes }: Pick<Stripe, 'disputes'>, log: Log): DisputeReader {
  const logged = new Set<number>()
  const noteRefusal = (failure: StripeFailure, status: number, reference: string): void => {
    if (logged.has(status)) return
    logged.add(status)
    log.warn(
      { err: failure, reference },
      status === 403
        ? 'the Stripe key may not read disputes, so their ends are only known from messages of Stripe'
        : 'Stripe does not know a disputed payment, which may be one of an earlier Stripe account',
    )
  }
  return {
    list: async (send, reference) => {
      const params = { payment_intent: reference, limit: 100 }
      try {
        const listed = await send((options) => disputes.list(params, options).autoPagingToArray({ limit: MAX_LISTED }))
        logged.delete(403)
        return listed.map(({ id, status }) => ({ reference: id, end: disputeEndOf(status) }))
      } catch (failure) {
        if (!(failure instanceof StripeFailure && (failure.status === 403 || failure.status === 404))) throw failure
        noteRefusal(failure, failure.status, reference)
        return []
      }
    },
    mayRead: reuseBriefly(async () => {
      const send = createTimeBudget({ timeoutMs: PROBE_MS, stepMs: PROBE_MS })
      try {
        await send((options) => disputes.list({ limit: 1 }, options))
        return true
      } catch (failure) {
        return failure instanceof StripeFailure && failure.status === 403 ? false : undefined
      }
    }, PROBED_MS),
  }
}
