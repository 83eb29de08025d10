import type { ShapeLayer, Stroke } from '../document.ts'
import { parsePath } from '../shapes/svg-path.ts'
import type { Canvas2D } from './canvas.ts'

/** SVG's own limit: sharper corners are cut off. */
const MITER_LIMIT = 4

/** Draws a shape with the origin at its box's top left, in millimetres. A path that does not parse draws nothing. */
export function drawShape(ctx: Canvas2D, layer: ShapeLayer): void {
  ctx.beginPath()
  tracePath(ctx, layer)
  if (layer.fill !== undefined && layer.shape !== 'line') {
    ctx.fillStyle = layer.fill
    ctx.fill()
  }
  if (layer.stroke !== undefined) strokePath(ctx, layer.stroke)
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
