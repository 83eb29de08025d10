import { type Point, polygonContains, type Rect, turn, turnedCorners } from './geometry.ts'

/** An ellipse rotated by `degrees` clockwise around its centre. */
export interface Ellipse {
  centre: Point
  radiusX: number
  radiusY: number
  degrees: number
}

/** Returns the largest ellipse in a rectangle. */
export function inscribedEllipse({ x, y, width, height }: Rect): Ellipse {
  return { centre: { x: x + width / 2, y: y + height / 2 }, radiusX: width / 2, radiusY: height / 2, degrees: 0 }
}

/** Returns the smallest upright rectangle around an ellipse. */
export function ellipseBounds({ centre, radiusX, radiusY, degrees }: Ellipse): Rect {
  const { cos, sin } = turn(degrees)
  const halfWidth = Math.hypot(radiusX * cos, radiusY * sin)
  const halfHeight = Math.hypot(radiusX * sin, radiusY * cos)
  return { x: centre.x - halfWidth, y: centre.y - halfHeight, width: 2 * halfWidth, height: 2 * halfHeight }
}

/** Returns the point of an ellipse for a value of its parameter, in radians. */
export function pointOnEllipse({ centre, radiusX, radiusY, degrees }: Ellipse, radians: number): Point {
  const { cos, sin } = turn(degrees)
  const x = radiusX * Math.cos(radians)
  const y = radiusY * Math.sin(radians)
  return { x: centre.x + x * cos - y * sin, y: centre.y + x * sin + y * cos }
}

/** Computes the distance of a point from the outline of an upright ellipse. The distance is negative inside. */
export function distanceFromEllipse(point: Point, { centre, radiusX, radiusY }: Ellipse): number {
  // By symmetry, the first quadrant is enough. The longer axis is passed first.
  const x = Math.abs(point.x - centre.x)
  const y = Math.abs(point.y - centre.y)
  const distance =
    radiusX >= radiusY ? distanceInQuadrant(x, y, radiusX, radiusY) : distanceInQuadrant(y, x, radiusY, radiusX)
  return (x / radiusX) ** 2 + (y / radiusY) ** 2 < 1 ? -distance : distance
}

/**
 * Uses D. Eberly, "Distance from a Point to an Ellipse, an Ellipsoid, or a Hyperellipsoid" (2013). The nearest point is
 * (a² x / (t + a²), b² y / (t + b²)), where t is the largest root of a decreasing convex function. Newton's method from
 * the left of the root therefore converges without overshooting.
 */
function distanceInQuadrant(x: number, y: number, a: number, b: number): number {
  if (y === 0) return distanceOnLongAxis(x, a, b)
  if (x === 0) return Math.abs(y - b)
  let t = Math.max(a * x - a * a, b * y - b * b)
  for (let i = 0; i < NEWTON_STEPS; i++) {
    const u = (a * x) / (t + a * a)
    const v = (b * y) / (t + b * b)
    const excess = u * u + v * v - 1
    const slope = -2 * ((u * u) / (t + a * a) + (v * v) / (t + b * b))
    const next = t - excess / slope
    if (!(next > t)) break
    t = next
  }
  return Math.hypot((a * a * x) / (t + a * a) - x, (b * b * y) / (t + b * b) - y)
}

// Five to ten steps are usual. Points near the centre of a long ellipse need some more.
const NEWTON_STEPS = 60

function distanceOnLongAxis(x: number, a: number, b: number): number {
  // Near the middle of the long axis, the nearest points lie above and below the axis.
  if (a * x >= a * a - b * b) return Math.abs(x - a)
  const nearest = (a * a * x) / (a * a - b * b)
  return Math.hypot(nearest - x, b * Math.sqrt(1 - (nearest / a) ** 2))
}

/**
 * How a segment lies to an upright ellipse. If the segment stays outside and its nearest point lies between its ends,
 * `between` is the distance of that point. If the nearest point is an end, `between` is undefined.
 */
export type SegmentNearness = { crosses: true } | { crosses: false; between: number | undefined }

