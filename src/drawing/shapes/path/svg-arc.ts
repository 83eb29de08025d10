import type { PathStep } from './path-step.ts'

export interface Arc {
  radiusX: number
  radiusY: number
  /** Rotation of the ellipse in degrees. */
  rotation: number
  large: boolean
  sweep: boolean
}

interface Point {
  x: number
  y: number
}

/**
 * Converts an elliptical arc to cubic curves of at most a quarter turn each, by SVG 2, appendix B.2.4 (endpoint to
 * centre parameterization). Radii that are too small are enlarged. A radius of 0 gives a line. If both end points are
 * equal, the result is empty.
 */
export function arcToCurves(from: Point, to: Point, arc: Arc): PathStep[] {
  if (from.x === to.x && from.y === to.y) return []
  if (arc.radiusX === 0 || arc.radiusY === 0) return [{ type: 'line', x: to.x, y: to.y }]
  const radians = (arc.rotation * Math.PI) / 180
  const axes = { cos: Math.cos(radians), sin: Math.sin(radians) }
  const halfX = (from.x - to.x) / 2
  const halfY = (from.y - to.y) / 2
  const x1 = axes.cos * halfX + axes.sin * halfY
  const y1 = axes.cos * halfY - axes.sin * halfX
  const { rx, ry } = reachingRadii(arc, x1, y1)
  const offset = centreOffset(arc, rx, ry, x1, y1)
  const centre = {
    x: axes.cos * offset.x - axes.sin * offset.y + (from.x + to.x) / 2,
    y: axes.sin * offset.x + axes.cos * offset.y + (from.y + to.y) / 2,
  }
  const start = Math.atan2((y1 - offset.y) / ry, (x1 - offset.x) / rx)
  const end = Math.atan2((-y1 - offset.y) / ry, (-x1 - offset.x) / rx)
  return curvesAlong({ centre, axes, rx, ry }, start, turnBetween(start, end, arc.sweep), to)
}

function reachingRadii(arc: Arc, x1: number, y1: number): { rx: number; ry: number } {
  const rx = Math.abs(arc.radiusX)
  const ry = Math.abs(arc.radiusY)
  const needed = Math.sqrt((x1 / rx) ** 2 + (y1 / ry) ** 2)
  return needed > 1 ? { rx: rx * needed, ry: ry * needed } : { rx, ry }
}

function centreOffset(arc: Arc, rx: number, ry: number, x1: number, y1: number): Point {
  const u = x1 / rx
  const v = y1 / ry
  const distance = u * u + v * v
  const factor = Math.sqrt(Math.max(0, 1 / distance - 1)) * (arc.large === arc.sweep ? -1 : 1)
  return { x: factor * rx * v, y: -factor * ry * u }
}

function turnBetween(start: number, end: number, sweep: boolean): number {
  const turn = end - start
  if (sweep && turn < 0) return turn + 2 * Math.PI
  if (!sweep && turn > 0) return turn - 2 * Math.PI
  return turn
}

interface Ellipse {
  centre: Point
  axes: { cos: number; sin: number }
  rx: number
  ry: number
}

function curvesAlong(ellipse: Ellipse, start: number, turn: number, to: Point): PathStep[] {
  const pieces = Math.max(1, Math.ceil(Math.abs(turn) / (Math.PI / 2) - 1e-9))
  const step = turn / pieces
  // The distance of control points along the tangent, for a circle of radius 1.
  const reach = (4 / 3) * Math.tan(step / 4)
  return Array.from({ length: pieces }, (_, i): PathStep => {
    const a = start + i * step
    const b = a + step
    const first = onEllipse(ellipse, Math.cos(a) - reach * Math.sin(a), Math.sin(a) + reach * Math.cos(a))
    const second = onEllipse(ellipse, Math.cos(b) + reach * Math.sin(b), Math.sin(b) - reach * Math.cos(b))
    const end = i === pieces - 1 ? to : onEllipse(ellipse, Math.cos(b), Math.sin(b))
    return { type: 'curve', x1: first.x, y1: first.y, x2: second.x, y2: second.y, x: end.x, y: end.y }
  })
}

function onEllipse({ centre, axes, rx, ry }: Ellipse, u: number, v: number): Point {
  return {
    x: centre.x + axes.cos * rx * u - axes.sin * ry * v,
    y: centre.y + axes.sin * rx * u + axes.cos * ry * v,
  }
}
