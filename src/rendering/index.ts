export { contentHash } from './content-hash.ts'
export {
  type AssetRefusal,
  type FontRefusal,
  Refused,
  RenderFailed,
  type RenderFailure,
  RenderQueueFull,
  renderFaultOf,
} from './errors.ts'
export { loadFonts } from './fonts.ts'
export type { AssetColorSpace, AssetInfo } from './images/inspect-image.ts'
export { readVerified } from './jobs/read-verified.ts'
export { createRenderer, type JobFor, type Renderer, type RendererOptions } from './renderer.ts'
export type {
  HashedPrintJob,
  JobFont,
  JobImage,
  PreviewFormat,
  PreviewJob,
  PrintJob,
  RenderedFile,
  SheetJob,
} from './types.ts'
export type { FontInfo } from './user-fonts/inspect-font.ts'
