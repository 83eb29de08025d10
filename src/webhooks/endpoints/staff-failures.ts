import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import { MOST_COUNTED } from './store.ts'

/** More endpoints do not help to find a fault, and each costs a count. */
const MOST_LISTED = 20

/** An endpoint of a member of staff with deliveries that failed for good. */
export interface FailingEndpoint {
  id: string
  url: string
  description: string | null
  ownerId: string
  ownerName: string | null
  ownerEmail: string
  failedDeliveries: number
}

/** The endpoints of the shop, with their owners. Customers have endpoints, too, which are their own concern. */
const OF_STAFF = sql`users u join webhook_endpoints w on w.owner_id = u.id`
const IS_OF_STAFF = sql`u.role <> 'customer' and u.deleted_at is null and w.deleted_at is null`

/** Counts the failed deliveries of all endpoints of staff, up to 1000. */
export async function countFailuresOfStaff(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from ${OF_STAFF} join webhook_deliveries d on d.endpoint_id = w.id and d.status = 'failed'
      where ${IS_OF_STAFF} limit ${MOST_COUNTED}::int
    ) counted`.execute(db)
  return rows[0]?.count ?? 0
}

/** Lists the first 20 endpoints of staff with failed deliveries, oldest first, with the number of these up to 1000. */
export async function listFailuresOfStaff(db: Db): Promise<FailingEndpoint[]> {
  const { rows } = await sql<FailingEndpoint>`
    select id, url, description, "ownerId", "ownerName", "ownerEmail", (
      select count(*)::int from (
        select from webhook_deliveries where endpoint_id = failing.id and status = 'failed' limit ${MOST_COUNTED}::int
      ) counted
    ) as "failedDeliveries"
    from (
      select w.id, w.url, w.description, u.id as "ownerId", u.name as "ownerName", u.email as "ownerEmail"
      from ${OF_STAFF}
      where ${IS_OF_STAFF} and exists (
        select from webhook_deliveries where endpoint_id = w.id and status = 'failed')
      order by w.id limit ${MOST_LISTED}::int
    ) failing`.execute(db)
  return rows
}
