import { sql } from 'kysely'
import { addSeconds } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/index.ts'
import { firstIdAt } from '../ids.ts'
import { MOST_COUNTED } from './store.ts'

/** More endpoints do not help to find a fault, and each costs a count. */
const MOST_LISTED = 20

/**
 * Older failures are not shown, because only the owner can retry them and they would hide later ones for weeks. A failure
 * shows for at least three days: the tries of a delivery end within four days after its event.
 */
const RECENT_SECONDS = 7 * 86_400

/** The ids of deliveries are ordered by the time at which they were created. */
const isRecent = (now: Date) => sql`id >= ${firstIdAt('delivery', addSeconds(now, -RECENT_SECONDS))}`

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

/** Counts the recent failed deliveries of all endpoints of staff, up to 1000. */
export async function countFailuresOfStaff(db: Db, now: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from ${OF_STAFF} join webhook_deliveries d on d.endpoint_id = w.id and d.status = 'failed' and d.${isRecent(now)}
      where ${IS_OF_STAFF} limit ${MOST_COUNTED}::int
    ) counted`.execute(db)
  return rows[0]?.count ?? 0
}

/**
 * Lists the first 20 endpoints of staff with recent failed deliveries, oldest first, with the number of these up to 1000.
 */
export async function listFailuresOfStaff(db: Db, now: Date): Promise<FailingEndpoint[]> {
  const { rows } = await sql<FailingEndpoint>`
    select id, url, description, "ownerId", "ownerName", "ownerEmail", (
      select count(*)::int from (
        select from webhook_deliveries d
        where d.endpoint_id = failing.id and d.status = 'failed' and d.${isRecent(now)} limit ${MOST_COUNTED}::int
      ) counted
    ) as "failedDeliveries"
    from (
      select w.id, w.url, w.description, u.id as "ownerId", u.name as "ownerName", u.email as "ownerEmail"
      from ${OF_STAFF}
      where ${IS_OF_STAFF} and exists (
        select from webhook_deliveries d where d.endpoint_id = w.id and d.status = 'failed' and d.${isRecent(now)})
      order by w.id limit ${MOST_LISTED}::int
    ) failing`.execute(db)
  return rows
}
