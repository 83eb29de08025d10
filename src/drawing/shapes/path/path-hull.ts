import { DOCUMENT_LIMITS } from '../../document/fields.ts'
import { createTextCache } from '../../text-cache.ts'
import { convexHull, type Point } from '../geometry.ts'
import { hullOf, parsePath } from './svg-path.ts'

/**
 * The corners of a convex polygon around everything that path data draws; none for data that is faulty or empty. The
 * polygon encloses the control points of curves, which reach the curves' own extremes where their ends do.
 */
export function pathHull(data: string): readonly Point[] {
  const known = hulls.get(data)
  if (known !== undefined) return known
  const hull = computeHull(data)
  hulls.set(data, hull)
  return hull
}

// A layer is looked at several times, and its data may be long.
const hulls = createTextCache<readonly Point[]>(DOCUMENT_LIMITS.totalPathLength)

function computeHull(data: string): readonly Point[] {
  const parsed = parsePath(data)
  return parsed.ok && parsed.steps.length > 0 ? convexHull(hullOf(parsed.steps)) : []
}
