import { type RawBuilder, sql } from 'kysely'
import { DISPUTE_TYPES } from './disputes.ts'

/**
 * Selects `order_id` and `reason` (the id at the provider) of each dispute that has not ended, as `disputedSince` tells it
 * from a timeline. For the whole shop, it reads the index of disputes once, because nearly all of them have ended.
 */
export function openDisputes({ orderId, ownerId }: { orderId?: string; ownerId?: string | undefined } = {}) {
  return sql`
    select order_id, reason from order_timeline
    where type in (${sql.join(DISPUTE_TYPES.map(sql.lit))}) ${isOf(orderId)} ${isOwnedBy(ownerId)}
    group by order_id, reason having bool_and(type = 'payment.disputed')`
}

const isOf = (orderId: string | undefined): RawBuilder<unknown> =>
  orderId === undefined ? sql`` : sql`and order_id = ${orderId}`

/** The array makes the ids a condition of the index. With a join, the planner may read the disputes of the whole shop. */
const isOwnedBy = (ownerId: string | undefined): RawBuilder<unknown> =>
  ownerId === undefined ? sql`` : sql`and order_id = any (array(select id from orders where owner_id = ${ownerId}))`
