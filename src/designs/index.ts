import type { App } from '../platform/http/server.ts'
import { designFileRoutes } from './files/routes.ts'
import { designRoutes as designJsonRoutes, type RouteDeps } from './routes.ts'

export { designAccountData } from './account-data.ts'
export { sendFinalizationFile } from './files/send-file.ts'
export { designJobs, releaseAbandonedDesigns } from './finalization/jobs.ts'
export {
  type Orderability,
  type OrderableDesign,
  type OrderRefusal,
  requireOrderable,
} from './finalization/orderable.ts'
export { type FinalizationFile, type FinalizationRecord, findFinalizations } from './finalization/store.ts'
export {
  issuerKeysAddress,
  ReceiptRejected,
  type VerifiedReceipt,
  verifyReceipt,
} from './finalization/verify-receipt.ts'
export { FinalizationFileBody } from './schemas.ts'
export type { RouteDeps as DesignDeps }

/** Every address of designs, and of the fonts they use. */
export function designRoutes(app: App, deps: RouteDeps): void {
  designJsonRoutes(app, deps)
  designFileRoutes(app, deps)
}
