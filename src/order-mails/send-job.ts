import { sql } from 'kysely'
import type { Db, Trx } from '../platform/db/index.ts'
import { defineJob } from '../platform/jobs.ts'

/** Sends the waiting mails of one order, one after another. */
export const sendJob = defineJob<{ orderId: string }>('orders.send_mails')

/** Mails about orders come after all others: after links and codes, for which a person waits, and after security notices. */
const PRIORITY = 2_000
const MOST_WAITING = 900

export async function enqueueSending(db: Db | Trx, orderId: string, runAt?: Date): Promise<void> {
  const options = { key: `${sendJob.name}/${orderId}`, priority: PRIORITY + (await countWaiting(db, orderId)) }
  await sendJob.enqueue(db, { orderId }, runAt === undefined ? options : { ...options, runAt })
}

/**
 * Counts the mails that wait for the customer of an order, so that customers are served in rotation. If the customer is a
 * guest or has not paid yet, the mails that wait for all such customers of its network count.
 */
async function countWaiting(db: Db | Trx, orderId: string): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select greatest(
      (select count(*) from (
        select from order_mails m join orders o on o.id = m.order_id
        where m.status = 'waiting' and o.owner_id = (select owner_id from orders where id = ${orderId})
        limit ${sql.lit(MOST_WAITING)}
      ) of_customer),
      (select count(*) from (
        select from order_mails where status = 'waiting' and network = (
          select network from order_mails where order_id = ${orderId} and status = 'waiting' order by sequence limit 1)
        limit ${sql.lit(MOST_WAITING)}
      ) of_network)
    )::int as waiting`.execute(db)
  return rows[0]?.waiting ?? 0
}
