import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Db, Trx } from '../../db/index.ts'
import type { StoredObject } from './object-store.ts'
import type { StorageReferences } from './references.ts'

/**
 * Time after which an announced deletion is certainly not carried out any more. A deletion is signed within a minute,
 * S3 accepts a signature for a quarter of an hour, and the clock of the signing computer may be ahead by another
 * quarter of an hour.
 */
const DELETION_SECONDS = 35 * 60

/**
 * Records that a process is about to store bytes, and postpones their collection.
 *
 * @returns false while another process is deleting the same bytes
 */
export async function notePut(db: Db, { sha256, bytes }: StoredObject): Promise<boolean> {
  const { rows } = await sql`
    insert into storage_objects as o (sha256, bytes) values (${sha256}, ${bytes})
    on conflict (sha256) do update set put_at = now(), deleting_at = null
      where o.deleting_at is null or o.deleting_at < now() - make_interval(secs => ${DELETION_SECONDS})
    returning 1`.execute(db)
  return rows.length > 0
}

/** Records stored bytes without a row: bytes from before the table existed, or newer than a restored database. */
export async function noteFound(db: Db, objects: readonly StoredObject[]): Promise<number> {
  const { numAffectedRows } = await sql`
    insert into storage_objects (sha256, bytes)
    select sha256, bytes from unnest(${objects.map(({ sha256 }) => sha256)}::text[], ${objects.map(({ bytes }) => bytes)}::bigint[])
      as found (sha256, bytes)
    on conflict (sha256) do nothing`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/**
 * Protects stored bytes from collection until the transaction ends.
 *
 * @returns those of the hashes that are not stored any more or are being deleted
 */
export async function retainObjects(trx: Trx, sha256s: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ sha256: string }>`
    select sha256 from storage_objects where sha256 = any(${[...sha256s]}) and deleting_at is null
    order by sha256 for key share`.execute(trx)
  const held = new Set(rows.map(({ sha256 }) => sha256))
  return sha256s.filter((sha256) => !held.has(sha256))
}

/** Reads the next objects in the order of their hashes. */
export async function listRecorded(db: Db, after: string, limit: number): Promise<StoredObject[]> {
  const { rows } = await sql<StoredObject>`
    select sha256, bytes from storage_objects where sha256 > ${after} order by sha256 limit ${limit}`.execute(db)
  return rows
}

export interface CandidateFilter {
  /** The hash of the last examined object. */
  after: string
  limit: number
  /** The least time since the bytes were last stored, in seconds. */
  minAgeSeconds: number
}

/**
 * Finds the next objects, in the order of their hashes, that were stored long ago and that no other process deletes.
 * The objects are not locked, because a lock is a write.
 */
export async function findOldObjects(
  db: Db,
  { after, limit, minAgeSeconds }: CandidateFilter,
): Promise<StoredObject[]> {
  const { rows } = await sql<StoredObject>`
    select sha256, bytes from storage_objects
    where sha256 > ${after} and ${isCollectable(minAgeSeconds)}
    order by sha256 limit ${limit}`.execute(db)
  return rows
}

/**
 * Locks those of the objects that can still be collected: they were stored long ago, and no other process deletes them.
 * Objects that another transaction has locked are left out.
 */
export async function lockOldObjects(
  trx: Trx,
  sha256s: readonly string[],
  { minAgeSeconds }: Pick<CandidateFilter, 'minAgeSeconds'>,
): Promise<StoredObject[]> {
  const { rows } = await sql<StoredObject>`
    select sha256, bytes from storage_objects
    where sha256 = any(${[...sha256s]}) and ${isCollectable(minAgeSeconds)}
    order by sha256
    for update skip locked`.execute(trx)
  return rows
}

/** Finds some of the objects that were stored long ago and that no process deletes, beginning at a random hash. */
export async function sampleObjects(
  db: Db,
  { limit, minAgeSeconds }: Omit<CandidateFilter, 'after'>,
): Promise<StoredObject[]> {
  const first = randomBytes(32).toString('hex')
  const isOld = sql`put_at < now() - make_interval(secs => ${minAgeSeconds}) and deleting_at is null`
  const { rows } = await sql<StoredObject>`
    (select sha256, bytes from storage_objects where sha256 >= ${first} and ${isOld} order by sha256 limit ${limit})
    union all
    (select sha256, bytes from storage_objects where sha256 < ${first} and ${isOld} order by sha256 limit ${limit})
    limit ${limit}`.execute(db)
  return rows
}

function isCollectable(minAgeSeconds: number) {
  return sql`put_at < now() - make_interval(secs => ${minAgeSeconds})
    and (deleting_at is null or deleting_at < now() - make_interval(secs => ${DELETION_SECONDS}))`
}

/** Finds those of the hashes that any feature needs. One statement reads all tables, so that they have one snapshot. */
export async function findReferenced(
  db: Db | Trx,
  references: readonly StorageReferences[],
  sha256s: readonly string[],
): Promise<Set<string>> {
  const queries = references.map((one) => sql`(${one.query(sha256s)})`)
  const { rows } = await sql<{ sha256: string }>`${sql.join(queries, sql` union all `)}`.execute(db)
  return new Set(rows.map(({ sha256 }) => sha256))
}

/**
 * Announces the deletion of objects. Until their bytes are deleted, no process stores them again.
 *
 * @returns the mark that identifies the deletion
 */
export async function markDeleting(trx: Trx, sha256s: readonly string[]): Promise<Date | undefined> {
  const { rows } = await sql<{ mark: Date }>`
    update storage_objects set deleting_at = date_trunc('milliseconds', now()) where sha256 = any(${[...sha256s]})
    returning deleting_at as mark`.execute(trx)
  return rows[0]?.mark
}

/** Tells whether an announced deletion is still valid: no other process has assumed that it was abandoned. */
export async function isMarked(db: Db, sha256: string, mark: Date): Promise<boolean> {
  const { rows } = await sql`
    select 1 from storage_objects where sha256 = ${sha256} and deleting_at = ${mark}`.execute(db)
  return rows.length > 0
}

/**
 * Deletes the rows of objects whose bytes were deleted, unless another process has assumed that the deletion was
 * abandoned.
 */
export async function forgetDeleted(db: Db, sha256s: readonly string[], mark: Date): Promise<void> {
  await sql`delete from storage_objects where sha256 = any(${[...sha256s]}) and deleting_at = ${mark}`.execute(db)
}

/** Undoes `markDeleting` for objects that were certainly not deleted. */
export async function unmarkDeleting(db: Db, sha256s: readonly string[], mark: Date): Promise<void> {
  await sql`
    update storage_objects set deleting_at = null
    where sha256 = any(${[...sha256s]}) and deleting_at = ${mark}`.execute(db)
}
