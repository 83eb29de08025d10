import { sql } from 'kysely'
import { type Db, plannedEachTime, type Trx } from '../../platform/db/index.ts'
import { defineJob } from '../../platform/jobs/jobs.ts'

/** Sends the waiting mails of one order, one after another. */
export const sendJob = defineJob<{ orderId: string }>('orders.send_mails')

/** Mails about orders come after all others: after links and codes, for which a person waits, and after security notices. */
const PRIORITY = 2_000
const MOST_WAITING = 900

/** Enqueues the sending of the waiting mails of some orders. */
export async function enqueueSending(db: Db | Trx, orderIds: readonly string[], runAt?: Date): Promise<void> {
  const waiting = await countWaiting(db, orderIds)
  const jobs = orderIds.map((orderId) => ({
    payload: { orderId },
    key: `${sendJob.name}/${orderId}`,
    priority: PRIORITY + (waiting.get(orderId)?.waiting ?? 0),
    share: waiting.get(orderId)?.share ?? undefined,
    ...(runAt === undefined ? {} : { runAt }),
  }))
  if (jobs.length > 0) await sendJob.enqueueAll(db, jobs)
}

/** The mails that wait for a customer. */
interface Waiting {
  waiting: number
  /** Null for mails of earlier releases. */
  share: string | null
}

/**
 * Counts for each order the mails that wait for its customer, so that customers are served in rotation. If the customer is
 * a guest or has no order in production yet, the mails that wait for all such customers of its network count.
 */
async function countWaiting(db: Db | Trx, orderIds: readonly string[]): Promise<Map<string, Waiting>> {
  const { rows } = await sql<Waiting & { orderId: string }>`${plannedEachTime}
    select wanted.order_id as "orderId", of_order.share, (
      select count(*)::int from (
        select from order_mails where status = 'waiting' and share = of_order.share limit ${sql.lit(MOST_WAITING)}
      ) of_share
    ) as waiting
    from unnest(${orderIds}::text[]) as wanted (order_id) left join lateral (
      select share from order_mails where order_id = wanted.order_id and status = 'waiting' order by sequence limit 1
    ) of_order on true`.execute(db)
  return new Map(rows.map(({ orderId, ...waiting }) => [orderId, waiting]))
}
