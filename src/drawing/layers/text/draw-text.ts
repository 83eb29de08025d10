import type { Canvas2D, DrawGroup } from '../../canvas.ts'
import type { TextLayer } from '../../document/text-layer.ts'
import { parseColor } from '../../shapes/color.ts'
import { boundsOf, grown, type Rect } from '../../shapes/geometry.ts'
import { PT_PER_MM } from '../../shapes/units.ts'
import type { FontBook } from '../../text/fonts/font-book.ts'
import { SHAPING_LANGUAGE } from '../../text/fonts/shape.ts'
import { layoutText, type TextLayout } from '../../text/layout.ts'
import type { PositionedRun } from '../../text/place-line.ts'
import { isSetSolid } from '../../text/unicode/scripts.ts'

// Text is drawn at this size and then scaled, because canvases round font sizes (Skia with FreeType to 1/64 pixel).
// Rounding would make 7.3 pt text narrower than its layout.
const SET_SIZE = 100

/**
 * Draws a text with the origin at the top left of its box, in millimetres.
 *
 * @param group draws a translucent text as one group. Without it, overlapping letters would be visible
 */
export function drawText(ctx: Canvas2D, layer: TextLayer, fonts: FontBook, group?: DrawGroup): void {
  const layout = layoutText(layer, fonts)
  // Scales the context to points, which are the unit of the layout.
  ctx.scale(1 / PT_PER_MM, 1 / PT_PER_MM)
  const { alpha } = parseColor(layer.color)
  const fade = alpha * layer.opacity
  if (fade === 0 || fade === 1 || group === undefined) {
    paintText(ctx, layer, layout)
    return
  }
  ctx.globalAlpha = fade
  const opaque = { ...layer, color: layer.color.slice(0, '#RRGGBB'.length) }
  group(ctx, reachOf(layout), (within) => paintText(within, opaque, layout))
}

// How far letters may extend beyond their line, in em. Stacked marks and the swashes of some fonts reach far.
const BEYOND_LINES_EM = 10

function reachOf({ lines, fontSizePt }: TextLayout): Rect {
  const corners = lines.flatMap(({ xPt, topPt, widthPt, heightPt }) => [
    { x: xPt, y: topPt },
    { x: xPt + widthPt, y: topPt + heightPt },
  ])
  return grown(boundsOf(corners), BEYOND_LINES_EM * fontSizePt)
}

function paintText(ctx: Canvas2D, layer: TextLayer, layout: TextLayout): void {
  ctx.fillStyle = layer.color
  ctx.strokeStyle = layer.color
  ctx.textAlign = 'left'
  ctx.textBaseline = 'alphabetic'
  ctx.lang = SHAPING_LANGUAGE
  let before: PositionedRun | undefined
  for (const { runs } of layout.lines) {
    for (const run of runs) {
      if (run.face !== undefined) chooseFont(ctx, run, before)
      drawRun(ctx, run, layer.fontSizePt)
      before = run.face === undefined ? before : run
    }
  }
}

/** Setting a font on a canvas is slow, so the font is set only when it changes. */
function chooseFont(ctx: Canvas2D, run: PositionedRun, before: PositionedRun | undefined): void {
  if (run.face !== before?.face) ctx.font = `${SET_SIZE}px "${run.face?.alias}"`
  if (run.direction !== before?.direction) ctx.direction = run.direction
  if (run.letterSpacingEm !== before?.letterSpacingEm) ctx.letterSpacing = `${run.letterSpacingEm * SET_SIZE}px`
  ctx.fontKerning = run.face?.isKerned === true && !isSetSolid(run.text) ? 'normal' : 'none'
}

// Each run is drawn separately, so that the canvas cannot move letters away from their layout.
function drawRun(ctx: Canvas2D, run: PositionedRun, sizePt: number): void {
  ctx.save()
  ctx.translate(run.xPt, run.baselineYPt)
  ctx.scale(sizePt / SET_SIZE, sizePt / SET_SIZE)
  if (run.face === undefined) drawMissing(ctx, (run.widthPt / sizePt) * SET_SIZE)
  else ctx.fillText(run.text, 0, 0)
  ctx.restore()
}

// If a font lacks a character, the canvas would use any font of the computer. This function draws a box instead.
function drawMissing(ctx: Canvas2D, width: number): void {
  const inset = SET_SIZE / 12
  ctx.lineWidth = SET_SIZE / 25
  ctx.beginPath()
  ctx.rect(inset, -0.7 * SET_SIZE, width - 2 * inset, 0.7 * SET_SIZE)
  ctx.stroke()
}
