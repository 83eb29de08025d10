import { type RawBuilder, sql } from 'kysely'
import { addSeconds } from '../../clock.ts'
import type { Db, Trx } from '../../db/index.ts'
import type { Problem } from '../../problem.ts'
import { storageProblems } from '../objects/problems.ts'
import { findUsage, recordUsage } from './store.ts'
import { createVisitorRooms, type VisitorRooms } from './visitors.ts'

const UNPAID_SECONDS = 24 * 3600

/** Data that an account stores before it pays for the data. */
export interface UnpaidAddition {
  ownerId: string
  /**
   * Identifies the addition: the id of what is paid for later, such as an order, or the token of the lease under which
   * files are created. Charges for the same subject add up.
   */
  subject: string
  /** Bytes of files and of database rows, including files that are created later. May be an estimate. */
  bytes: number
  now: Date
  /** When the addition stops counting. The default is 24 hours after `now`. */
  until?: Date
}

type CountedAddition = Pick<UnpaidAddition, 'ownerId' | 'subject' | 'now'>

/**
 * Limits what an account stores without paying: its additions of the last 24 hours that are not paid for. This limit is
 * separate from the storage quota.
 */
export interface UnpaidBound {
  /**
   * Counts an addition.
   *
   * @throws `storage_quota_exceeded` if there is no room
   */
  charge(trx: Trx, addition: UnpaidAddition): Promise<void>
  /** Counts an addition if there is room. Returns whether there was room. */
  tryCharge(trx: Trx, addition: UnpaidAddition): Promise<boolean>
  /**
   * Tells whether an account may store more for an addition that counts. Takes no lock. An addition that does not count,
   * because it was paid for or has no limit, always may.
   */
  hasRoomFor(db: Db, addition: CountedAddition): Promise<boolean>
  /**
   * Requires that `hasRoomFor` is true. Call this function before creating files that may be larger than their estimate.
   *
   * @throws `storage_quota_exceeded`
   */
  requireRoomFor(db: Db, addition: CountedAddition): Promise<void>
  /**
   * Requires that several accounts together are within the limit of the first one. Takes no lock.
   *
   * @throws `storage_quota_exceeded`
   */
  requireWithin(trx: Trx, ownerIds: readonly [string, ...string[]], now: Date): Promise<void>
}

export const UNBOUNDED: UnpaidBound = {
  charge: async () => undefined,
  tryCharge: async () => true,
  hasRoomFor: async () => true,
  requireRoomFor: async () => undefined,
  requireWithin: async () => undefined,
}

/**
 * @param quotaBytes what an account may store without paying; undefined: no limit
 * @param visitors limits of networks, which count unpaid additions too
 */
export function createUnpaidBound(
  quotaBytes: number | undefined,
  visitors: VisitorRooms = createVisitorRooms(quotaBytes),
): UnpaidBound {
  if (quotaBytes === undefined) return UNBOUNDED
  const findRefusal = async (db: Db, { ownerId, subject, now }: CountedAddition): Promise<Problem | undefined> => {
    if (!(await isCounted(db, subject))) return undefined
    const limit = (await findUsage(db, ownerId))?.quotaBytes ?? quotaBytes
    const used = await sumUnpaid(db, [ownerId], now)
    return used > limit ? unpaidExceeded(used, limit) : visitors.findRefusal(db, ownerId)
  }
  return {
    charge: async (trx, addition) => {
      const requireRoom = await visitors.prepare(trx, addition.ownerId)
      const { isAdmitted, used, quota } = await admit(trx, addition, quotaBytes)
      if (!isAdmitted) throw unpaidExceeded(used, quota)
      await requireRoom(addition.bytes)
    },
    tryCharge: async (trx, addition) => {
      const { isAdmitted } = await admit(trx, addition, quotaBytes)
      const room = isAdmitted ? await visitors.lock(trx, addition.ownerId) : undefined
      if (room === undefined || room.left >= 0) return isAdmitted
      await growUnpaid(trx, addition.subject, -addition.bytes)
      return false
    },
    hasRoomFor: async (db, addition) => (await findRefusal(db, addition)) === undefined,
    requireRoomFor: async (db, addition) => {
      const refusal = await findRefusal(db, addition)
      if (refusal !== undefined) throw refusal
    },
    requireWithin: async (trx, ownerIds, now) => {
      const limit = (await findUsage(trx, ownerIds[0]))?.quotaBytes ?? quotaBytes
      const used = await sumUnpaid(trx, ownerIds, now)
      if (used > limit) throw unpaidExceeded(used, limit)
    },
  }
}

