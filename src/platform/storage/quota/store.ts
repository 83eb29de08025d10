import { type RawBuilder, sql } from 'kysely'
import type { Db, Trx } from '../../db/index.ts'
import type { StorageReferences } from '../objects/references.ts'
import { findReferenced } from '../objects/store.ts'
import type { StorageCharges } from './charges.ts'

/** Minimum time for which deleted files count. The collection deletes no file that was stored more recently. */
export const RELEASE_SECONDS = 24 * 3600

/** A reservation expires if its process has not renewed it for this long. */
const RESERVATION_SECONDS = 120

export interface Usage {
  bytes: number
  /** Whether `bytes` has been compared with the records. */
  isReconciled: boolean
  /** The own limit of the account. Null: the default. */
  quotaBytes: number | null
}

/**
 * Adds bytes to what an account stores, in the transaction that changes the record and after the change. The usage row
 * stays locked until the transaction ends, so take this lock last.
 *
 * @param bytes number of bytes to add; negative to subtract
 */
export async function recordUsage(trx: Trx, ownerId: string, bytes: number): Promise<Usage> {
  const { rows } = await sql<Usage>`
    insert into storage_usage as u (owner_id, bytes) values (${ownerId}, ${bytes})
    on conflict (owner_id) do update set bytes = u.bytes + excluded.bytes
    returning bytes, reconciled_at is not null as "isReconciled", quota_bytes as "quotaBytes"`.execute(trx)
  const [usage] = rows
  if (usage === undefined) throw new Error('an upsert returned no row')
  return usage
}

/** Gives a new account a limit of its own. */
export async function setQuota(trx: Trx, ownerId: string, quotaBytes: number): Promise<void> {
  await sql`
    insert into storage_usage (owner_id, bytes, reconciled_at, quota_bytes)
    values (${ownerId}, 0, now(), ${quotaBytes})
    on conflict (owner_id) do update set quota_bytes = excluded.quota_bytes`.execute(trx)
}

export interface StoredUpload {
  ownerId: string
  sha256: string
  bytes: number
}

/**
 * Records a new upload of an account, after its row was added. If the account recently deleted the same file, the
 * deleted file stops counting.
 */
export async function recordUpload(trx: Trx, { ownerId, sha256, bytes }: StoredUpload): Promise<void> {
  const { rows } = await sql<{ bytes: number }>`
    delete from storage_releases where owner_id = ${ownerId} and sha256 = ${sha256} returning bytes`.execute(trx)
  await recordUsage(trx, ownerId, bytes - sum(rows))
}

/** Continues to charge the owner of a deleted upload until its file is collected. */
export async function releaseUpload(trx: Trx, { ownerId, sha256, bytes }: StoredUpload): Promise<void> {
  await insertRelease(trx, { ownerId, sha256, bytes, seconds: RELEASE_SECONDS })
}

/**
 * Charges an account for a file that it stored without a record, until the file has been collected. A file that the
 * account deleted a short time ago is charged already.
 */
export async function chargeUnrecorded(trx: Trx, { ownerId, sha256, bytes }: StoredUpload): Promise<void> {
  // Takes the lock of the account, so that two such files at once are charged one after the other.
  await recordUsage(trx, ownerId, 0)
  const { rows } = await sql`
    select from storage_releases where owner_id = ${ownerId} and sha256 = ${sha256}`.execute(trx)
  if (rows.length > 0) return
  await insertRelease(trx, { ownerId, sha256, bytes, seconds: RELEASE_SECONDS })
  await recordUsage(trx, ownerId, bytes)
}

export interface PassingCharge {
  ownerId: string
  bytes: number
  seconds: number
}

/** Charges an account for bytes in the database that are deleted automatically after some time. */
export async function chargeFor(trx: Trx, charge: PassingCharge): Promise<void> {
  await sql`with ${chargesFor(charge)} select from charged`.execute(trx)
}

