// What opens fonts, lays text out and draws. It can be made to take long by what it is given: the processes of
// `rendering` import it, and so may an editor in a browser; the process that answers requests does not.
export { canonicalJson } from './canonical-json.ts'
export type { Canvas2D, DrawableImage, DrawGroup, Orientation } from './canvas.ts'
export { checkDashes } from './check-dashes.ts'
export { type ContentSource, contentInputs } from './content-inputs.ts'
export { coverOffcuts, type DrawInput, drawPrintArea } from './draw/draw-print-area.ts'
export { fitAsset } from './layer-engines.ts'
export type { FittedImage } from './layers/layer-engine.ts'
export { type PreflightInput, preflight } from './preflight/preflight.ts'
export { type CodePointRanges, createFontBook, type FontFile } from './text/fonts/create-font-book.ts'
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
export { layoutText, type TextLayout } from './text/layout.ts'
export type { PositionedRun, TextLine } from './text/place-line.ts'
