export { type CurrentShop, createCurrentShop, withCurrentShop } from './current-shop.ts'
export { shopSettingsRoutes } from './routes.ts'
export type { ShopDefaults } from './shop.ts'