/**
 * SQL that charges an account as `chargeFor` does, for a statement that also adds the bytes: parts of a `with` clause.
 * One of them is `charged`, with a row once the account is charged and locked.
 */
export function chargesFor({ ownerId, bytes, seconds }: PassingCharge): RawBuilder<unknown> {
  return sql`
    released as (
      insert into storage_releases (owner_id, sha256, bytes, due_at)
      values (${ownerId}, null, ${bytes}, now() + make_interval(secs => ${seconds}))
    ), charged as (
      insert into storage_usage as u (owner_id, bytes) values (${ownerId}, ${bytes})
      on conflict (owner_id) do update set bytes = u.bytes + excluded.bytes returning owner_id
    )`
}

interface NewRelease {
  ownerId: string
  sha256: string
  bytes: number
  seconds: number
}

async function insertRelease(trx: Trx, { ownerId, sha256, bytes, seconds }: NewRelease): Promise<void> {
  await sql`
    insert into storage_releases (owner_id, sha256, bytes, due_at)
    values (${ownerId}, ${sha256}, ${bytes}, now() + make_interval(secs => ${seconds}))`.execute(trx)
}

export async function findUsage(db: Db | Trx, ownerId: string): Promise<Usage | undefined> {
  const { rows } = await sql<Usage>`
    select bytes, reconciled_at is not null as "isReconciled", quota_bytes as "quotaBytes" from storage_usage where owner_id = ${ownerId}`.execute(
    db,
  )
  return rows[0]
}

/** Sums the bytes that are reserved for an account, except those of one reservation. */
export async function sumReservations(db: Db | Trx, ownerId: string, exceptId: string | null = null): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select bytes from storage_reservations
    where owner_id = ${ownerId} and expires_at > clock_timestamp() and id is distinct from ${exceptId}::uuid`.execute(
    db,
  )
  return sum(rows)
}

export interface ReservationRow {
  id: string
  ownerId: string
  bytes: number
}

/** Adds a reservation, or changes its size. */
export async function putReservation(trx: Trx, { id, ownerId, bytes }: ReservationRow): Promise<void> {
  await sql`
    insert into storage_reservations (id, owner_id, bytes, expires_at)
    values (${id}, ${ownerId}, ${bytes}, ${expiry})
    on conflict (id) do update set bytes = excluded.bytes, expires_at = excluded.expires_at`.execute(trx)
}

const expiry = sql`clock_timestamp() + make_interval(secs => ${RESERVATION_SECONDS})`

/**
 * Postpones the expiry of reservations. Skips rows that a transaction is deleting, because waiting for them could cause
 * a deadlock.
 */
export async function renewReservations(db: Db, ids: readonly string[]): Promise<void> {
  await sql`
    update storage_reservations set expires_at = ${expiry}
    where id in (select id from storage_reservations where id = any(${[...ids]}::uuid[]) for update skip locked)`.execute(
    db,
  )
}

/** Ends a reservation. Returns the bytes that it still covered, or 0 if it had expired. */
export async function deleteReservation(db: Db | Trx, id: string): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    delete from storage_reservations where id = ${id}
    returning case when expires_at > clock_timestamp() then bytes else 0 end as bytes`.execute(db)
  return sum(rows)
}

export async function deleteExpiredReservations(db: Db): Promise<void> {
  await sql`delete from storage_reservations where expires_at <= clock_timestamp()`.execute(db)
}

/**
 * Deletes the reservations that killed processes left. Call this function only if no other process receives uploads.
 */
export async function releaseLeftReservations(db: Db): Promise<void> {
  await sql`delete from storage_reservations`.execute(db)
}

/**
 * Lists the accounts to reconcile next: accounts that were never reconciled, then accounts that were last reconciled
 * more than a day ago, oldest first.
 */