function unpaidExceeded(used: number, quota: number): Problem {
  return storageProblems.storage_quota_exceeded({
    members: { used, quota },
    detail:
      'Your finalized designs, quotes and orders that are not paid for count for 24 hours. Pay for an order, or try again later.',
  })
}

/**
 * Returns the limit on what a caller stores without paying. Operators and administrators order for others, so they have
 * no limit.
 */
export function unpaidBoundFor({ role }: { role: string }, { unpaid }: { unpaid: UnpaidBound }): UnpaidBound {
  return role === 'customer' ? unpaid : UNBOUNDED
}

/**
 * Time after which all rows of an account are counted again. Until then, its total does not decrease when an addition
 * is paid for or expires.
 */
const RECOUNT_SECONDS = 3600

interface Decision {
  isAdmitted: boolean
  /** Exact if the addition is not admitted; otherwise an upper bound. */
  used: number
  /** The limit that applies if the addition is not admitted. */
  quota: number
}

/**
 * Inserts an addition, and adds it to the total of its account, if there is room. The total is an upper bound, and all
 * rows are counted only if the addition does not fit. Locks the row of the account until the transaction ends, so that
 * concurrent additions are checked one after another.
 */
async function admit(trx: Trx, addition: UnpaidAddition, quotaBytes: number): Promise<Decision> {
  const { ownerId, bytes, now } = addition
  // One statement, because other requests of the account wait for its row.
  const { rows } = await sql<{ total: number }>`
    with admitted as (
      update storage_usage set unpaid_bytes = unpaid_bytes + ${bytes}
      where owner_id = ${ownerId} and unpaid_bytes + ${bytes} <= coalesce(quota_bytes, ${quotaBytes})
        and unpaid_counted_at > ${addSeconds(now, -RECOUNT_SECONDS)}
      returning unpaid_bytes
    ), inserted as (${insertUnpaid(addition, sql`from admitted`)})
    select unpaid_bytes as total from admitted`.execute(trx)
  if (rows[0] !== undefined) return { isAdmitted: true, used: rows[0].total - bytes, quota: quotaBytes }
  const { used, own } = await countUnpaid(trx, { ownerId, now })
  const isAdmitted = used + bytes <= (own ?? quotaBytes)
  await sql`
    update storage_usage set unpaid_bytes = ${isAdmitted ? used + bytes : used}, unpaid_counted_at = ${now}
    where owner_id = ${ownerId}`.execute(trx)
  if (isAdmitted) await insertUnpaid(addition).execute(trx)
  return { isAdmitted, used, quota: own ?? quotaBytes }
}

/** Returns what counts now, and the limit of the account if it has its own. */
async function countUnpaid(
  trx: Trx,
  { ownerId, now }: Pick<UnpaidAddition, 'ownerId' | 'now'>,
): Promise<{ used: number; own: number | null }> {
  // Uses a separate statement. A statement that waits for the row lock would show the other table as it was before the
  // wait.
  const { quotaBytes: own } = await recordUsage(trx, ownerId, 0)
  return { used: await sumUnpaid(trx, [ownerId], now), own }
}

async function isCounted(db: Db, subject: string): Promise<boolean> {
  const { rows } = await sql`select 1 from storage_unpaid where subject = ${subject}`.execute(db)
  return rows.length > 0
}

