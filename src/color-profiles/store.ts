import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Db, Trx } from '../platform/db/index.ts'
import type { DB } from '../platform/db/schema.generated.ts'
import { isId } from './ids.ts'
import type { ProfileColorSpace, ProfileInfo } from './inspection.ts'

export interface ColorProfile extends ProfileInfo {
  id: string
  /** SHA-256 of the stored bytes in hexadecimal. */
  sha256: string
  bytes: number
  createdAt: Date
}

const COLUMNS = ['id', 'description', 'color_space', 'bytes', 'sha256', 'created_at'] as const

/** Finds a profile. Returns undefined for an unknown or malformed id. */
export async function findColorProfile(db: Db | Trx, id: string): Promise<ColorProfile | undefined> {
  if (!isId('colorProfile', id)) return undefined
  const row = await db.selectFrom('color_profiles').select(COLUMNS).where('id', '=', id).executeTakeFirst()
  return row && toColorProfile(row)
}

/** Locks a profile, so that it cannot be deleted before the transaction ends. Returns false if it does not exist. */
export async function lockColorProfile(trx: Trx, id: string): Promise<boolean> {
  if (!isId('colorProfile', id)) return false
  const query = trx.selectFrom('color_profiles').select('id').where('id', '=', id).forKeyShare()
  return (await query.executeTakeFirst()) !== undefined
}

/** Lists profiles, newest first. If there are more than `limit`, the result has `limit` + 1 profiles. */
export async function listColorProfiles(
  db: Db,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<ColorProfile[]> {
  let query = db.selectFrom('color_profiles').select(COLUMNS)
  if (after !== undefined) query = query.where('id', '<', after)
  const rows = await query
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return rows.map(toColorProfile)
}

/** Adds a profile. If there is a profile with the same bytes, returns that profile. */
export async function insertColorProfileOnce(
  trx: Trx,
  profile: ColorProfile,
): Promise<{ profile: ColorProfile; created: boolean }> {
  const inserted = await trx
    .insertInto('color_profiles')
    .values(toRow(profile))
    .onConflict((conflict) => conflict.column('sha256').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (inserted !== undefined) return { profile, created: true }
  const row = await trx
    .selectFrom('color_profiles')
    .select(COLUMNS)
    .where('sha256', '=', profile.sha256)
    // The lock keeps a concurrent deletion from removing the profile that this request returns.
    .forKeyShare()
    .executeTakeFirst()
  // If there is no row, another transaction has deleted the profile after the insert found it, so the insert is
  // repeated.
  return row === undefined ? insertColorProfileOnce(trx, profile) : { profile: toColorProfile(row), created: false }
}

/** The deleted profile, or why it was not deleted. */
export type Deletion = ColorProfile | 'in_use' | 'not_found'

/**
 * Deletes a profile that no product uses. Waits for concurrent changes of products. After the result `in_use`,
 * PostgreSQL accepts only a rollback of the transaction.
 */
export async function deleteColorProfile(trx: Trx, id: string): Promise<Deletion> {
  if (!isId('colorProfile', id)) return 'not_found'
  try {
    const row = await trx.deleteFrom('color_profiles').where('id', '=', id).returning(COLUMNS).executeTakeFirst()
    return row === undefined ? 'not_found' : toColorProfile(row)
  } catch (error) {
    if (isStillNamed(error)) return 'in_use'
    throw error
  }
}

/**
 * SQLSTATE 23001 is restrict_violation. PostgreSQL before version 18 reported 23503 (foreign_key_violation) instead.
 */
function isStillNamed(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return code === '23001' || code === '23503'
}

/** Selects those of the given hashes for which there is a profile. */
export function storedProfiles(sha256s: readonly string[]): RawBuilder<{ sha256: string }> {
  return sql`select sha256 from color_profiles where sha256 = any(${[...sha256s]})`
}

function toColorProfile(row: Pick<Selectable<DB['color_profiles']>, (typeof COLUMNS)[number]>): ColorProfile {
  return {
    id: row.id,
    description: row.description,
    colorSpace: row.color_space as ProfileColorSpace,
    bytes: row.bytes,
    sha256: row.sha256,
    createdAt: row.created_at,
  }
}

function toRow(profile: ColorProfile) {
  return {
    id: profile.id,
    description: profile.description,
    color_space: profile.colorSpace,
    bytes: profile.bytes,
    sha256: profile.sha256,
    created_at: profile.createdAt,
  }
}
