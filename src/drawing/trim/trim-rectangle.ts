import { ellipseOverlapsRect } from '../shapes/ellipse.ts'
import { boundsOf, grown, polygonOverlapsRect, type Rect } from '../shapes/geometry.ts'
import { EPSILON_MM } from '../shapes/units.ts'
import { outlineBounds } from './outline.ts'
import { SIDES, type Side, type TrimShape } from './trim-shape.ts'

/** Creates the trim shape of a print area that is cut along its trim box. */
export function rectangularTrim(bounds: Rect): TrimShape {
  return {
    bounds,
    overlaps(outline, byMm) {
      const rect = grown(bounds, byMm)
      return 'ellipse' in outline
        ? ellipseOverlapsRect(outline.ellipse, rect)
        : polygonOverlapsRect(outline.points, rect)
    },
    inset: (points) => -Math.max(...Object.values(reachBeyond(boundsOf(points), bounds))),
    shortfall(outline, bleedMm) {
      const reach = reachBeyond(outlineBounds(outline), bounds)
      const short = SIDES.filter((side) => reach[side] >= -EPSILON_MM && reach[side] < bleedMm - EPSILON_MM)
      const sides = new Map(short.map((side) => [side, reach[side]]))
      return sides.size === 0 ? undefined : { reachMm: Math.min(...sides.values()), sides }
    },
    moveInside(points, marginMm) {
      const inner = grown(bounds, -marginMm)
      const { x, y, width, height } = boundsOf(points)
      const dx = shift(x, width, inner.x, inner.width)
      const dy = shift(y, height, inner.y, inner.height)
      return dx === undefined || dy === undefined ? undefined : { x: dx, y: dy }
    },
    room: (marginMm) => grown(bounds, -marginMm),
  }
}

/** Computes how far a rectangle extends beyond each side of another rectangle. */
function reachBeyond(inner: Rect, outer: Rect): Record<Side, number> {
  return {
    left: outer.x - inner.x,
    top: outer.y - inner.y,
    right: inner.x + inner.width - outer.x - outer.width,
    bottom: inner.y + inner.height - outer.y - outer.height,
  }
}

// Computes how far to move an interval so that it lies in the target interval. Returns undefined if it is longer than
// the target.
function shift(start: number, length: number, targetStart: number, targetLength: number): number | undefined {
  if (length > targetLength + EPSILON_MM) return undefined
  if (start < targetStart) return targetStart - start
  const over = start + length - targetStart - targetLength
  return over > 0 ? -over : 0
}
