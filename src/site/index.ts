export type { SiteSettings } from './layout.ts'
export { outboxRoutes } from './outbox/routes.ts'
export type { ApiDocument } from './reference/document.ts'
export { siteRoutes } from './routes.ts'
