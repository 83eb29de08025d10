import type { Layer } from '../document/layer-types.ts'
import { centreOf, type Point, turnedCorners } from '../shapes/geometry.ts'
import { ceilMm, floorMm } from '../shapes/units.ts'
import { outlineBounds } from '../trim/outline.ts'
import type { CheckContext } from './context.ts'

/** Moves a layer by at least this distance, rounded up to whole micrometres. */
export function movedBy<Moved extends Layer>(layer: Moved, { x, y }: Point): Moved {
  return { ...layer, x: moved(layer.x, x), y: moved(layer.y, y) }
}

function moved(from: number, by: number): number {
  if (by === 0) return from
  return by > 0 ? ceilMm(from + by) : floorMm(from + by)
}

/**
 * Moves a layer so that everything it draws is inside the trim edge by a margin. Returns undefined if moving is not
 * enough.
 */
export function movedInside<Moved extends Layer>(
  layer: Moved,
  marginMm: number,
  { trim, outlineOf }: CheckContext,
): Moved | undefined {
  const outline = outlineOf(layer)
  // A fix is only a proposal, so the bounding box of an ellipse is precise enough.
  const points = 'ellipse' in outline ? turnedCorners(outlineBounds(outline), 0, { x: 0, y: 0 }) : outline.points
  const move = trim.moveInside(points, marginMm)
  return move && movedBy(layer, move)
}

/**
 * A function that returns the points of a layer that must keep the safe margin. `measure` selects whether a text is
 * measured by its lines or by its letters.
 */
export type GuardedPoints = (measure: 'lines' | 'letters') => readonly Point[]

/** Yields the layer moved so that its points keep the safe margin, if moving is enough. */
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

/** Moves a layer so that its drawing is centred in the print area. */
export function centred<Moved extends Layer>(layer: Moved, { trim, outlineOf }: CheckContext): Moved {
  const from = centreOf(outlineBounds(outlineOf(layer)))
  const to = centreOf(trim.bounds)
  return movedBy(layer, { x: to.x - from.x, y: to.y - from.y })
}

/**
 * Scales the box of a layer around its centre, rounding down. The caller must handle paths, which do not scale with
 * their box.
 */
export function scaled<Scaled extends Layer>(layer: Scaled, factor: number): Scaled {
  const width = floorMm(layer.width * factor)
  const height = floorMm(layer.height * factor)
  const x = ceilMm(layer.x + (layer.width - width) / 2)
  const y = ceilMm(layer.y + (layer.height - height) / 2)
  return { ...layer, x, y, width, height }
}

// A moved layer keeps this distance from the trim edge, because a layer that touches the edge must fill the bleed.
export const INSET_MM = 0.001

/**
 * Yields the layer as large as the safe area allows: first near its current position, then in the middle of the area.
 */
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
