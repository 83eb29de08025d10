import { type DesignDocument, type Layer, type PlaceholderData, type PrintArea, PT_PER_MM } from '@platen/drawing'
import {
  type Canvas2D,
  coverOffcuts,
  type DrawableImage,
  drawPrintArea,
  type FontBook,
  fillPlaceholders,
  layoutText,
} from '@platen/drawing/engine'
import { type Context2D, withExactText } from './context.ts'
import { drawGroup } from './draw-group.ts'
import type { PageFonts } from './fonts/page-fonts.ts'

/** An upright image in the page. */
export interface PageImage {
  source: CanvasImageSource
  /** The size of the upright original in pixels. `source` may be smaller. */
  widthPx: number
  heightPx: number
}

export interface PlacementInput {
  /** Normalized, with all of its placements. */
  document: DesignDocument
  printArea: PrintArea
  /** The images by asset id. A layer without its image is not drawn. */
  images: ReadonlyMap<string, PageImage>
  /** Pixels of the canvas per millimetre. */
  pxPerMm: number
  /** The box whose top left is at (`xPx`, `yPx`), by default (0, 0), and to which drawing is clipped. Default: `trim`. */
  box?: 'trim' | 'bleed'
  xPx?: number
  yPx?: number
  /** Whether layers end at the box, as in print. Default: true. */
  clip?: boolean
  /** The colour with which the box is filled first. Default: nothing is filled. */
  paper?: string
  /** Whether `paper` covers what is cut off from an elliptic area, after the layers. Default: false. */
  cut?: boolean
  /** Which layers are drawn. Default: all. */
  shows?: (layer: Layer) => boolean
  /** Values of placeholders. Without a value, a placeholder is drawn as it is written. */
  data?: PlaceholderData
}

export interface Drawn {
  /** The ids of layers that are not drawn yet, because a font file is missing. */
  waiting: readonly string[]
}

/** Draws the layers of one print area on a canvas, exactly as they are printed. */
export function drawPlacement(context: Context2D, input: PlacementInput, fonts: PageFonts): Drawn {
  const { document, printArea, pxPerMm, box = 'trim', xPx = 0, yPx = 0, shows = () => true } = input
  const layers = document.placements.filter(({ printAreaId }) => printAreaId === printArea.id).flatMap((p) => p.layers)
  const images = drawableImages(input.images)
  const waiting: string[] = []
  context.save()
  context.setTransform(1, 0, 0, 1, xPx, yPx)
  enterBox(context, input)
  const scale = pxPerMm / PT_PER_MM
  context.scale(scale, scale)
  withExactText(context, () => {
    for (const layer of layers.filter(shows)) {
      const book = bookFor(layer, input, fonts)
      if (book === undefined) waiting.push(layer.id)
      else drawLayer(context, layer, images, input, book)
    }
  })
  if (input.cut === true && input.paper !== undefined) {
    const bleedPt = box === 'bleed' ? printArea.bleedMm * PT_PER_MM : 0
    context.translate(bleedPt, bleedPt)
    coverOffcuts(asCanvas(context), printArea, input.paper)
  }
  context.restore()
  return { waiting }
}

function enterBox(context: Context2D, { printArea, pxPerMm, box, paper, clip = true }: PlacementInput): void {
  const bleedMm = box === 'bleed' ? printArea.bleedMm : 0
  const widthPx = (printArea.widthMm + 2 * bleedMm) * pxPerMm
  const heightPx = (printArea.heightMm + 2 * bleedMm) * pxPerMm
  if (paper !== undefined) {
    context.fillStyle = paper
    context.fillRect(0, 0, widthPx, heightPx)
  }
  if (!clip) return
  context.beginPath()
  context.rect(0, 0, widthPx, heightPx)
  context.clip()
}

/** Returns the font book with which the layer can be drawn, or undefined while one of its font files is missing. */
function bookFor(layer: Layer, { document, data }: PlacementInput, fonts: PageFonts): FontBook | undefined {
  return fonts.attempt(document, (book) => {
    // The layout is cached, so drawing does not compute it again. Drawing itself must not fail halfway.
    if (layer.type === 'text') layoutText({ ...layer, text: fillPlaceholders(layer.text, data) }, book)
    return book
  })
}

function drawLayer(
  context: Context2D,
  layer: Layer,
  images: ReadonlyMap<string, DrawableImage>,
  { printArea, box = 'trim', data = {} }: PlacementInput,
  fonts: FontBook,
): void {
  const document: DesignDocument = { version: 1, placements: [{ printAreaId: printArea.id, layers: [layer] }] }
  drawPrintArea(asCanvas(context), { document, printArea, fonts, images, box, data, group: drawGroup })
}

function drawableImages(images: PlacementInput['images']): Map<string, DrawableImage> {
  return new Map(Array.from(images, ([id, image]) => [id, { ...image, orientation: 1 }]))
}

/** The types of browsers are narrower than drawing needs: for example, `lineCap` is one of three strings. */
function asCanvas(context: Context2D): Canvas2D {
  return context as unknown as Canvas2D
}
