// The document model, without text layout. The process that serves requests imports only this file of `drawing`,
// because laying out text may take long.

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
export type {
  AssetSize,
  DesignDocument,
  DesignDocumentInput,
  Placement,
  PrintArea,
} from './document/design-document.ts'
export type { ImageLayer } from './document/image-layer.ts'
export type { Layer, LayerInput } from './document/layer-types.ts'
export { layerAssetIds, layerFonts } from './document/layer-types.ts'
export { findBrokenLocks, type LockName, lockedFamilies, lockOf } from './document/locks.ts'
export { normalizeDocument, normalizeLayer } from './document/normalize.ts'
export { filledLength, listPlaceholders, type PlaceholderData } from './document/placeholders.ts'
export type { QrLayer } from './document/qr-layer.ts'
export { DesignDocumentSchema } from './document/schema/design-document.ts'
export type { LayerLock } from './document/schema/fields.ts'
export type { Crop } from './document/schema/image-layer.ts'
export { DOCUMENT_LIMITS } from './document/schema/limits.ts'
export type { Stroke } from './document/schema/shape-layer.ts'
export type { ShapeLayer } from './document/shape-layer.ts'
export type { TextLayer } from './document/text-layer.ts'
export { type PrintedResolution, printedResolution } from './layers/image/check-image.ts'
export { fitImage } from './layers/image/fit-image.ts'
export type { FittedImage } from './layers/layer-engine.ts'
export { luminance, over, parseColor, type Rgba } from './shapes/color.ts'
export { boundsOf, centreOf, type Point, type Rect, turn, turnedCorners, turnedPoints } from './shapes/geometry.ts'
export { PT_PER_MM } from './shapes/units.ts'
export { readWoff, writeSfnt } from './text/font-files/woff.ts'
export { joinFamilies, listFamilies, ownStyleFor } from './text/fonts/families.ts'
export type { FontFamily, FontStyleName } from './text/fonts/font-book.ts'
export { isBlank } from './text/unicode/is-blank.ts'
