import { ellipseBounds } from '../shapes/ellipse.ts'
import { boundsOf, centreOf, type Point, type Rect, turnedCorners } from '../shapes/geometry.ts'
import type { Outline } from './trim-shape.ts'

/** Returns the outline of a layer that fills its box. */
export function boxOutline(box: Rect & { rotation: number }): { points: Point[] } {
  return { points: turnedCorners(box, box.rotation, centreOf(box)) }
}

/** Returns the smallest upright rectangle around an outline. */
export function outlineBounds(outline: Outline): Rect {
  return 'ellipse' in outline ? ellipseBounds(outline.ellipse) : boundsOf(outline.points)
}
