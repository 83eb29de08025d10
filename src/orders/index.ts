import type { OrderJobDeps } from './jobs.ts'
import type { OrderRouteDeps } from './routes.ts'

export { orderAccountData, quoteAccountData } from './erasure/account-data.ts'
export { listOrderedDesigns } from './erasure/store.ts'
export { countFailedItemFiles } from './item-files/failure-counter.ts'
export { orderReferences } from './item-files/store.ts'
export { orderJobs } from './jobs.ts'
export { createOperatorActions, type OperatorActions } from './operator-actions.ts'
export { minorDigits } from './order/currencies.ts'
export type { OrderBody } from './order/schemas.ts'
export type { Order } from './order/store.ts'
export { openPayments } from './payments/open-payments.ts'
export type { PaymentProvider } from './payments/providers/provider.ts'
export { releaseAbandonedPayments } from './payments/release-abandoned.ts'
export { createShopCharges } from './pricing/charges.ts'
export { seedSampleSettings } from './pricing/sample-settings.ts'
export { orderRoutes } from './routes.ts'
export { simulatorRoutes } from './simulator/routes.ts'

/** What this feature is given. */
export type OrderDeps = OrderRouteDeps & OrderJobDeps