export async function listToReconcile(db: Db, limit: number): Promise<string[]> {
  const { rows } = await sql<{ ownerId: string }>`
    select owner_id as "ownerId" from storage_usage
    where reconciled_at is null or reconciled_at < now() - interval '1 day'
    order by reconciled_at nulls first, owner_id limit ${limit}`.execute(db)
  return rows.map(({ ownerId }) => ownerId)
}

/**
 * Compares the recorded usage of an account with its records and corrects it. One statement reads both, so that they
 * have one snapshot. It adds the difference and does not overwrite the sum, so that changes that commit in the meantime
 * stay counted.
 *
 * @returns the correction in bytes; undefined if another process reconciled the account at the same time
 */
export async function reconcileUsage(
  db: Db | Trx,
  charges: readonly StorageCharges[],
  ownerId: string,
): Promise<number | undefined> {
  const released = sql`select coalesce(sum(bytes), 0)::bigint as bytes from storage_releases where owner_id = ${ownerId}`
  const parts = [...charges.map((one) => one.query(ownerId)), released].map((query) => sql`(${query})`)
  const { rows } = await sql<{ drift: number }>`
    update storage_usage u set bytes = u.bytes + seen.drift, reconciled_at = clock_timestamp()
    from (
      select s.reconciled_at, (select coalesce(sum(bytes), 0) from (${sql.join(parts, sql` union all `)}) as stored) - s.bytes as drift
      from storage_usage s where s.owner_id = ${ownerId}
    ) as seen
    where u.owner_id = ${ownerId} and u.reconciled_at is not distinct from seen.reconciled_at
    returning seen.drift::bigint as drift`.execute(db)
  return rows[0]?.drift
}

interface DueRelease {
  id: number
  sha256: string | null
}

/** Finds releases that are due, in the order of their ids. A release is a deleted file that still counts. */
async function findDueReleases(db: Db, after: number, limit: number): Promise<DueRelease[]> {
  const { rows } = await sql<DueRelease>`
    select id, sha256 from storage_releases where due_at <= now() and id > ${after} order by id limit ${limit}`.execute(
    db,
  )
  return rows
}

const BATCH = 500

/**
 * Stops charging for deleted bytes that no longer exist: expired responses and collected files. If another record still
 * refers to a file, the owner of that record is charged for the file.
 *
 * @returns how many releases ended
 */
export async function endReleases(db: Db, references: readonly StorageReferences[]): Promise<number> {
  let ended = 0
  for (let after = 0; ; ) {
    const due = await findDueReleases(db, after, BATCH)
    const hashes = due.flatMap(({ sha256 }) => (sha256 === null ? [] : [sha256]))
    const stored = await findStored(db, hashes)
    const named = stored.size === 0 ? stored : await findReferenced(db, references, [...stored])
    const gone = due.filter(({ sha256 }) => sha256 === null || !stored.has(sha256) || named.has(sha256))
    ended += await deleteReleases(
      db,
      gone.map(({ id }) => id),
    )
    if (due.length < BATCH) return ended
    after = due.at(-1)?.id ?? after
  }
}

async function findStored(db: Db, sha256s: readonly string[]): Promise<Set<string>> {
  if (sha256s.length === 0) return new Set()
  const { rows } = await sql<{ sha256: string }>`
    select sha256 from storage_objects where sha256 = any(${[...sha256s]})`.execute(db)
  return new Set(rows.map(({ sha256 }) => sha256))
}

async function deleteReleases(db: Db, ids: readonly number[]): Promise<number> {
  if (ids.length === 0) return 0
  const { rows } = await sql<{ ended: number }>`
    with gone as (delete from storage_releases where id = any(${[...ids]}::bigint[]) returning owner_id, bytes),
      sums as (select owner_id, sum(bytes)::bigint as bytes from gone group by owner_id),
      lowered as (
        update storage_usage u set bytes = u.bytes - sums.bytes from sums where u.owner_id = sums.owner_id)
    select count(*)::int as ended from gone`.execute(db)
  return rows[0]?.ended ?? 0
}

