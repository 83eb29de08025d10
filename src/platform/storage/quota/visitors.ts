import { type RawBuilder, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Db, Trx } from '../../db/index.ts'
import { storesForNetwork } from '../../db/share.ts'
import { guestGroupOf, NETWORK_CHARACTERS } from '../../fair-share.ts'
import type { Problem } from '../../problem.ts'
import { storageProblems } from '../objects/problems.ts'

const MIB = 1024 * 1024

/**
 * What the visitors of one IP address, and of a whole network, may store together, paid or not. For guests: ten times
 * the quota of a guest, and the default quota of an account.
 */
const GUESTS = { ofGroup: 500 * MIB, ofNetwork: 2048 * MIB }

/** The same for new customers, as multiples of the quota of one account. */
const NEWCOMERS = { ofGroup: 5, ofNetwork: 10 }

/** New customers of a network with more room than this add small records without a lock, and without an exact sum. */
const AMPLE_BYTES = 64 * MIB
const SMALL_BYTES = MIB
const LOOK_MS = 1_000

const KNOWN_OWNERS = 10_000
const KNOWN_GROUPS = 1_000

/** What the visitors of an IP address, or of its network, store together: the one with less room. */
export interface VisitorRoom {
  used: number
  quota: number
  /** Bytes that they may still store. Negative if they store too much. */
  left: number
  isOfGuests: boolean
}

/**
 * Limits what the guests of a network store together, and likewise its new customers, because a client may start any
 * number of guests, register any number of accounts, and rent a network with hundreds of addresses. New customers with a
 * quota of their own neither count nor have this limit. For other owners, these functions do nothing.
 */
export interface VisitorRooms {
  /**
   * Returns the room of a visitor's IP address and network, and locks it until the transaction ends. Call this function
   * after all other locks of the transaction.
   *
   * @param exceptId a reservation that does not count
   * @returns undefined for owners who are no visitors
   */
  lock(trx: Trx, ownerId: string, exceptId?: string): Promise<VisitorRoom | undefined>
  /**
   * Requires that the visitors of an IP address and of its network are within their limits, after the transaction has
   * recorded bytes. Call this function after all other locks of the transaction.
   *
   * @param added bytes that the transaction recorded
   * @throws `storage_quota_exceeded`
   */
  require(trx: Trx, ownerId: string, added: number): Promise<void>
  /**
   * Prepares `require` before the transaction takes a lock that others wait for. Takes no lock itself.
   *
   * @returns the rest of `require`
   */
  prepare(trx: Trx, ownerId: string): Promise<(added: number) => Promise<void>>
  /**
   * Returns why a visitor may not store these bytes, or undefined if there is room. Takes no lock.
   *
   * @param added default: 0, for a visitor that may have recorded them already
   */
  findRefusal(db: Db, ownerId: string, added?: number): Promise<Problem | undefined>
}

interface Visitor {
  group: string
  isGuest: boolean
  isCounted: boolean
}

/** @param quotaBytes what an account may store. Undefined: no limit, also for new customers together */
export function createVisitorRooms(quotaBytes: number | undefined): VisitorRooms {
  /** Owners who are no new customers, and who cannot become any. */
  const others = new LRUCache<string, true>({ max: KNOWN_OWNERS })
  /** New customers. Those who become established, or get a quota of their own, have the limit a moment longer. */
  const counted = new LRUCache<string, Visitor>({ max: KNOWN_OWNERS, ttl: LOOK_MS })
  const looks = new LRUCache<string, { left: number }>({ max: KNOWN_GROUPS, ttl: LOOK_MS })

  const find = async (db: Db, ownerId: string): Promise<Visitor | undefined> => {
    const group = guestGroupOf(ownerId)
    if (group !== undefined) return { group, isGuest: true, isCounted: true }
    if (quotaBytes === undefined || others.has(ownerId)) return undefined
    const known = counted.get(ownerId)
    if (known !== undefined) return known
    const newcomer = await findNewcomer(db, ownerId)
    if (newcomer === undefined) others.set(ownerId, true)
    if (newcomer === undefined || newcomer.hasOwnQuota) return undefined
    const visitor = { group: newcomer.network, isGuest: false, isCounted: newcomer.hasStored }
    if (visitor.isCounted) counted.set(ownerId, visitor)
    return visitor
  }

  const read = async (db: Db, { group, isGuest }: Visitor, exceptId: string | null = null): Promise<VisitorRoom> => {
    const { rows } = await (isGuest ? sumGuests : sumNewcomers)(group, exceptId).execute(db)
    const { ofGroup = 0, ofNetwork = 0 } = rows[0] ?? {}
    const quotas = isGuest ? GUESTS : multiply(NEWCOMERS, quotaBytes ?? Number.POSITIVE_INFINITY)
    const rooms = [roomOf(ofGroup, quotas.ofGroup), roomOf(ofNetwork, quotas.ofNetwork)] as const
    return { ...(rooms[1].left < rooms[0].left ? rooms[1] : rooms[0]), isOfGuests: isGuest }
  }

  const lockRoom = async (trx: Trx, visitor: Visitor, exceptId?: string): Promise<VisitorRoom> => {
    const name = `storage of ${visitor.isGuest ? 'guests' : 'newcomers'} ${visitor.group.slice(0, NETWORK_CHARACTERS)}`
    // A separate statement, which sees what another visitor stored while this one waited for the lock.
    await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx)
    return read(trx, visitor, exceptId)
  }

  const isAmple = async (trx: Trx, visitor: Visitor, added: number): Promise<boolean> => {
    if (visitor.isGuest || added > SMALL_BYTES) return false
    const look = looks.get(visitor.group) ?? (await read(trx, visitor))
    look.left -= added
    if (!looks.has(visitor.group)) looks.set(visitor.group, look)
    return look.left > AMPLE_BYTES
  }

  const prepare: VisitorRooms['prepare'] = async (trx, ownerId) => {
    const visitor = await find(trx, ownerId)
    return async (added) => {
      if (visitor === undefined) return
      if (!visitor.isCounted) await countFromNowOn(trx, ownerId)
      if (await isAmple(trx, visitor, added)) return
      const room = await lockRoom(trx, visitor)
      if (room.left < 0) throw visitorsExceeded({ ...room, used: room.used - added })
    }
  }

  return {
    lock: async (trx, ownerId, exceptId) => {
      const visitor = await find(trx, ownerId)
      if (visitor?.isCounted === false) await countFromNowOn(trx, ownerId)
      return visitor && lockRoom(trx, visitor, exceptId)
    },
    prepare,
    require: async (trx, ownerId, added) => (await prepare(trx, ownerId))(added),
    findRefusal: async (db, ownerId, added = 0) => {
      const visitor = await find(db, ownerId)
      const room = visitor && (await read(db, visitor))
      return room !== undefined && room.left < added ? visitorsExceeded(room) : undefined
    },
  }
}

