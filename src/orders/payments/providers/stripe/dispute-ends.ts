import type { DisputeEnd } from '../../../order/disputes.ts'

/** Statuses of Stripe's disputes that have ended. A status that is not here may be an open one that Stripe added. */
const ENDS: Readonly<Record<string, DisputeEnd>> = {
  won: 'won',
  lost: 'lost',
  warning_closed: 'closed',
  prevented: 'closed',
  charge_refunded: 'closed',
}

/** Returns how a dispute with this status ended; null while it is open. */
export function disputeEndOf(status: string): DisputeEnd | null {
  return Object.hasOwn(ENDS, status) ? (ENDS[status] ?? null) : null
}