/**
 * Deletes what is recorded about the usage of a closed account, which stays closed (`closeUsage`). Call this function
 * last in a transaction that erases the records of the account.
 */
export async function deleteUsage(trx: Trx, ownerId: string): Promise<void> {
  await sql`delete from storage_releases where owner_id = ${ownerId}`.execute(trx)
  await sql`delete from storage_unpaid where owner_id = ${ownerId}`.execute(trx)
  await emptyUsage(trx, ownerId)
  await sql`delete from storage_reservations where owner_id = ${ownerId}`.execute(trx)
}

/** Room for what a request in progress adds to a closed account, such as an order of which its owner will be told. */
const LATE_BYTES = 64 * 1024

/**
 * Lets a closed account store little more than uploads in progress have reserved. Without a row, a late upload would get
 * the quota of a new account. The lock of the usage comes last, as everywhere.
 */
export async function closeUsage(trx: Trx, ownerId: string): Promise<void> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(bytes), 0)::bigint as bytes from storage_unpaid
    where owner_id = ${ownerId} and counts_until > now()`.execute(trx)
  await sql`
    insert into storage_usage as u (owner_id, bytes, quota_bytes, reconciled_at)
    values (${ownerId}, 0, ${sum(rows) + LATE_BYTES}, now())
    on conflict (owner_id) do update
    set quota_bytes = greatest(u.bytes, ${sum(rows)}::bigint) + ${LATE_BYTES}::int`.execute(trx)
}

/** Removes the last row of a closed account, whose requests have all ended. */
export async function forgetUsage(trx: Trx, ownerId: string): Promise<void> {
  await sql`delete from storage_usage where owner_id = ${ownerId}`.execute(trx)
}

function sum(rows: readonly { bytes: number }[]): number {
  return rows.reduce((total, { bytes }) => total + bytes, 0)
}

/**
 * Charges an account for what another one stored and added. Uploads in progress keep their reservations, which count for
 * the account from now on. The other one is closed (`closeUsage`), because what it stores late reaches the account without
 * a check.
 *
 * What both had counts twice until the next hourly comparison. Comparing here would read all documents of the account, and
 * all events would wait for the transaction. So an account that was never compared counts as compared, too.
 */
export async function moveUsage(trx: Trx, from: string, to: string): Promise<void> {
  await recordUsage(trx, to, 0)
  const former = await findUsage(trx, from)
  await emptyUsage(trx, from)
  const added = former?.bytes ?? 0
  let moved = Math.abs(added)
  for (const table of ['storage_reservations', 'storage_unpaid', 'storage_releases']) {
    const { numAffectedRows = 0n } = await sql`
      update ${sql.table(table)} set owner_id = ${to} where owner_id = ${from}`.execute(trx)
    moved += Number(numAffectedRows)
  }
  // Late moves mostly find nothing.
  if (moved === 0) return
  await sql`
    update storage_usage set bytes = bytes + ${added}::bigint, unpaid_counted_at = null,
      reconciled_at = ${aTimeOfItsOwn}
    where owner_id = ${to}`.execute(trx)
}

/**
 * Lets the next hourly comparison check an account whose records of a moved one arrive in several transactions. A
 * comparison between two of them would not count those that are missing.
 */
export async function compareUsageSoon(trx: Trx, ownerId: string): Promise<void> {
  await sql`
    update storage_usage set reconciled_at = ${aTimeOfItsOwn}
    where owner_id = ${ownerId} and reconciled_at is not null`.execute(trx)
}

/** A time that no other move has: a comparison that began before this move must not count as one after it. */
const aTimeOfItsOwn = sql`timestamptz 'epoch' + random() * interval '1 day'`

/** Closes an account whose records were erased or moved. */
async function emptyUsage(trx: Trx, ownerId: string): Promise<void> {
  await sql`update storage_usage set bytes = 0, reconciled_at = now() where owner_id = ${ownerId}`.execute(trx)
  await closeUsage(trx, ownerId)
}
