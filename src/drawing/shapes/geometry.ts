/** Points and rectangles. The caller chooses the unit. The y axis points down, and angles turn clockwise. */
export interface Point {
  x: number
  y: number
}

export interface Rect {
  x: number
  y: number
  width: number
  height: number
}

/** Returns the four corners of a rectangle rotated by `degrees` around `centre`, in order along its outline. */
export function turnedCorners({ x, y, width, height }: Rect, degrees: number, centre: Point): Point[] {
  const corners = [
    { x, y },
    { x: x + width, y },
    { x: x + width, y: y + height },
    { x, y: y + height },
  ]
  return turnedPoints(corners, degrees, centre)
}

export function turnedPoints(points: readonly Point[], degrees: number, centre: Point): Point[] {
  if (degrees % 360 === 0) return [...points]
  const { cos, sin } = turn(degrees)
  return points.map((point) => {
    const dx = point.x - centre.x
    const dy = point.y - centre.y
    return { x: centre.x + dx * cos - dy * sin, y: centre.y + dx * sin + dy * cos }
  })
}

/**
 * Returns the cosine and sine of an angle, exact for quarter turns. Math.cos(Math.PI / 2) is not exactly 0, so edges
 * would not lie exactly on the trim edge.
 */
export function turn(degrees: number): { cos: number; sin: number } {
  const quarter = ((degrees % 360) + 360) % 360
  if (quarter === 90) return { cos: 0, sin: 1 }
  if (quarter === 180) return { cos: -1, sin: 0 }
  if (quarter === 270) return { cos: 0, sin: -1 }
  const radians = (degrees * Math.PI) / 180
  return { cos: Math.cos(radians), sin: Math.sin(radians) }
}

export function centreOf(rect: Rect): Point {
  return { x: rect.x + rect.width / 2, y: rect.y + rect.height / 2 }
}

/** Returns the smallest upright rectangle around some points. */
export function boundsOf(points: readonly Point[]): Rect {
  let left = Number.POSITIVE_INFINITY
  let top = Number.POSITIVE_INFINITY
  let right = Number.NEGATIVE_INFINITY
  let bottom = Number.NEGATIVE_INFINITY
  for (const { x, y } of points) {
    left = Math.min(left, x)
    top = Math.min(top, y)
    right = Math.max(right, x)
    bottom = Math.max(bottom, y)
  }
  return { x: left, y: top, width: right - left, height: bottom - top }
}

/** Returns the rectangle with every edge moved outwards by `by`, or inwards if `by` is negative. */
export function grown(rect: Rect, by: number): Rect {
  return { x: rect.x - by, y: rect.y - by, width: rect.width + 2 * by, height: rect.height + 2 * by }
}

/**
 * Tells whether two convex polygons share any area. Touching edges share none. By the separating axis theorem, two
 * polygons share no area if one lies completely beyond some edge of the other. A line counts as a polygon.
 */
export function polygonsOverlap(one: readonly Point[], other: readonly Point[]): boolean {
  return !liesBeyondAnEdge(one, other) && !liesBeyondAnEdge(other, one)
}

/** Tells whether a polygon lies completely on the outer side of some edge of another, or on that edge. */
function liesBeyondAnEdge(polygon: readonly Point[], other: readonly Point[]): boolean {
  // A line has no area, and both its sides are outer sides: it has one edge in each direction.
  const inwards = Math.sign(doubleArea(other)) || 1
  return other.some((a, i) => {
    const b = other[(i + 1) % other.length] ?? a
    const most = TOUCHING * Math.hypot(b.x - a.x, b.y - a.y)
    return most > 0 && polygon.every((point) => inwards * cross(a, b, point) <= most)
  })
}

function doubleArea(polygon: readonly Point[]): number {
  const [first = { x: 0, y: 0 }] = polygon
  return polygon.reduce((area, corner, i) => area + cross(first, corner, polygon[i + 1] ?? first), 0)
}

/** Tells whether a convex polygon and an upright rectangle share any area. */
export function polygonOverlapsRect(polygon: readonly Point[], rect: Rect): boolean {
  return polygonsOverlap(polygon, turnedCorners(rect, 0, { x: 0, y: 0 }))
}

// The tolerance for edges that touch, in millimetres. Float arithmetic leaves errors of less than a nanometre.
const TOUCHING = 1e-7

/** Returns the corners of the convex hull of some points, in order (Andrew's monotone chain). */
export function convexHull(points: readonly Point[]): Point[] {
  const sorted = points.toSorted((a, b) => a.x - b.x || a.y - b.y)
  const lower = halfHull(sorted)
  const upper = halfHull(sorted.reverse())
  return [...lower.slice(0, -1), ...upper.slice(0, -1)]
}

function halfHull(sorted: readonly Point[]): Point[] {
  const chain: Point[] = []
  for (const point of sorted) {
    while (turnsAside(chain.at(-2), chain.at(-1), point)) chain.pop()
    chain.push(point)
  }
  return chain.length > 1 ? chain : [...chain, ...chain]
}

function turnsAside(a: Point | undefined, b: Point | undefined, c: Point): boolean {
  return a !== undefined && b !== undefined && cross(a, b, c) <= 0
}

/** Computes twice the area of a triangle, positive if its corners are in clockwise order (the y axis points down). */
function cross(a: Point, b: Point, c: Point): number {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
}

/** Tells whether a point lies inside a convex polygon, whose corners may be in either order. */
export function polygonContains(polygon: readonly Point[], point: Point): boolean {
  const sides = polygon.map((corner, i) => cross(corner, polygon[(i + 1) % polygon.length] ?? corner, point))
  return sides.every((side) => side > 0) || sides.every((side) => side < 0)
}
