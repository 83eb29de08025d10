import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'

/** More deliveries are not counted one by one. */
const MOST = 10_000

/** SQL condition: the endpoint `w` gets its deliveries. Those of other endpoints do not wait for anything. */
const IS_SENT_TO = sql`w.status = 'enabled' and w.deleted_at is null`

/** Counts the deliveries that wait, up to 10,000, and finds when the oldest of them was created. */
export async function readWebhookBacklog(db: Db): Promise<{ pending: number; since: Date | null }> {
  const { rows } = await sql<{ pending: number; since: Date | null }>`
    select (
      select count(*)::int from (
        select from webhook_endpoints w join webhook_deliveries d on d.endpoint_id = w.id and d.status = 'pending'
        where ${IS_SENT_TO} limit ${MOST}::int
      ) counted
    ) as pending, (
      select min(oldest.created_at) from webhook_endpoints w cross join lateral (
        select d.created_at from webhook_deliveries d where d.endpoint_id = w.id and d.status = 'pending'
        order by d.id limit 1
      ) oldest where ${IS_SENT_TO}
    ) as since`.execute(db)
  return rows[0] ?? { pending: 0, since: null }
}
