import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Db, Trx } from '../platform/db/index.ts'
import type { DB } from '../platform/db/schema.generated.ts'
import { recordUpload } from '../platform/storage/index.ts'
import { usesOf } from '../platform/uploads/uses.ts'
import { isId } from './ids.ts'
import type { FontEmbedding, FontInfo, FontMediaType, FontStyle } from './inspection.ts'

export interface Font extends FontInfo {
  id: string
  ownerId: string
  createdAt: Date
}

/** The owner is part of the key, so that fonts of other accounts are never found. */
export interface FontKey {
  id: string
  ownerId: string
}

/** Records which finalized designs use which fonts. */
export const fontUses = usesOf({
  isId: (value) => isId('font', value),
  table: 'fonts',
  uses: 'font_uses',
  key: 'font_id',
})

const COLUMNS = [
  'id',
  'owner_id',
  'sha256',
  'bytes',
  'media_type',
  'family',
  'weight',
  'style',
  'scripts',
  'embedding',
  'created_at',
] as const

export async function findFont(db: Db, { id, ownerId }: FontKey): Promise<Font | undefined> {
  if (!isId('font', id)) return undefined
  const row = await db
    .selectFrom('fonts')
    .select(COLUMNS)
    .where('id', '=', id)
    .where('owner_id', '=', ownerId)
    .executeTakeFirst()
  return row && toFont(row)
}

/**
 * Lists the fonts of an account in the given families, newest first. If two fonts have the same style, callers use the
 * newer one, which comes first.
 */
export async function findFontsOfFamilies(db: Db, ownerId: string, families: readonly string[]): Promise<Font[]> {
  if (families.length === 0) return []
  const rows = await db
    .selectFrom('fonts')
    .select(COLUMNS)
    .where('owner_id', '=', ownerId)
    .where('family', 'in', [...families])
    .orderBy('id', 'desc')
    .execute()
  return rows.map(toFont)
}

/** Lists the fonts that a finalized design uses, newest first. */
export async function findFontsUsed(db: Db, designId: string): Promise<Font[]> {
  const rows = await db
    .selectFrom('fonts')
    .innerJoin('font_uses', 'font_uses.font_id', 'fonts.id')
    .select(COLUMNS.map((column) => `fonts.${column}` as const))
    .where('font_uses.design_id', '=', designId)
    .orderBy('fonts.id', 'desc')
    .execute()
  return rows.map(toFont)
}

/** Lists the families, styles and scripts of the fonts of an account, newest first. */
export async function listOwnStyles(
  db: Db,
  ownerId: string,
): Promise<Pick<Font, 'family' | 'weight' | 'style' | 'scripts'>[]> {
  const rows = await db
    .selectFrom('fonts')
    .select(['family', 'weight', 'style', 'scripts'])
    .where('owner_id', '=', ownerId)
    .orderBy('id', 'desc')
    .execute()
  return rows.map((row) => ({ ...row, style: row.style as FontStyle }))
}

/** Lists fonts of an account, newest first. If there are more than `limit`, the result has `limit` + 1 fonts. */
export async function listFonts(
  db: Db,
  { ownerId, after, limit }: { ownerId: string; after: string | undefined; limit: number },
): Promise<Font[]> {
  let query = db.selectFrom('fonts').select(COLUMNS).where('owner_id', '=', ownerId)
  if (after !== undefined) query = query.where('id', '<', after)
  const rows = await query
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return rows.map(toFont)
}

/** Locks the font uploads of an account: other uploads wait until the transaction ends. */
export async function lockUploads(trx: Trx, ownerId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`fonts ${ownerId}`}, 0))`.execute(trx)
}

export async function findFontByContent(trx: Db | Trx, ownerId: string, sha256: string): Promise<Font | undefined> {
  const row = await trx
    .selectFrom('fonts')
    .select(COLUMNS)
    .where('owner_id', '=', ownerId)
    .where('sha256', '=', sha256)
    // The lock keeps a concurrent deletion from removing the font that this request returns.
    .forKeyShare()
    .executeTakeFirst()
  return row && toFont(row)
}

export interface FontCount {
  count: number
  /** The total size of the unpacked fonts in bytes. */
  bytes: number
}

export async function countFonts(trx: Db | Trx, ownerId: string): Promise<FontCount> {
  return trx
    .selectFrom('fonts')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .select(sql<number>`coalesce(sum(bytes), 0)::bigint`.as('bytes'))
    .where('owner_id', '=', ownerId)
    .executeTakeFirstOrThrow()
}

/** Adds a font, and counts its unpacked bytes in the quota of the owner. */
export async function insertFont(trx: Trx, font: Font): Promise<void> {
  await trx.insertInto('fonts').values(toRow(font)).execute()
  await recordUpload(trx, font)
}

/** Sums the bytes of the fonts of an account. */
export function storedFontBytes(ownerId: string): RawBuilder<{ bytes: number }> {
  return sql`select coalesce(sum(bytes), 0)::bigint as bytes from fonts where owner_id = ${ownerId}`
}

/** Selects those of the given hashes for which any account has a font. */
export function storedFonts(sha256s: readonly string[]): RawBuilder<{ sha256: string }> {
  return sql`select sha256 from fonts where sha256 = any(${[...sha256s]})`
}

function toFont(row: Pick<Selectable<DB['fonts']>, (typeof COLUMNS)[number]>): Font {
  return {
    id: row.id,
    ownerId: row.owner_id,
    sha256: row.sha256,
    bytes: row.bytes,
    mediaType: row.media_type as FontMediaType,
    family: row.family,
    weight: row.weight,
    style: row.style as FontStyle,
    scripts: row.scripts,
    embedding: row.embedding as FontEmbedding,
    createdAt: row.created_at,
  }
}

function toRow(font: Font) {
  return {
    id: font.id,
    owner_id: font.ownerId,
    sha256: font.sha256,
    bytes: font.bytes,
    media_type: font.mediaType,
    family: font.family,
    weight: font.weight,
    style: font.style,
    scripts: font.scripts,
    embedding: font.embedding,
    created_at: font.createdAt,
  }
}
