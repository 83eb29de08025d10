import type { Db, Trx } from '../platform/db/index.ts'
import { defineJob } from '../platform/jobs.ts'

/** Sends the waiting mails of one order, one after another. */
export const sendJob = defineJob<{ orderId: string }>('orders.send_mails')

/** Mails about orders come after all others: after links and codes, for which a person waits, and after security notices. */
const PRIORITY = 2_000

export async function enqueueSending(db: Db | Trx, orderId: string, runAt?: Date): Promise<void> {
  const options = { key: `${sendJob.name}/${orderId}`, priority: PRIORITY }
  await sendJob.enqueue(db, { orderId }, runAt === undefined ? options : { ...options, runAt })
}
