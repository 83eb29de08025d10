import type { Layer } from '../document/layer-types.ts'
import { centreOf, type Point, turnedCorners } from '../shapes/geometry.ts'
import { ceilMm, floorMm } from '../shapes/units.ts'
import { outlineBounds } from '../trim/outline.ts'
import type { CheckContext } from './context.ts'

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
  { trim, outlineOf }: CheckContext,
): Moved | undefined {
  const outline = outlineOf(layer)
  // An ellipse lies within its box, which is near enough for a proposal.
  const points = 'ellipse' in outline ? turnedCorners(outlineBounds(outline), 0, { x: 0, y: 0 }) : outline.points
  const move = trim.moveInside(points, marginMm)
  return move && movedBy(layer, move)
}

/** What of a layer must keep the safe margin. A text is measured by its lines or by its letters. */
export type GuardedPoints = (measure: 'lines' | 'letters') => readonly Point[]

/** The layer moved, if need be and if that is enough, so that its points keep the safe margin. */
export function* movedToSafety<Moved extends Layer>(
  layer: Moved,
  pointsOf: GuardedPoints,
  { trim, area }: CheckContext,
): Iterable<Moved> {
  for (const measure of ['lines', 'letters'] as const) {
    const move = trim.moveInside(pointsOf(measure), area.safeMarginMm)
    if (move !== undefined) yield movedBy(layer, move)
  }
}

/** The layer with the middle of what it draws in the middle of the print area. */
export function centred<Moved extends Layer>(layer: Moved, { trim, outlineOf }: CheckContext): Moved {
  const from = centreOf(outlineBounds(outlineOf(layer)))
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

// What just touches the trim edge should reach the bleed, so a moved layer keeps off it.
export const INSET_MM = 0.001

/** The layer as large as the safe area allows: where it is, or in the middle. */
export function* shrunkInto(layer: Layer, context: CheckContext): Iterable<Layer> {
  const room = context.trim.room(context.area.safeMarginMm + INSET_MM)
  const { width, height } = outlineBounds(context.outlineOf(layer))
  const share = Math.min(room.width / width, room.height / height)
  if (!(share > 0 && share < 1)) return
  const smaller = scaled(layer, share)
  const moved = movedInside(smaller, context.area.safeMarginMm + INSET_MM, context)
  if (moved !== undefined) yield moved
  yield centred(smaller, context)
}
