import type { Trx } from '../platform/db/index.ts'
import { assetProblems } from './problems.ts'
import { type AssetKey, assetUses } from './store.ts'

/**
 * Deletes an asset. Garbage collection deletes the bytes, because an asset of another account may have the same bytes.
 * A draft that shows the asset does not change, and its preflight reports `asset_missing`.
 *
 * @throws `asset_not_found`, `asset_in_use`
 */
export async function deleteAsset(trx: Trx, key: AssetKey): Promise<void> {
  const id = await assetUses.lock(trx, key)
  if (id === undefined) throw assetProblems.asset_not_found()
  // The lock is needed before this check: a concurrent finalization has then either recorded its use or finds no asset.
  if (await assetUses.isUsed(trx, id)) throw assetProblems.asset_in_use()
  await assetUses.delete(trx, id)
}