async function sumUnpaid(trx: Db | Trx, ownerIds: readonly string[], now: Date): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(bytes), 0)::bigint as bytes from storage_unpaid
    where owner_id = any(${[...ownerIds]}::text[]) and counts_until > ${now}`.execute(trx)
  return rows[0]?.bytes ?? 0
}

/** @param source a `from` clause with one row if the addition is to be inserted, by default always */
function insertUnpaid({ ownerId, subject, bytes, now, until }: UnpaidAddition, source = sql``): RawBuilder<unknown> {
  return sql`
    insert into storage_unpaid as u (subject, owner_id, bytes, counts_until)
    select ${subject}, ${ownerId}, ${bytes}::bigint, ${until ?? addSeconds(now, UNPAID_SECONDS)}::timestamptz ${source}
    on conflict (subject) do update set bytes = u.bytes + excluded.bytes, counts_until = excluded.counts_until`
}

/** Makes an addition count longer, if it exists. */
export async function extendUnpaid(db: Db | Trx, subject: string, until: Date): Promise<void> {
  await sql`update storage_unpaid set counts_until = ${until} where subject = ${subject}`.execute(db)
}

/**
 * Adds bytes to an addition, if it exists, although they may exceed the limit. Further additions are then refused. Locks
 * the row of the account.
 */
export async function growUnpaid(trx: Trx, subject: string, bytes: number): Promise<void> {
  await sql`
    with grown as (
      update storage_unpaid set bytes = bytes + ${bytes} where subject = ${subject} returning owner_id
    )
    update storage_usage u set unpaid_bytes = u.unpaid_bytes + ${bytes} from grown where u.owner_id = grown.owner_id`.execute(
    trx,
  )
}

/**
 * Replaces an estimate, if it exists, by the actual bytes, which count for 24 hours from now. Locks the row of the
 * account.
 */
export async function settleUnpaid(
  trx: Trx,
  estimated: string,
  { subject, bytes, now }: Omit<UnpaidAddition, 'ownerId'>,
): Promise<void> {
  // The total includes the estimate unless the estimate has expired, so the total stays an upper bound.
  await sql`
    with settled as (
      update storage_unpaid set subject = ${subject}, bytes = ${bytes}, counts_until = ${addSeconds(now, UNPAID_SECONDS)}
      where subject = ${estimated} returning owner_id
    )
    update storage_usage u set unpaid_bytes = u.unpaid_bytes + ${bytes} from settled where u.owner_id = settled.owner_id`.execute(
    trx,
  )
}

/** Before the subject of a paid addition. No other statement finds the row then, also none of an earlier version. */
const PAID = 'paid '

/**
 * Stops counting additions that are paid for. For a day, `recountPaid` makes them count again, because the owner of an
 * order may cancel it and get the money back.
 */
export async function markPaid(trx: Trx, subjects: readonly string[], now: Date): Promise<void> {
  await lockAdditions(trx, subjects)
  await sql`
    update storage_unpaid set subject = ${PAID} || subject, counts_until = ${now}
    where subject = any(${[...subjects]})`.execute(trx)
}

/**
 * Locks additions, paid ones too, until the transaction ends. The order is the same everywhere, because two orders of the
 * same designs may be paid for, or cancelled, at the same time.
 */
export async function lockAdditions(trx: Trx, subjects: readonly string[]): Promise<void> {
  await sql`
    select from storage_unpaid where subject = any(${subjects.flatMap((subject) => [subject, PAID + subject])})
    order by subject for update`.execute(trx)
}

/**
 * Counts paid additions for 24 hours from now, because their payment is returned. Locks the row of the account.
 *
 * @param additions `bytes` is the least that an addition counts
 */
export async function recountPaid(
  trx: Trx,
  additions: readonly { subject: string; bytes: number }[],
  now: Date,
): Promise<void> {
  await sql`
    with counted as (
      update storage_unpaid u set subject = again.subject, bytes = greatest(u.bytes, again.bytes),
        counts_until = ${addSeconds(now, UNPAID_SECONDS)}
      from unnest(${additions.map(({ subject }) => subject)}::text[], ${additions.map(({ bytes }) => bytes)}::bigint[])
        as again (subject, bytes)
      where u.subject = ${PAID} || again.subject returning u.owner_id, u.bytes
    )
    update storage_usage u set unpaid_bytes = u.unpaid_bytes + sums.bytes
    from (select owner_id, sum(bytes)::bigint as bytes from counted group by owner_id) sums
    where u.owner_id = sums.owner_id`.execute(trx)
}

/** Stops counting additions that were abandoned. */
export async function forgetUnpaid(db: Db | Trx, subjects: readonly string[]): Promise<void> {
  await sql`delete from storage_unpaid where subject = any(${[...subjects]})`.execute(db)
}

/** Deletes additions that stopped counting a day ago. Until then, a job may continue under a lease that ended. */
export async function deleteExpiredUnpaid(db: Db): Promise<void> {
  await sql`delete from storage_unpaid where counts_until < now() - interval '1 day'`.execute(db)
}
