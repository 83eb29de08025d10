import { DOCUMENT_LIMITS } from '../../document/schema/limits.ts'
import { createTextCache } from '../../text-cache.ts'
import { convexHull, type Point } from '../geometry.ts'
import { hullOf, parsePath } from './svg-path.ts'

/**
 * Returns the corners of a convex polygon around everything that path data draw. Returns an empty list for data that
 * are invalid or empty. The polygon encloses the control points of curves, so it may be larger than the drawing.
 */
export function pathHull(data: string): readonly Point[] {
  const known = hulls.get(data)
  if (known !== undefined) return known
  const hull = computeHull(data)
  hulls.set(data, hull)
  return hull
}

// The hulls are cached, because several checks measure the same layer and its path data may be long.
const hulls = createTextCache<readonly Point[]>(DOCUMENT_LIMITS.totalPathLength)

function computeHull(data: string): readonly Point[] {
  const parsed = parsePath(data)
  return parsed.ok && parsed.steps.length > 0 ? convexHull(hullOf(parsed.steps)) : []
}
