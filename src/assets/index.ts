import type { StorageCharges, StorageReferences } from '../platform/storage/index.ts'
import { storedAssetBytes, storedAssets } from './store.ts'

export { assetAccountData } from './account-data.ts'
export type { InspectAsset } from './inspection.ts'
export { assetRoutes } from './routes.ts'
export { type Asset, assetUses, findAssets as findAssetsForDesign } from './store.ts'

/** References of assets to stored bytes, for garbage collection. */
export const assetReferences: StorageReferences = {
  name: 'assets',
  columns: ['assets.sha256'],
  query: storedAssets,
}

/** Bytes of assets in the storage quota. */
export const assetCharges: StorageCharges = { name: 'assets', query: storedAssetBytes }
