import type { AssetSize, DesignDocument, PlaceholderData, PreflightReport, PrintArea, TextLayer } from '@platen/drawing'
import { flowText, preflight, type TextFlow } from '@platen/drawing/engine'
import type { Context2D } from './context.ts'
import { type Drawn, drawPlacement, type PlacementInput } from './draw-placement.ts'
import type { RegisterFont } from './fonts/font-files.ts'
import type { FontSource } from './fonts/font-source.ts'
import { openPageFonts, type PageFonts } from './fonts/page-fonts.ts'

export interface CheckInput {
  document: DesignDocument
  product: { status: string; printAreas: readonly PrintArea[]; variantAvailable?: boolean }
  /** The images that the owner of the design may use, by asset id. */
  assets: ReadonlyMap<string, AssetSize>
  /** Values of placeholders. Without values, texts are checked as written. */
  data?: PlaceholderData
}

/** Layout, checks and drawing in the page. Methods return undefined while a font file is missing. */
export interface Engine {
  readonly fonts: PageFonts
  /** Draws one print area, exactly as it is printed. */
  drawPlacement(context: Context2D, input: PlacementInput): Drawn
  /** Checks a design as the service does when it is saved. */
  checkDesign(input: CheckInput): PreflightReport | undefined
  /**
   * Lays out a text layer and finds the positions of the caret in it.
   * @param document the document of the layer, which decides between uploaded families. Default: only the layer
   */
  layoutOf(layer: TextLayer, document?: DesignDocument): TextFlow | undefined
}

/** Creates an engine with the fonts of a source. Downloads the list of fonts, but no font files. */
export async function createEngine(source: FontSource, register?: RegisterFont): Promise<Engine> {
  const fonts = await openPageFonts(source, register)
  return {
    fonts,
    drawPlacement: (context, input) => drawPlacement(context, input, fonts),
    checkDesign: (input) => fonts.attempt(input.document, (book) => preflight({ ...input, fonts: book })),
    layoutOf: (layer, document = documentOf(layer)) => fonts.attempt(document, (book) => flowText(layer, book)),
  }
}

function documentOf(layer: TextLayer): DesignDocument {
  return { version: 1, placements: [{ printAreaId: '', layers: [layer] }] }
}
