import type { Db } from '../platform/db/index.ts'
import type { Principal } from '../platform/http/core/principal.ts'
import { assetProblems } from './problems.ts'
import { type Asset, findReadableAsset, SHOP_OWNER } from './store.ts'

/**
 * Finds an asset of the caller or an image of the shop.
 *
 * @throws `asset_not_found`
 */
export async function requireAsset(db: Db, id: string, ownerId: string): Promise<Asset> {
  const asset = await findReadableAsset(db, { id, ownerId })
  if (asset === undefined) throw assetProblems.asset_not_found()
  return asset
}

/**
 * Finds an asset whose upload the caller may read. The upload of an image of the shop can contain what its thumbnails do
 * not, such as where a photo was taken, so only operators and administrators read it.
 *
 * @throws `asset_not_found`
 */
export async function requireOriginal(db: Db, id: string, { userId, role }: Principal): Promise<Asset> {
  const asset = await requireAsset(db, id, userId)
  if (asset.ownerId === SHOP_OWNER && role === 'customer') throw assetProblems.asset_not_found()
  return asset
}
