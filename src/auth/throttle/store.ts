import { sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/index.ts'

/** Counts attempts that share an account, a device or an IP address. */
export interface Bucket {
  /** Name in the form `kind:value`. It contains no email address in clear text. */
  name: string
  /** Number of failures within the window that starts a block. */
  capacity: number
  /**
   * Number of failures within a day that starts an extended block, even if the failures are too rare for the window.
   */
  capacityPerDay?: number
  /**
   * If true, a success does not clear the failures. Otherwise an attacker could clear the failures of an IP address by
   * signing in to an account of their own.
   */
  keepsFailures?: boolean
  /** Maximum number of attempts that wait for others of the bucket. Further attempts are rejected at once. */
  maxWaiting?: number
}

/** A block that has just begun or ended. */
export interface Block {
  bucket: string
  block: 'temporary' | 'extended'
  until: Date
  /** The account that the block protects; null if it is unknown. */
  userId: string | null
}

export interface BlockState {
  bucket: string
  blockedUntil: Date | undefined
  block: 'temporary' | 'extended'
}

export interface Rules {
  windowSeconds: number
  blockSeconds: number
  extendedBlockSeconds: number
  blocksBeforeExtended: number
}

/** Time after which a reservation no longer counts as a running attempt, because its process must have died. */
const ABANDONED_AFTER_SECONDS = 60

/** Only blocks that began within this time count toward an extended block. */
const BLOCK_MEMORY_SECONDS = 24 * 3600

const before = (now: Date, seconds: number): Date => new Date(now.getTime() - seconds * 1000)

/**
 * Reserves an attempt in each of the buckets. It does so in one statement, so that running attempts and recent failures
 * together never exceed the capacity of a bucket, however many requests arrive at once.
 *
 * @returns the names of the buckets that had room, and the blocks that have ended
 */
export async function reserve(
  db: Db,
  buckets: readonly Bucket[],
  rules: Rules,
  now: Date,
): Promise<{ granted: string[]; ended: Block[] }> {
  const names = buckets.map((bucket) => bucket.name)
  const capacities = buckets.map((bucket) => bucket.capacity)
  // The rows are locked in the order of names, so that two requests cannot deadlock.
  const { rows } = await sql<BlockRow>`
    insert into attempt_pools as p (pool, capacity, in_flight, updated_at)
    select w.pool, w.capacity, array[${now}::timestamptz], ${now}::timestamptz
    from unnest(${names}::text[], ${capacities}::int[]) as w (pool, capacity)
    order by w.pool
    on conflict (pool) do update set
      capacity = excluded.capacity,
      updated_at = excluded.updated_at,
      blocked_until = null,
      in_flight = array(select t from unnest(p.in_flight) t where t > ${before(now, ABANDONED_AFTER_SECONDS)}::timestamptz) || excluded.in_flight
    where (p.blocked_until is null or p.blocked_until <= ${now})
      and (select count(*) from unnest(p.failures) t where t > ${before(now, rules.windowSeconds)}::timestamptz)
        + (select count(*) from unnest(p.in_flight) t where t > ${before(now, ABANDONED_AFTER_SECONDS)}::timestamptz)
        < excluded.capacity
    returning p.pool, p.block, p.user_id, old.blocked_until`.execute(db)
  return { granted: rows.map((row) => row.pool), ended: rows.flatMap(toBlock) }
}

interface BlockRow {
  pool: string
  block: string | null
  user_id: string | null
  blocked_until: Date | null
}

function toBlock({ pool, block, user_id, blocked_until }: BlockRow): Block[] {
  if (blocked_until === null) return []
  return [
    { bucket: pool, block: block === 'extended' ? 'extended' : 'temporary', until: blocked_until, userId: user_id },
  ]
}

/** Cancels reservations without counting an attempt. */
export async function release(db: Db | Trx, names: readonly string[]): Promise<void> {
  await sql`
    with held as (select pool from attempt_pools where pool = any(${names}) order by pool for update)
    update attempt_pools p set in_flight = p.in_flight[2:] from held where p.pool = held.pool`.execute(db)
}

/** Ends reservations after a success, and deletes the failures of the buckets in `cleared`. */
export async function recordSuccess(trx: Trx, names: readonly string[], cleared: readonly string[]): Promise<void> {
  await sql`
    with held as (select pool from attempt_pools where pool = any(${names}) order by pool for update)
    update attempt_pools p set
      in_flight = p.in_flight[2:],
      failures = case when p.pool = any(${cleared}) then '{}' else p.failures end,
      failures_of_a_day = case when p.pool = any(${cleared}) then '{}' else p.failures_of_a_day end
    from held where p.pool = held.pool`.execute(trx)
}

/**
 * Ends reservations after a failure. If the failures of a bucket within the window reach its capacity, the bucket is
 * blocked. If it had too many blocks or failures within a day, the block is extended.
 *
 * @returns the blocks that begin with this failure
 */
export async function recordFailure(
  trx: Trx,
  { buckets, userId }: { buckets: readonly Bucket[]; userId: string | null },
  rules: Rules,
  now: Date,
): Promise<Block[]> {
  const names = buckets.map((bucket) => bucket.name)
  const capacitiesPerDay = buckets.map((bucket) => bucket.capacityPerDay ?? null)
  const aDayAgo = before(now, BLOCK_MEMORY_SECONDS)
  const { rows } = await sql<BlockRow & { blocks_now: boolean }>`
    with judged as (
      select p.pool, p.capacity, w.capacity_of_day,
        case when w.capacity_of_day is null then '{}'
          else array(select t from unnest(failures_of_a_day) t where t > ${aDayAgo}::timestamptz) || ${now}::timestamptz end as of_a_day,
        array(select t from unnest(failures) t where t > ${before(now, rules.windowSeconds)}::timestamptz) || ${now}::timestamptz as recent,
        array(select t from unnest(blocks) t where t > ${aDayAgo}::timestamptz) as earlier
      from attempt_pools p join unnest(${names}::text[], ${capacitiesPerDay}::int[]) as w (pool, capacity_of_day)
        on w.pool = p.pool
      order by p.pool for update of p
    ), counted as (
      select pool, capacity, of_a_day, recent, earlier,
        coalesce(cardinality(of_a_day) >= capacity_of_day, false) as is_slow
      from judged
    ), decided as (
      select pool, of_a_day, recent, earlier, is_slow, is_slow or cardinality(recent) >= capacity as blocks_now,
        is_slow or cardinality(earlier) + 1 >= ${rules.blocksBeforeExtended} as extends
      from counted
    )
    update attempt_pools p set
      in_flight = p.in_flight[2:],
      updated_at = ${now},
      failures = case when d.blocks_now then '{}' else d.recent end,
      failures_of_a_day = case when d.is_slow then '{}' else d.of_a_day end,
      blocks = case when d.blocks_now then d.earlier || ${now}::timestamptz else d.earlier end,
      user_id = case when d.blocks_now then ${userId} else p.user_id end,
      block = case when not d.blocks_now then p.block when d.extends then 'extended' else 'temporary' end,
      blocked_until = case when not d.blocks_now then p.blocked_until
        else ${now}::timestamptz + make_interval(secs => case when d.extends then ${rules.extendedBlockSeconds}::int else ${rules.blockSeconds}::int end) end
    from decided d where p.pool = d.pool
    returning p.pool, p.block, p.user_id, p.blocked_until, d.blocks_now`.execute(trx)
  return rows.filter((row) => row.blocks_now).flatMap(toBlock)
}

/**
 * Returns until when these buckets are blocked. `blockedUntil` is undefined for a bucket that is not blocked, although
 * it may be full of running attempts.
 */
export async function readBlocks(db: Db | Trx, names: readonly string[], now: Date): Promise<BlockState[]> {
  const rows = await db
    .selectFrom('attempt_pools')
    .select(['pool', 'blocked_until', 'block'])
    .where('pool', 'in', names)
    .execute()
  return rows.map((row) => ({
    bucket: row.pool,
    blockedUntil: row.blocked_until !== null && row.blocked_until > now ? row.blocked_until : undefined,
    block: row.block === 'extended' ? 'extended' : 'temporary',
  }))
}

/**
 * Clears the failures and blocks of a bucket and of the buckets of its devices, whose names begin with the name of the
 * bucket.
 *
 * @returns the blocks that ended
 */
export async function clearBuckets(trx: Trx, name: string, now: Date): Promise<Block[]> {
  const { rows } = await sql<BlockRow>`
    delete from attempt_pools where pool = ${name} or pool like ${`${name.replaceAll('_', '\\_')}:%`}
    returning pool, block, user_id, case when blocked_until > ${now} then blocked_until end as blocked_until`.execute(
    trx,
  )
  return rows.flatMap(toBlock)
}

/** Deletes the buckets that have not changed for so long that their failures and blocks no longer count. */
export async function pruneBuckets(db: Db, rules: Rules, now: Date): Promise<void> {
  const kept = Math.max(BLOCK_MEMORY_SECONDS, rules.windowSeconds, rules.blockSeconds, rules.extendedBlockSeconds)
  await db.deleteFrom('attempt_pools').where('updated_at', '<', before(now, kept)).execute()
}
