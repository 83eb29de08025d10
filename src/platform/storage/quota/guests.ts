import { sql } from 'kysely'
import type { Trx } from '../../db/index.ts'
import { guestGroupOf } from '../../fair-share.ts'
import { storageProblems } from '../objects/problems.ts'

/** What the guests of one network may store together, paid or not: ten times the quota of a guest. */
const GROUP_BYTES = 500 * 1024 * 1024

/**
 * Limits what the guests of one network store together, because a client may start any number of guests. Call this
 * function last in a transaction that reserves or records bytes. For owners who are no guests, it does nothing.
 *
 * @param added bytes that the transaction adds
 * @throws `storage_quota_exceeded`
 */
export async function requireGuestRoom(trx: Trx, ownerId: string, added: number): Promise<void> {
  const group = guestGroupOf(ownerId)
  if (group === undefined) return
  // Makes two guests wait for each other. A later statement then sees what the other one stored.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`storage of guests ${group}`}, 0))`.execute(trx)
  const isOfGroup = sql`substr(owner_id, 15, 1) in ('g', 'h') and right(owner_id, 6) = ${group}`
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(bytes), 0)::bigint as bytes from (
      select bytes from storage_usage where ${isOfGroup}
      union all
      select bytes from storage_unpaid where ${isOfGroup} and counts_until > now()
      union all
      select bytes from storage_reservations where ${isOfGroup} and expires_at > clock_timestamp()
    ) as stored`.execute(trx)
  const used = rows[0]?.bytes ?? 0
  if (used <= GROUP_BYTES) return
  throw storageProblems.storage_quota_exceeded({
    members: { used: Math.max(0, used - added), quota: GROUP_BYTES },
    detail: 'All guests of your network together have reached this limit. An account has a quota of its own.',
  })
}
