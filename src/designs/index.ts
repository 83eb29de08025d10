import type { App } from '../platform/http/server.ts'
import type { StorageCharges, StorageReferences } from '../platform/storage/index.ts'
import type { RouteDeps } from './access/shared-routes.ts'
import { revisionAccountData } from './account/revision-data.ts'
import { documentSchemaRoutes } from './document-schema/routes.ts'
import { designFileRoutes } from './file-routes.ts'
import { storedFiles } from './finalization/store.ts'
import { fontFileRoutes } from './fonts/file-routes.ts'
import { fontListRoutes } from './fonts/routes.ts'
import { storedRevisionBytes } from './history/store.ts'
import { designLinkRoutes } from './link-routes.ts'
import { revisionRoutes } from './revisions/routes.ts'
import { designRoutes as designJsonRoutes } from './routes.ts'
import { storedDraftBytes } from './store.ts'

/** Orders use this function, because texts for placeholders must not be blank. */
export { isBlank } from '../drawing/index.ts'
export { AcceptedIssuesBody } from './accepted-issues/schemas.ts'
export { findAcceptedIssues } from './accepted-issues/store.ts'
export { designAccountData } from './account/account-data.ts'
export { DESIGN_EVENTS } from './events.ts'
export { drawPrintPage, type PrintPageDeps } from './files/draw-print-page.ts'
export { locatePrintFiles, type MergedFile, mergePrintFiles } from './files/merge-print-files.ts'
export { type FinalizationFile, toStoredFile } from './files/stored-file.ts'
export { designJobs, releaseAbandonedDesigns } from './finalization/jobs.ts'
export {
  type Orderability,
  type OrderableDesign,
  type OrderRefusal,
  requireOrderables,
} from './finalization/orderable.ts'
export {
  type FinalizationRecord,
  fileBytesOf,
  findFinalizations,
  findPreviews,
  findPrintFiles,
} from './finalization/store.ts'
export {
  claimedIssuer,
  issuerKeysUrl,
  ReceiptRejected,
  type VerifiedReceipt,
  verifyReceipt,
} from './finalization/verify-receipt.ts'
export { createTemplatePreviews, findPublishable } from './from-templates/publishing.ts'
export {
  checkPersonalizations,
  collectSources,
  type DrawingFailure,
  drawingFailureOf,
  type Personalization,
  type PersonalizationDeps,
  type PersonalizationFault,
  PersonalizationTooComplex,
  planPersonalized,
  type Sources,
  sourceHashes,
  TooMuchToCheck,
} from './personalization/personalize.ts'
export { PlaceholderValuesInput } from './personalization/schemas.ts'
export { type Fillable, findFillables } from './personalization/store.ts'
export { FinalizationFileBody } from './schemas.ts'
export {
  drawSheet,
  mergeSheets,
  type Sheet,
  type SheetDeps,
  type SheetLayer,
  sheetProblemOf,
  textHeights,
} from './sheets/draw-sheet.ts'
export { DESIGN_TRANSITIONS } from './state.ts'
export type { RouteDeps as DesignDeps }

/** Registers the routes of designs, of their fonts and files, and of the document schema. */
export function designRoutes(app: App, deps: RouteDeps): void {
  designJsonRoutes(app, deps)
  revisionRoutes(app, deps)
  designFileRoutes(app, deps)
  designLinkRoutes(app, deps)
  fontListRoutes(app, deps)
  fontFileRoutes(app)
  documentSchemaRoutes(app)
}

/** Lists the stored files that designs refer to, so that the storage retains them. */
export const designReferences: StorageReferences = {
  name: 'designs',
  columns: ['finalizations.files', 'finalizations.output_profile_sha256'],
  query: storedFiles,
}

/** Counts the drafts of an account towards its storage quota. */
export const designCharges: StorageCharges = { name: 'designs', query: storedDraftBytes }

/** What the earlier revisions of designs count for. */
export const revisionCharges: StorageCharges = { name: 'designRevisions', query: storedRevisionBytes }

export { DRAW_PROBLEMS, PREFLIGHT_ERRORS, rendererBusy } from './problems.ts'
export { revisionAccountData }
