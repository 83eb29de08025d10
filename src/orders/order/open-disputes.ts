import { type RawBuilder, sql } from 'kysely'
import { DISPUTE_TYPES } from './disputes.ts'

/**
 * Selects `order_id` and `reason` (the id at the provider) of each dispute that has not ended, as `disputedSince` tells it
 * from a timeline. Without an order, it reads the index of disputes once, because nearly all of them have ended.
 */
export function openDisputes({ orderId }: { orderId?: string } = {}): RawBuilder<unknown> {
  return sql`
    select order_id, reason from order_timeline
    where type in (${sql.join(DISPUTE_TYPES.map(sql.lit))}) ${orderId === undefined ? sql`` : sql`and order_id = ${orderId}`}
    group by order_id, reason having bool_and(type = 'payment.disputed')`
}
