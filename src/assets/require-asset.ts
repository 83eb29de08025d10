import type { Db } from '../platform/db/index.ts'
import { assetProblems } from './problems.ts'
import { type Asset, findReadableAsset } from './store.ts'

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
