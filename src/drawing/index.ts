// The document model: nothing here lays text out. The process that answers requests imports this file alone.

export { checkLengths, type FillableLayer, fillableLayers, type ValueFault } from './check-lengths.ts'
export {
  type IssueCode,
  type JsonPatch,
  type PreflightIssue,
  PreflightIssueSchema,
  type PreflightReport,
  PreflightReportSchema,
} from './checks/issue.ts'
export { checkDocument, type DocumentProblem, type DocumentProblemCode, hasDashes } from './document/check-document.ts'
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
} from './document/design-document.ts'
export { layerAssetIds } from './document/layer-type.ts'
export { normalizeDocument, normalizeLayer } from './document/normalize.ts'
export { filledLength, listPlaceholders, type PlaceholderData } from './document/placeholders.ts'
export { PT_PER_MM } from './shapes/units.ts'
export { joinFamilies, listFamilies, ownStyleFor } from './text/fonts/families.ts'
export type { FontFamily, FontStyleName } from './text/fonts/font-book.ts'
export { isBlank } from './text/unicode/is-blank.ts'
