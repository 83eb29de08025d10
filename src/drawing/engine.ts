// The part of drawing that opens fonts, lays out text, reads paths and draws. How long this takes depends on the
// document, so only the processes of `rendering`, or an editor in a browser, may import this file.
export { canonicalJson } from './canonical-json.ts'
export type { Canvas2D, DrawableImage, DrawGroup, Orientation } from './canvas.ts'
export { checkDashes } from './check-dashes.ts'
export { type ContentSource, contentInputs } from './content-inputs.ts'
export { fillPlaceholders } from './document/placeholders.ts'
export { coverOffcuts, type DrawInput, drawPrintArea } from './draw/draw-print-area.ts'
export { fitAsset } from './layer-engines.ts'
export type { FittedImage } from './layers/layer-engine.ts'
export { type PreflightInput, preflight } from './preflight/preflight.ts'
export { type CaretStop, flowText, type TextFlow, type TextRect } from './text/flow/flow-text.ts'
export { type CodePointRanges, createFontBook, type FontFile, filesClaiming } from './text/fonts/create-font-book.ts'
export type {
  FontBook,
  FontFace,
  FontRequest,
  ShapedRun,
  ShapeRequest,
  TextDirection,
} from './text/fonts/font-book.ts'
export { type Font, hb } from './text/fonts/harfbuzz.ts'
export { joinFontBooks } from './text/fonts/join-font-books.ts'
export { GLYPHS_PER_CHARACTER } from './text/fonts/shape.ts'
export { layoutText, type TextLayout } from './text/layout.ts'
export type { PositionedRun, TextLine } from './text/place-line.ts'
