import type { Canvas2D } from '../canvas.ts'
import type { DesignDocument, PrintArea } from '../document/design-document.ts'
import type { Layer } from '../document/layer-types.ts'
import { engineOf } from '../layer-engines.ts'
import type { LayerDrawInput } from '../layers/layer-engine.ts'
import { PT_PER_MM } from '../shapes/units.ts'

/** Increment this number when a change of the code draws the same document differently. */
export const DRAWING_VERSION = 3

export interface DrawInput extends LayerDrawInput {
  document: DesignDocument
  printArea: PrintArea
  /** The box whose top left is the origin of the canvas. */
  box: 'bleed' | 'trim'
}

/**
 * Draws the layers of one print area. One canvas unit is one point (1/72 inch); scale the context before the call to
 * set the pixels. The function neither clips to the box nor draws a background. Register each font under the `alias` of
 * its face before the call.
 */
export function drawPrintArea(ctx: Canvas2D, input: DrawInput): void {
  const { document, printArea, box } = input
  const layers = document.placements.filter(({ printAreaId }) => printAreaId === printArea.id).flatMap((p) => p.layers)
  ctx.save()
  // From here on, one unit is a millimetre from the top left of the trim box.
  ctx.scale(PT_PER_MM, PT_PER_MM)
  if (box === 'bleed') ctx.translate(printArea.bleedMm, printArea.bleedMm)
  for (const layer of layers) {
    ctx.save()
    enterLayer(ctx, layer)
    engineOf(layer).draw(ctx, layer, input)
    ctx.restore()
  }
  ctx.restore()
}

// Moves the origin to the top left of the layer, and rotates the context around the centre of the layer.
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

/**
 * Paints over the parts of the trim box that are cut off. A rectangle has no such parts; an ellipse has its corners.
 * The canvas must have the transform of `drawPrintArea` with the trim box.
 */
export function coverOffcuts(ctx: Canvas2D, { widthMm, heightMm, shape }: PrintArea, color: string): void {
  if (shape !== 'ellipse') return
  ctx.save()
  ctx.scale(PT_PER_MM, PT_PER_MM)
  ctx.fillStyle = color
  ctx.beginPath()
  // The rectangle is larger than the box, because the edges of the box may fall within a pixel.
  ctx.rect(-widthMm, -heightMm, 3 * widthMm, 3 * heightMm)
  ctx.ellipse(widthMm / 2, heightMm / 2, widthMm / 2, heightMm / 2, 0, 0, 2 * Math.PI)
  ctx.fill('evenodd')
  ctx.restore()
}
