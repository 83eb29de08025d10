import type { StorageCharges, StorageReferences } from '../platform/storage/index.ts'
import { storedAssetBytes, storedAssets } from './store.ts'

export { assetAccountData } from './account-data.ts'
export type { InspectAsset } from './inspection.ts'
export { assetRoutes } from './routes.ts'
export { addShopAsset, findShopAssets, shareWithShop } from './shop-assets.ts'
export { type Asset, assetUses, findAssets as findAssetsForDesign, SHOP_OWNER } from './store.ts'
export { createThumbnails, type DrawThumbnail, type Thumbnails } from './thumbnails.ts'

/** The references of assets to stored bytes. Garbage collection retains referenced bytes. */
export const assetReferences: StorageReferences = {
  name: 'assets',
  columns: ['assets.sha256'],
  query: storedAssets,
}

/** How assets count in the storage quota of an account. */
export const assetCharges: StorageCharges = { name: 'assets', query: storedAssetBytes }
