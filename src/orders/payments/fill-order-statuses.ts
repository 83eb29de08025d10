import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import type { JobDefinition } from '../../platform/jobs/jobs.ts'

const PAYMENTS_AT_ONCE = 2_000

/**
 * Fills in the status of the order for payments that an earlier release has created. Rows that are locked are left for
 * the next run: their order may be changing, and its trigger then writes the status.
 */
export async function fillOrderStatuses(db: Db): Promise<void> {
  for (;;) {
    const { numAffectedRows = 0n } = await sql`
      update payments set order_status = orders.status from orders
      where orders.id = payments.order_id and payments.id = any (array(
        select id from payments where order_status is null limit ${PAYMENTS_AT_ONCE}::int for update skip locked
      ))`.execute(db)
    if (numAffectedRows === 0n) return
  }
}

export function fillOrderStatusesJob({ db }: { db: Db }): JobDefinition {
  return { name: 'orders.fill_order_statuses', cron: '*/5 * * * *', handle: () => fillOrderStatuses(db) }
}
