// The document model: nothing here lays text out. The process that answers requests imports this file alone.
export { checkDocument, type DocumentProblem, type DocumentProblemCode, hasDashes } from './check-document.ts'
export { checkLengths, type FillableLayer, fillableLayers, type ValueFault } from './check-lengths.ts'
export {
  type AssetSize,
  type Crop,
  type DesignDocument,
  type DesignDocumentInput,
  DesignDocumentSchema,
  DOCUMENT_LIMITS,
  type ImageLayer,
  type Layer,
  type LayerInput,
  type Placement,
  type PrintArea,
  type QrLayer,
  type ShapeLayer,
  type Stroke,
  type TextLayer,
} from './document.ts'
export { layerAssetIds } from './layer-type.ts'
export { normalizeDocument, normalizeLayer } from './normalize.ts'
export { filledLength, listPlaceholders, type PlaceholderData } from './placeholders.ts'
export {
  type IssueCode,
  type JsonPatch,
  type PreflightIssue,
  PreflightIssueSchema,
  type PreflightReport,
  PreflightReportSchema,
} from './preflight/issue.ts'
export { PT_PER_MM } from './shapes/units.ts'
export { joinFamilies, listFamilies, ownStyleFor } from './text/fonts/families.ts'
export type { FontFamily, FontStyleName } from './text/fonts/font-book.ts'
export { isBlank } from './text/unicode/is-blank.ts'
