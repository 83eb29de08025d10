import type { StorageCharges, StorageReferences } from '../platform/storage/index.ts'
import { storedAssetBytes, storedAssets } from './store.ts'

export { assetAccountData } from './account-data.ts'
export type { InspectAsset } from './inspection.ts'
export { assetRoutes } from './routes.ts'
export { type Asset, assetUses, findAssets as findAssetsForDesign } from './store.ts'

/** What assets need of the storage. */
export const assetReferences: StorageReferences = {
  name: 'assets',
  columns: ['assets.sha256'],
  query: storedAssets,
}

/** What assets count for in the quota of an account. */
export const assetCharges: StorageCharges = { name: 'assets', query: storedAssetBytes }
