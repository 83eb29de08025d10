import type { Canvas2D, DrawGroup } from '../../canvas.ts'
import type { Stroke } from '../../document/schema/shape-layer.ts'
import type { ShapeLayer } from '../../document/shape-layer.ts'
import { boundsOf, grown, type Rect } from '../../shapes/geometry.ts'
import { pathHull } from '../../shapes/path/path-hull.ts'
import { parsePath } from '../../shapes/path/svg-path.ts'

/** The miter limit of SVG. Sharper corners are bevelled. */
const MITER_LIMIT = 4

/**
 * Draws a shape with the origin at the top left of its box, in millimetres. If the path is invalid, nothing is drawn.
 *
 * @param group draws a translucent shape with fill and stroke as one group. Without it, the overlap of fill and stroke
 * would be visible
 */
export function drawShape(ctx: Canvas2D, layer: ShapeLayer, group: DrawGroup | undefined): void {
  const overlaps = layer.opacity < 1 && isFilled(layer) && layer.stroke !== undefined
  if (!overlaps || group === undefined) paintShape(ctx, layer)
  else group(ctx, reachOf(layer), (within) => paintShape(within, layer))
}

function paintShape(ctx: Canvas2D, layer: ShapeLayer): void {
  ctx.beginPath()
  tracePath(ctx, layer)
  if (isFilled(layer) && layer.fill !== undefined) {
    ctx.fillStyle = layer.fill
    ctx.fill()
  }
  if (layer.stroke !== undefined) strokePath(ctx, layer.stroke)
}

function isFilled({ shape, fill }: ShapeLayer): boolean {
  return shape !== 'line' && fill !== undefined
}

// Returns a rectangle around everything that a shape can draw. Corners extend by at most the miter limit times half the
// stroke width.
function reachOf({ shape, path, width, height, stroke }: ShapeLayer): Rect {
  const hull = shape === 'path' ? pathHull(path ?? '') : []
  const bounds = hull.length === 0 ? { x: 0, y: 0, width, height } : boundsOf(hull)
  return grown(bounds, ((stroke?.widthMm ?? 0) * MITER_LIMIT) / 2 + 1)
}

function strokePath(ctx: Canvas2D, { color, widthMm, dashMm }: Stroke): void {
  ctx.strokeStyle = color
  ctx.lineWidth = widthMm
  ctx.lineCap = 'butt'
  ctx.lineJoin = 'miter'
  ctx.miterLimit = MITER_LIMIT
  ctx.setLineDash(dashMm ?? [])
  ctx.stroke()
}

function tracePath(ctx: Canvas2D, layer: ShapeLayer): void {
  const { width, height } = layer
  switch (layer.shape) {
    case 'rect': {
      const radius = Math.min(layer.cornerRadius ?? 0, width / 2, height / 2)
      if (radius > 0) ctx.roundRect(0, 0, width, height, radius)
      else ctx.rect(0, 0, width, height)
      return
    }
    case 'ellipse':
      ctx.ellipse(width / 2, height / 2, width / 2, height / 2, 0, 0, 2 * Math.PI)
      ctx.closePath()
      return
    case 'line':
      ctx.moveTo(0, 0)
      ctx.lineTo(width, height)
      return
    case 'path':
      traceSvg(ctx, layer.path ?? '')
      return
  }
}

function traceSvg(ctx: Canvas2D, data: string): void {
  const parsed = parsePath(data)
  if (!parsed.ok) return
  for (const step of parsed.steps) {
    if (step.type === 'move') ctx.moveTo(step.x, step.y)
    else if (step.type === 'line') ctx.lineTo(step.x, step.y)
    else if (step.type === 'curve') ctx.bezierCurveTo(step.x1, step.y1, step.x2, step.y2, step.x, step.y)
    else ctx.closePath()
  }
}
