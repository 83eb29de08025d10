export { canonicalJson } from './canonical-json.ts'
export { checkDocument, type DocumentProblem, type DocumentProblemCode } from './check-document.ts'
export { type ContentSource, contentInputs } from './content-inputs.ts'
export {
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
export type { Canvas2D, DrawableImage, DrawGroup, Orientation } from './draw/canvas.ts'
export { coverOffcuts, type DrawInput, drawPrintArea } from './draw/draw-print-area.ts'
export { normalizeDocument, normalizeLayer } from './normalize.ts'
export { filledLength, listPlaceholders, type PlaceholderData, placeholdersOf } from './placeholders.ts'
export type { AssetSize } from './preflight/context.ts'
export {
  type IssueCode,
  type JsonPatch,
  type PreflightIssue,
  PreflightIssueSchema,
  type PreflightReport,
  PreflightReportSchema,
} from './preflight/issue.ts'
export { type PreflightInput, preflight } from './preflight/preflight.ts'
export { type FittedImage, fitImage } from './shapes/fit-image.ts'
export { PT_PER_MM } from './shapes/units.ts'
export { type CodePointRanges, createFontBook, type FontFile } from './text/fonts/create-font-book.ts'
export type {
  FontBook,
  FontFace,
  FontFamily,
  FontRequest,
  FontStyleName,
  ShapedRun,
  ShapeRequest,
  TextDirection,
} from './text/fonts/font-book.ts'
export { joinFamilies, joinFontBooks, listFamilies, ownStyleFor } from './text/fonts/join-font-books.ts'
export { layoutText, type TextLayout } from './text/layout.ts'
export type { PositionedRun, TextLine } from './text/place-line.ts'
export { isBlank } from './text/unicode/is-blank.ts'
