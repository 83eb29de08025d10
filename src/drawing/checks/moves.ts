import type { Layer } from '../document/design-document.ts'
import { layoutOf } from '../layers/text/fit-text.ts'
import { centreOf, type Point, turnedCorners } from '../shapes/geometry.ts'
import { type Guarded, guardedPoints, outlineBounds, outlineOf } from '../trim/outline.ts'
import { type CheckContext, ceilMm, floorMm } from './context.ts'

/** The layer moved at least this far, to whole micrometres. */
export function movedBy<Moved extends Layer>(layer: Moved, { x, y }: Point): Moved {
  return { ...layer, x: moved(layer.x, x), y: moved(layer.y, y) }
}

function moved(from: number, by: number): number {
  if (by === 0) return from
  return by > 0 ? ceilMm(from + by) : floorMm(from + by)
}

/** The layer moved so that all it draws is inside the trim edge by a margin; undefined when a move does not do it. */
export function movedInside<Moved extends Layer>(
  layer: Moved,
  marginMm: number,
  { trim, assets }: CheckContext,
): Moved | undefined {
  const outline = outlineOf(layer, assets)
  // An ellipse lies within its box, which is near enough for a proposal.
  const points = 'ellipse' in outline ? turnedCorners(outlineBounds(outline), 0, { x: 0, y: 0 }) : outline.points
  const move = trim.moveInside(points, marginMm)
  return move && movedBy(layer, move)
}

/** A text or QR code moved, if need be and if that is enough, so that it keeps the safe margin. */
export function* movedToSafety<Moved extends Guarded>(layer: Moved, context: CheckContext): Iterable<Moved> {
  const layout = layer.type === 'text' ? layoutOf(layer, context) : undefined
  for (const measure of ['lines', 'letters'] as const) {
    const move = context.trim.moveInside(guardedPoints(layer, layout, measure), context.area.safeMarginMm)
    if (move !== undefined) yield movedBy(layer, move)
  }
}

/** The layer with the middle of what it draws in the middle of the print area. */
export function centred<Moved extends Layer>(layer: Moved, { trim, assets }: CheckContext): Moved {
  const from = centreOf(outlineBounds(outlineOf(layer, assets)))
  const to = centreOf(trim.bounds)
  return movedBy(layer, { x: to.x - from.x, y: to.y - from.y })
}

/** The layer's box scaled around its centre, never larger than asked for. Paths do not scale with their box. */
export function scaled<Scaled extends Layer>(layer: Scaled, factor: number): Scaled {
  const width = floorMm(layer.width * factor)
  const height = floorMm(layer.height * factor)
  const x = ceilMm(layer.x + (layer.width - width) / 2)
  const y = ceilMm(layer.y + (layer.height - height) / 2)
  return { ...layer, x, y, width, height }
}
