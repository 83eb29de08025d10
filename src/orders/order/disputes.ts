import type { TimelineType } from '../events.ts'
import type { TimelineEntry } from './order.ts'

/** How a dispute ended. `closed`: without a decision, such as an inquiry that the bank gave up. */
export type DisputeEnd = 'won' | 'lost' | 'closed'

/** Types of timeline entries that end a dispute. As in `payment.disputed`, the reason is its id at the provider. */
export const DISPUTE_END_TYPES = {
  won: 'payment.dispute_won',
  lost: 'payment.dispute_lost',
  closed: 'payment.dispute_closed',
} as const satisfies Record<DisputeEnd, TimelineType>

/** All types of entries about disputes. The index `order_timeline_disputes` has the same. */
export const DISPUTE_TYPES: readonly TimelineType[] = ['payment.disputed', ...Object.values(DISPUTE_END_TYPES)]

/**
 * Returns when the oldest open dispute began; null without one. The messages of a provider may arrive in any order, so an
 * end counts wherever it is.
 */
export function disputedSince(timeline: readonly TimelineEntry[]): Date | null {
  const ended = new Set(timeline.filter(({ type }) => isEnd(type)).map(({ reason }) => reason))
  return timeline.find(({ type, reason }) => type === 'payment.disputed' && !ended.has(reason))?.at ?? null
}

const isEnd = (type: string): boolean => (Object.values(DISPUTE_END_TYPES) as readonly string[]).includes(type)
