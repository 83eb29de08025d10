import { sql } from 'kysely'
import type { Trx } from '../../db/index.ts'
import { isGuestOf } from '../../db/share.ts'
import { guestGroupOf } from '../../fair-share.ts'
import type { Problem } from '../../problem.ts'
import { storageProblems } from '../objects/problems.ts'

/** What the guests of one network may store together, paid or not: ten times the quota of a guest. */
const GROUP_BYTES = 500 * 1024 * 1024

/** What the guests of one network store together. */
export interface GuestRoom {
  used: number
  /** Bytes that they may still store. Negative if they store too much. */
  left: number
}

/**
 * Returns the room of a guest's network, and locks it until the transaction ends. The limit exists because a client may
 * start any number of guests. Call this function after all other locks of the transaction.
 *
 * @param exceptId a reservation that does not count
 * @returns undefined for owners who are no guests
 */
export async function findGuestRoom(
  trx: Trx,
  ownerId: string,
  exceptId: string | null = null,
): Promise<GuestRoom | undefined> {
  const group = guestGroupOf(ownerId)
  if (group === undefined) return undefined
  // A separate statement, which sees what another guest stored while this one waited for the lock.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`storage of guests ${group}`}, 0))`.execute(trx)
  const { rows } = await sql<{ used: number }>`
    select coalesce(sum(bytes), 0)::bigint as used from (
      select bytes from storage_usage where ${isGuestOf(group)}
      union all
      select bytes from storage_unpaid where ${isGuestOf(group)} and counts_until > now()
      union all
      select bytes from storage_reservations where ${isGuestOf(group)} and expires_at > clock_timestamp()
        and id is distinct from ${exceptId}::uuid
    ) as stored`.execute(trx)
  const used = rows[0]?.used ?? 0
  return { used, left: GROUP_BYTES - used }
}

/**
 * Requires that the guests of a network are within their limit, after the transaction has recorded bytes. For owners who
 * are no guests, it does nothing.
 *
 * @param added bytes that the transaction recorded
 * @throws `storage_quota_exceeded`
 */
export async function requireGuestRoom(trx: Trx, ownerId: string, added: number): Promise<void> {
  const room = await findGuestRoom(trx, ownerId)
  if (room !== undefined && room.left < 0) throw guestsExceeded(room.used - added)
}

/** @param used what the guests store without the refused bytes */
export function guestsExceeded(used: number): Problem {
  return storageProblems.storage_quota_exceeded({
    members: { used: Math.max(0, used), quota: GROUP_BYTES },
    detail: 'All guests of your network together have reached this limit. An account has a quota of its own.',
  })
}
