import { convexHull, type Point } from '../geometry.ts'
import { hullOf, parsePath } from './svg-path.ts'

/**
 * The corners of a convex polygon around everything that path data draws; none for data that is faulty or empty. The
 * polygon encloses the control points of curves, which reach the curves' own extremes where their ends do.
 */
export function pathHull(data: string): readonly Point[] {
  if (known?.data !== data) known = { data, hull: computeHull(data) }
  return known.hull
}

// A layer is looked at several times in a row, and its data may be long.
let known: { data: string; hull: readonly Point[] } | undefined

function computeHull(data: string): readonly Point[] {
  const parsed = parsePath(data)
  return parsed.ok && parsed.steps.length > 0 ? convexHull(hullOf(parsed.steps)) : []
}
