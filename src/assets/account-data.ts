import { type AccountData, erasedBatch } from '../auth/index.ts'
import { eachRow } from '../platform/db/reading/each-row.ts'
import { toAssetBody } from './schemas.ts'
import { type Asset, assetUses, listAssets } from './store.ts'

const PAGE = 100

const ERASED_AT_ONCE = 500

/**
 * Defines how the uploads of an account are exported and erased. Erasing removes only the rows. Garbage collection
 * deletes the bytes, because another account may have uploaded the same file.
 */
export function assetAccountData({ baseUrl }: { baseUrl: string }): AccountData {
  return {
    name: 'assets',
    list: async function* (db, ownerId) {
      const assets = eachRow<Asset>((last) => listAssets(db, { ownerId, after: last?.id, limit: PAGE }))
      for await (const asset of assets) {
        yield { ...toAssetBody(asset), contentUrl: `${baseUrl}/assets/${asset.id}/content` }
      }
    },
    erase: async (trx, ownerId) =>
      erasedBatch(await assetUses.deleteSomeOf(trx, ownerId, ERASED_AT_ONCE), { limit: ERASED_AT_ONCE }),
    move: assetUses.move,
  }
}
