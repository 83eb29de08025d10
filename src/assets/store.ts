import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Db, Trx } from '../platform/db/index.ts'
import type { DB } from '../platform/db/schema.generated.ts'
import { recordUpload } from '../platform/storage/index.ts'
import { usesOf } from '../platform/uploads/uses.ts'
import { isId } from './ids.ts'
import type { AssetInfo, AssetMediaType, ColorSpace } from './inspection.ts'

export interface Asset extends AssetInfo {
  id: string
  ownerId: string
  /** SHA-256 of the bytes in hexadecimal. The storage finds the bytes by this hash. */
  sha256: string
  bytes: number
  createdAt: Date
}

/** The owner is part of the key, so that assets of other accounts are never found. */
export interface AssetKey {
  id: string
  ownerId: string
}

/** Records which finalized designs use which assets. */
export const assetUses = usesOf({
  isId: (value) => isId('asset', value),
  table: 'assets',
  uses: 'asset_uses',
  key: 'asset_id',
  aliases: 'asset_aliases',
})

const COLUMNS = [
  'id',
  'owner_id',
  'sha256',
  'bytes',
  'media_type',
  'width_px',
  'height_px',
  'has_alpha',
  'color_space',
  'orientation',
  'created_at',
] as const

/** The owner of the images of the shop. No account has this id. */
export const SHOP_OWNER = 'shop'

/** Finds an asset that the caller may read: one of its own, or an image of the shop. */
export async function findReadableAsset(db: Db, { id, ownerId }: AssetKey): Promise<Asset | undefined> {
  const [asset] = await findByIds(
    [id],
    (ids) => queryAssets(db, ids).where('owner_id', 'in', [ownerId, SHOP_OWNER]),
    db,
  )
  return asset
}

/** Finds an asset for its links, which end when the asset or its account is deleted. */
export async function findLinkedAsset(db: Db, id: string): Promise<Asset | undefined> {
  const isOpen = sql<boolean>`not exists (select from users where id = assets.owner_id and deleted_at is not null)`
  const [asset] = await findByIds([id], (ids) => queryAssets(db, ids).where(isOpen), db)
  return asset
}

/** Finds the named assets of an owner, in no particular order. Unknown ids are left out. */
export function findAssets(db: Db, ownerId: string, ids: readonly string[]): Promise<Asset[]> {
  return findByIds(ids, (present) => queryAssets(db, present).where('owner_id', '=', ownerId), db)
}

const queryAssets = (db: Db, ids: readonly string[]) => db.selectFrom('assets').select(COLUMNS).where('id', 'in', ids)

/** Finds assets by their ids, or by former ids. Each result has the id for which it was found. */
async function findByIds(
  ids: readonly string[],
  query: (ids: readonly string[]) => ReturnType<typeof queryAssets>,
  db: Db,
): Promise<Asset[]> {
  const wellFormed = ids.filter((id) => isId('asset', id))
  if (wellFormed.length === 0) return []
  const found = (await query(wellFormed).execute()).map(toAsset)
  const known = new Set(found.map(({ id }) => id))
  const unknown = wellFormed.filter((id) => !known.has(id))
  if (unknown.length === 0) return found
  const aliases = await db.selectFrom('asset_aliases').select(['id', 'asset_id']).where('id', 'in', unknown).execute()
  if (aliases.length === 0) return found
  const rows = await query(aliases.map(({ asset_id }) => asset_id)).execute()
  const present = new Map(rows.map((row) => [row.id, toAsset(row)]))
  const renamed = aliases.flatMap(({ id, asset_id }) => {
    const asset = present.get(asset_id)
    return asset === undefined ? [] : [{ ...asset, id }]
  })
  return [...found, ...renamed]
}

export async function findAssetByContent(db: Db, ownerId: string, sha256: string): Promise<Asset | undefined> {
  const row = await db
    .selectFrom('assets')
    .select(COLUMNS)
    .where('owner_id', '=', ownerId)
    .where('sha256', '=', sha256)
    .executeTakeFirst()
  return row && toAsset(row)
}

/** Selects those of the given hashes for which any account has an asset. */
export function storedAssets(sha256s: readonly string[]): RawBuilder<{ sha256: string }> {
  return sql`select sha256 from assets where sha256 = any(${[...sha256s]})`
}

/** Lists assets of an account, newest first. If there are more than `limit`, the result has `limit` + 1 assets. */
export async function listAssets(
  db: Db,
  { ownerId, after, limit }: { ownerId: string; after: string | undefined; limit: number },
): Promise<Asset[]> {
  let query = db.selectFrom('assets').select(COLUMNS).where('owner_id', '=', ownerId)
  if (after !== undefined) query = query.where('id', '<', after)
  const rows = await query
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return rows.map(toAsset)
}

/**
 * Adds an asset and counts its bytes in the quota of the owner. If the owner already has an asset with the same bytes,
 * returns that asset.
 */
export async function insertAssetOnce(trx: Trx, asset: Asset): Promise<{ asset: Asset; created: boolean }> {
  const found = await insertOnce(trx, asset)
  const created = found.id === asset.id
  if (created) await recordUpload(trx, asset)
  return { asset: found, created }
}

/**
 * Locks those of the named assets that belong to an account or to the shop, so that they cannot be deleted until the
 * transaction ends.
 */
export function holdAssets(trx: Trx, ownerId: string, ids: readonly string[]): Promise<Asset[]> {
  const query = (present: readonly string[]) =>
    queryAssets(trx, present).where('owner_id', 'in', [ownerId, SHOP_OWNER]).orderBy('id').forKeyShare()
  return findByIds(ids, query, trx)
}

/** Adds an image of the shop, which counts in no quota. If the shop has the same bytes, returns that image. */
export function insertShopAsset(trx: Trx, asset: Omit<Asset, 'ownerId'>): Promise<Asset> {
  return insertOnce(trx, { ...asset, ownerId: SHOP_OWNER })
}

async function insertOnce(trx: Trx, asset: Asset): Promise<Asset> {
  const row = await trx
    .insertInto('assets')
    .values(toRow(asset))
    // `do nothing` would neither lock nor return an existing row.
    .onConflict((conflict) =>
      conflict.columns(['owner_id', 'sha256']).doUpdateSet(({ ref }) => ({ sha256: ref('excluded.sha256') })),
    )
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  return toAsset(row)
}

/** Sums the bytes of the assets of an account. */
export function storedAssetBytes(ownerId: string): RawBuilder<{ bytes: number }> {
  return sql`select coalesce(sum(bytes), 0)::bigint as bytes from assets where owner_id = ${ownerId}`
}

function toAsset(row: Pick<Selectable<DB['assets']>, (typeof COLUMNS)[number]>): Asset {
  return {
    id: row.id,
    ownerId: row.owner_id,
    sha256: row.sha256,
    bytes: row.bytes,
    mediaType: row.media_type as AssetMediaType,
    widthPx: row.width_px,
    heightPx: row.height_px,
    hasAlpha: row.has_alpha,
    colorSpace: row.color_space as ColorSpace,
    orientation: row.orientation as Asset['orientation'],
    createdAt: row.created_at,
  }
}

function toRow(asset: Asset) {
  return {
    id: asset.id,
    owner_id: asset.ownerId,
    sha256: asset.sha256,
    bytes: asset.bytes,
    media_type: asset.mediaType,
    width_px: asset.widthPx,
    height_px: asset.heightPx,
    has_alpha: asset.hasAlpha,
    color_space: asset.colorSpace,
    orientation: asset.orientation,
    created_at: asset.createdAt,
  }
}
