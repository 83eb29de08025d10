export { assetAccountData } from './account-data.ts'
export type { InspectAsset } from './inspection.ts'
export { assetRoutes } from './routes.ts'
export { type Asset, findAssets as findAssetsForDesign, markAssetsUsed, releaseAssets } from './store.ts'