interface Newcomer {
  network: string
  hasStored: boolean
  hasOwnQuota: boolean
}

async function findNewcomer(db: Db, ownerId: string): Promise<Newcomer | undefined> {
  const { rows } = await sql<Newcomer>`
    select network, has_stored as "hasStored", u.quota_bytes is not null as "hasOwnQuota"
    from newcomers left join storage_usage u on u.owner_id = user_id where user_id = ${ownerId}`.execute(db)
  return rows[0]
}

/** Only new customers who have stored something are summed up, because a client may register many who never do. */
async function countFromNowOn(trx: Trx, ownerId: string): Promise<void> {
  await sql`update newcomers set has_stored = true where user_id = ${ownerId}`.execute(trx)
}

type Sums = RawBuilder<{ ofGroup: number; ofNetwork: number }>

function sumGuests(group: string, exceptId: string | null): Sums {
  return sql`
    select coalesce(sum(bytes) filter (where right(owner_id, 6) = ${group}), 0)::bigint as "ofGroup",
      coalesce(sum(bytes), 0)::bigint as "ofNetwork" from (
      select owner_id, bytes from storage_usage where ${storesForNetwork(group)}
      union all
      select owner_id, bytes from storage_unpaid where ${storesForNetwork(group)} and counts_until > now()
      union all
      select owner_id, bytes from storage_reservations where ${storesForNetwork(group)}
        and expires_at > clock_timestamp() and id is distinct from ${exceptId}::uuid
    ) as stored`
}

/** Also sums what new customers have left who deleted their account, as long as their files are on the disk. */
function sumNewcomers(group: string, exceptId: string | null): Sums {
  const network = group.slice(0, NETWORK_CHARACTERS)
  return sql`
    select coalesce(sum(bytes) filter (where network = ${group}), 0)::bigint as "ofGroup",
      coalesce(sum(bytes), 0)::bigint as "ofNetwork" from (
      select network, stored.bytes
      from newcomers join storage_usage u on u.owner_id = user_id cross join lateral (
        select u.bytes
        union all
        select bytes from storage_unpaid where owner_id = user_id and counts_until > now()
        union all
        select bytes from storage_reservations
        where owner_id = user_id and expires_at > clock_timestamp() and id is distinct from ${exceptId}::uuid
      ) as stored
      where left(network, 3) = ${network} and has_stored and u.quota_bytes is null
      union all
      select network, bytes from storage_former_use
      where left(network, 3) = ${network} and network is not null and counts_until > now()
    ) as of_network`
}

const multiply = ({ ofGroup, ofNetwork }: typeof NEWCOMERS, bytes: number): typeof GUESTS => ({
  ofGroup: ofGroup * bytes,
  ofNetwork: ofNetwork * bytes,
})

const roomOf = (used: number, quota: number) => ({ used, quota, left: quota - used })

/** @param room `used` is what the visitors store without the refused bytes */
export function visitorsExceeded({ used, quota, isOfGuests }: Omit<VisitorRoom, 'left'>): Problem {
  return storageProblems.storage_quota_exceeded({
    members: { used: Math.max(0, used), quota },
    detail: isOfGuests
      ? 'All guests of your network together have reached this limit. An account has a quota of its own.'
      : 'All new customers of your network together have reached this limit. It no longer applies to you once an order of yours is in production.',
  })
}
