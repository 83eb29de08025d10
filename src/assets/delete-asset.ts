import type { Trx } from '../platform/db/index.ts'
import { assetProblems } from './problems.ts'
import { type AssetKey, assetUses } from './store.ts'

/**
 * Deletes an asset. The bytes are left to the storage's collection: another person's asset may have the same.
 * Drafts that place it keep the layer, and their preflight says that the asset is missing.
 *
 * @throws `asset_not_found`, `asset_in_use`
 */
export async function deleteAsset(trx: Trx, key: AssetKey): Promise<void> {
  if (!(await assetUses.lock(trx, key))) throw assetProblems.asset_not_found()
  // Asked under the lock: a finalization at the same moment has either recorded its use, or finds the asset gone.
  if (await assetUses.isUsed(trx, key.id)) throw assetProblems.asset_in_use()
  await assetUses.delete(trx, key.id)
}