/**
 * Tells whether a segment crosses the inside of an upright ellipse. Otherwise, returns the distance of the nearest
 * point of the segment if that point lies between the ends. At that point, the tangent of the ellipse is parallel to
 * the segment.
 */
export function segmentNearEllipse(from: Point, to: Point, ellipse: Ellipse): SegmentNearness {
  const { centre, radiusX, radiusY } = ellipse
  const length = Math.hypot(to.x - from.x, to.y - from.y)
  if (length === 0) return { crosses: false, between: undefined }
  const along = { x: (to.x - from.x) / length, y: (to.y - from.y) / length }
  let normal = { x: -along.y, y: along.x }
  const start = { x: from.x - centre.x, y: from.y - centre.y }
  if (start.x * normal.x + start.y * normal.y < 0) normal = { x: -normal.x, y: -normal.y }
  const away = start.x * normal.x + start.y * normal.y
  // `reach` is how far the ellipse extends in the direction of the normal, and `nearest` is the point at that distance.
  const reach = Math.hypot(radiusX * normal.x, radiusY * normal.y)
  if (away < reach) return { crosses: chordMeets(start, along, length, ellipse), between: undefined }
  const nearest = { x: (radiusX ** 2 * normal.x) / reach, y: (radiusY ** 2 * normal.y) / reach }
  const at = (nearest.x - start.x) * along.x + (nearest.y - start.y) * along.y
  return { crosses: false, between: at > 0 && at < length ? away - reach : undefined }
}

// Tells whether the part of a line inside the ellipse lies on the segment. In units of the radii, the ellipse is a
// circle.
function chordMeets(start: Point, along: Point, length: number, { radiusX, radiusY }: Ellipse): boolean {
  const [px, py] = [start.x / radiusX, start.y / radiusY]
  const [dx, dy] = [along.x / radiusX, along.y / radiusY]
  const square = dx * dx + dy * dy
  const half = -(px * dx + py * dy) / square
  const spread = Math.sqrt(Math.max(0, half * half - (px * px + py * py - 1) / square))
  return half + spread > 0 && half - spread < length
}

/** Tells whether an ellipse and an upright rectangle share any area. Touching outlines share none. */
export function ellipseOverlapsRect(ellipse: Ellipse, rect: Rect): boolean {
  return ellipseOverlapsPolygon(ellipse, turnedCorners(rect, 0, ellipse.centre))
}

/** Tells whether an ellipse and a convex polygon share any area. Touching outlines share none. */
export function ellipseOverlapsPolygon(ellipse: Ellipse, polygon: readonly Point[]): boolean {
  if (polygonContains(polygon, ellipse.centre)) return true
  const corners = polygon.map((corner) => onUnitCircle(corner, ellipse))
  return corners.some((corner, i) => distanceFromOrigin(corner, corners[(i + 1) % corners.length] ?? corner) < 1 - 1e-9)
}

/** Tells whether a point lies inside an ellipse. Points on the outline do not. */
export function ellipseContains(ellipse: Ellipse, point: Point): boolean {
  const { x, y } = onUnitCircle(point, ellipse)
  return Math.hypot(x, y) < 1
}

// Transforms a point by the rotation and scaling that map the ellipse to the unit circle around the origin.
function onUnitCircle({ x, y }: Point, { centre, radiusX, radiusY, degrees }: Ellipse): Point {
  const { cos, sin } = turn(-degrees)
  const [dx, dy] = [x - centre.x, y - centre.y]
  return { x: (dx * cos - dy * sin) / radiusX, y: (dx * sin + dy * cos) / radiusY }
}

function distanceFromOrigin(a: Point, b: Point): number {
  const [dx, dy] = [b.x - a.x, b.y - a.y]
  const square = dx * dx + dy * dy
  const t = square === 0 ? 0 : Math.min(1, Math.max(0, -(a.x * dx + a.y * dy) / square))
  return Math.hypot(a.x + t * dx, a.y + t * dy)
}
