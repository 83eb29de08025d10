import type { Db, Trx } from '../platform/db/index.ts'
import { newId } from './ids.ts'
import type { AssetInfo } from './inspection.ts'
import { type Asset, findAssets, holdAssets, insertShopAsset, SHOP_OWNER } from './store.ts'

/**
 * Makes assets of an account images of the shop too. The shop gets a record of its own for the same bytes, so its image
 * remains when the account deletes the asset, and names no account. Images of the shop are returned as they are.
 *
 * @returns the images of the shop by the given ids; unknown ids and assets of other accounts are left out
 */
export async function shareWithShop(
  trx: Trx,
  { ownerId, ids, now }: { ownerId: string; ids: readonly string[]; now: Date },
): Promise<Map<string, Asset>> {
  const shared = new Map<string, Asset>()
  for (const asset of await holdAssets(trx, ownerId, ids)) {
    const isShared = asset.ownerId === SHOP_OWNER
    const copy = () => insertShopAsset(trx, { ...asset, id: newId('asset'), createdAt: now })
    shared.set(asset.id, isShared ? asset : await copy())
  }
  return shared
}

/** Finds the named images of the shop. Unknown ids are left out. */
export function findShopAssets(db: Db | Trx, ids: readonly string[]): Promise<Asset[]> {
  return findAssets(db, SHOP_OWNER, ids)
}

/** Adds an image of the shop whose bytes are in the storage. Returns its id. */
export async function addShopAsset(
  trx: Trx,
  file: AssetInfo & { sha256: string; bytes: number },
  now: Date,
): Promise<string> {
  return (await insertShopAsset(trx, { ...file, id: newId('asset'), createdAt: now })).id
}
