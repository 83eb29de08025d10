export { eventAccountData } from './account-data.ts'
export { eventRoutes } from './routes.ts'
