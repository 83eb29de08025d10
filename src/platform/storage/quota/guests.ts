import { sql } from 'kysely'
import type { Trx } from '../../db/index.ts'
import { storesForNetwork } from '../../db/share.ts'
import { guestGroupOf, NETWORK_CHARACTERS } from '../../fair-share.ts'
import type { Problem } from '../../problem.ts'
import { storageProblems } from '../objects/problems.ts'

const MIB = 1024 * 1024

/** What the guests of one IP address may store together, paid or not: ten times the quota of a guest. */
const GROUP_BYTES = 500 * MIB

/** What the guests of a whole network may store together: the default quota of an account. */
const NETWORK_BYTES = 2048 * MIB

/** What the guests of an IP address, or of its network, store together: the one with less room. */
export interface GuestRoom {
  used: number
  quota: number
  /** Bytes that they may still store. Negative if they store too much. */
  left: number
}

/**
 * Returns the room of a guest's IP address and network, and locks it until the transaction ends. The limits exist because
 * a client may start any number of guests, and rent a network with hundreds of addresses. Call this function after all
 * other locks of the transaction.
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
  const network = group.slice(0, NETWORK_CHARACTERS)
  // A separate statement, which sees what another guest stored while this one waited for the lock.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`storage of guests ${network}`}, 0))`.execute(trx)
  const { rows } = await sql<{ ofGroup: number; ofNetwork: number }>`
    select coalesce(sum(bytes) filter (where right(owner_id, 6) = ${group}), 0)::bigint as "ofGroup",
      coalesce(sum(bytes), 0)::bigint as "ofNetwork" from (
      select owner_id, bytes from storage_usage where ${storesForNetwork(group)}
      union all
      select owner_id, bytes from storage_unpaid where ${storesForNetwork(group)} and counts_until > now()
      union all
      select owner_id, bytes from storage_reservations where ${storesForNetwork(group)}
        and expires_at > clock_timestamp() and id is distinct from ${exceptId}::uuid
    ) as stored`.execute(trx)
  const { ofGroup = 0, ofNetwork = 0 } = rows[0] ?? {}
  const rooms = [roomOf(ofGroup, GROUP_BYTES), roomOf(ofNetwork, NETWORK_BYTES)] as const
  return rooms[1].left < rooms[0].left ? rooms[1] : rooms[0]
}

const roomOf = (used: number, quota: number): GuestRoom => ({ used, quota, left: quota - used })

/**
 * Requires that the guests of an IP address and of its network are within their limits, after the transaction has
 * recorded bytes. For owners who are no guests, it does nothing.
 *
 * @param added bytes that the transaction recorded
 * @throws `storage_quota_exceeded`
 */
export async function requireGuestRoom(trx: Trx, ownerId: string, added: number): Promise<void> {
  const room = await findGuestRoom(trx, ownerId)
  if (room !== undefined && room.left < 0) throw guestsExceeded({ ...room, used: room.used - added })
}

/** @param room `used` is what the guests store without the refused bytes */
export function guestsExceeded({ used, quota }: Pick<GuestRoom, 'used' | 'quota'>): Problem {
  return storageProblems.storage_quota_exceeded({
    members: { used: Math.max(0, used), quota },
    detail: 'All guests of your network together have reached this limit. An account has a quota of its own.',
  })
}
