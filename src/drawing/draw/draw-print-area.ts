import type { Canvas2D, DrawableImage, DrawGroup, Orientation } from '../canvas.ts'
import type { DesignDocument, ImageLayer, Layer, PrintArea, QrLayer } from '../document/design-document.ts'
import { unknownLayer } from '../document/layer-type.ts'
import { fillPlaceholders, type PlaceholderData } from '../document/placeholders.ts'
import { fitImage } from '../layers/image/fit-image.ts'
import { QUIET_ZONE_MODULES, qrCode, qrSquare } from '../layers/qr/qr-code.ts'
import { drawShape } from '../layers/shape/draw-shape.ts'
import { drawText } from '../layers/text/draw-text.ts'
import { PT_PER_MM } from '../shapes/units.ts'
import type { FontBook } from '../text/fonts/font-book.ts'

/** Raised by one whenever the same document would be drawn differently. */
export const DRAWING_VERSION = 3

export interface DrawInput {
  /** Normalized. */
  document: DesignDocument
  printArea: PrintArea
  fonts: FontBook
  /** By asset id. A layer whose image is not among them is left out. */
  images: ReadonlyMap<string, DrawableImage>
  /** Which box's top left is the canvas's origin. */
  box: 'bleed' | 'trim'
  /** Values for placeholders; those without one are drawn as they stand. */
  data?: PlaceholderData
  group?: DrawGroup
}

/**
 * Draws what a document places on one print area. One canvas unit is one point (1/72 inch): for pixels, scale the
 * context first. Nothing is clipped to the box, and no background is drawn. Fonts are named by the `alias` of their
 * face and must be registered before.
 */
export function drawPrintArea(ctx: Canvas2D, input: DrawInput): void {
  const { document, printArea, box } = input
  const layers = document.placements.filter(({ printAreaId }) => printAreaId === printArea.id).flatMap((p) => p.layers)
  ctx.save()
  // From here on one unit is a millimetre, from the trim box's top left.
  ctx.scale(PT_PER_MM, PT_PER_MM)
  if (box === 'bleed') ctx.translate(printArea.bleedMm, printArea.bleedMm)
  for (const layer of layers) {
    ctx.save()
    enterLayer(ctx, layer)
    drawLayer(ctx, layer, input)
    ctx.restore()
  }
  ctx.restore()
}

// Moves the origin to the layer's top left, turned around its centre.
function enterLayer(ctx: Canvas2D, { x, y, width, height, rotation, opacity }: Layer): void {
  ctx.globalAlpha = opacity
  if (rotation % 360 === 0) {
    ctx.translate(x, y)
    return
  }
  ctx.translate(x + width / 2, y + height / 2)
  ctx.rotate((rotation * Math.PI) / 180)
  ctx.translate(-width / 2, -height / 2)
}

function drawLayer(ctx: Canvas2D, layer: Layer, input: DrawInput): void {
  switch (layer.type) {
    case 'text':
      drawText(ctx, { ...layer, text: fillPlaceholders(layer.text, input.data) }, input.fonts, input.group)
      return
    case 'image': {
      const image = input.images.get(layer.assetId)
      if (image !== undefined) drawImage(ctx, layer, image)
      return
    }
    case 'shape':
      drawShape(ctx, layer, input.group)
      return
    case 'qr':
      drawQr(ctx, { ...layer, value: fillPlaceholders(layer.value, input.data) }, input.group)
      return
    default:
      unknownLayer(layer)
  }
}

function drawImage(ctx: Canvas2D, layer: ImageLayer, image: DrawableImage): void {
  const { whole, shown } = fitImage(layer, image)
  if (layer.flipX || layer.flipY) {
    ctx.translate(layer.flipX ? layer.width : 0, layer.flipY ? layer.height : 0)
    ctx.scale(layer.flipX ? -1 : 1, layer.flipY ? -1 : 1)
  }
  ctx.beginPath()
  ctx.rect(shown.x, shown.y, shown.width, shown.height)
  ctx.clip()
  ctx.translate(whole.x, whole.y)
  if (image.orientation === 1) {
    ctx.drawImage(image.source as never, 0, 0, whole.width, whole.height)
    return
  }
  ctx.scale(whole.width, whole.height)
  ctx.transform(...UPRIGHT[image.orientation])
  ctx.drawImage(image.source as never, 0, 0, 1, 1)
}

/** For each EXIF orientation, the transform of the unit square that sets the stored pixels upright (TIFF 6.0, tag 274). */
const UPRIGHT: Readonly<Record<Orientation, [number, number, number, number, number, number]>> = {
  1: [1, 0, 0, 1, 0, 0],
  2: [-1, 0, 0, 1, 1, 0],
  3: [-1, 0, 0, -1, 1, 1],
  4: [1, 0, 0, -1, 0, 1],
  5: [0, 1, 1, 0, 0, 0],
  6: [0, 1, -1, 0, 1, 0],
  7: [0, -1, -1, 0, 1, 1],
  8: [0, -1, 1, 0, 0, 1],
}

function drawQr(ctx: Canvas2D, layer: QrLayer, group: DrawGroup | undefined): void {
  const { width, height, opacity } = layer
  if (opacity === 1 || group === undefined) paintQr(ctx, layer)
  else group(ctx, { x: 0, y: 0, width, height }, (within) => paintQr(within, layer))
}

function paintQr(ctx: Canvas2D, layer: QrLayer): void {
  const code = qrCode(layer.value, layer.errorCorrection)
  ctx.fillStyle = layer.background
  ctx.fillRect(0, 0, layer.width, layer.height)
  if (code === undefined) return
  const square = qrSquare(layer)
  const moduleMm = square.width / (code.size + 2 * QUIET_ZONE_MODULES)
  ctx.translate(square.x + QUIET_ZONE_MODULES * moduleMm, square.y + QUIET_ZONE_MODULES * moduleMm)
  ctx.scale(moduleMm, moduleMm)
  ctx.fillStyle = layer.color
  // One path: rectangles filled one by one would show hairlines where they meet.
  ctx.beginPath()
  for (const { x, y, width, height } of code.dark) ctx.rect(x, y, width, height)
  ctx.fill()
}

/**
 * Paints over what is cut off, in the trim box of a print area of any shape: nothing for a rectangle, the corners for an
 * ellipse. The canvas stands as for `drawPrintArea` with the trim box.
 */
export function coverOffcuts(ctx: Canvas2D, { widthMm, heightMm, shape }: PrintArea, color: string): void {
  if (shape !== 'ellipse') return
  ctx.save()
  ctx.scale(PT_PER_MM, PT_PER_MM)
  ctx.fillStyle = color
  ctx.beginPath()
  // Somewhat more than the box, whose edges may lie within a pixel.
  ctx.rect(-widthMm, -heightMm, 3 * widthMm, 3 * heightMm)
  ctx.ellipse(widthMm / 2, heightMm / 2, widthMm / 2, heightMm / 2, 0, 0, 2 * Math.PI)
  ctx.fill('evenodd')
  ctx.restore()
}
