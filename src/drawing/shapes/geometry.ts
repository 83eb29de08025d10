/** Points and rectangles. The unit is the caller's; the y axis points down and angles turn clockwise. */
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

/** The four corners of a rectangle turned by `degrees` around `centre`, in order along its outline. */
export function turnedCorners(rect: Rect, degrees: number, centre: Point): Point[] {
  const { x, y, width, height } = rect
  const corners = [
    { x, y },
    { x: x + width, y },
    { x: x + width, y: y + height },
    { x, y: y + height },
  ]
  if (degrees % 360 === 0) return corners
  const { cos, sin } = turn(degrees)
  return corners.map((corner) => {
    const dx = corner.x - centre.x
    const dy = corner.y - centre.y
    return { x: centre.x + dx * cos - dy * sin, y: centre.y + dx * sin + dy * cos }
  })
}

// Math.cos(Math.PI / 2) is not 0: quarter turns would leave edges a hair off the trim box.
function turn(degrees: number): { cos: number; sin: number } {
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

/** The smallest upright rectangle around some points. */
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

/** The rectangle with every edge moved outwards by `by`, or inwards when it is negative. */
export function grown(rect: Rect, by: number): Rect {
  return { x: rect.x - by, y: rect.y - by, width: rect.width + 2 * by, height: rect.height + 2 * by }
}

/**
 * Whether a convex polygon and an upright rectangle share any area; touching edges share none. Decided by the
 * separating axis theorem: they are apart when some edge's normal separates them.
 */
export function polygonOverlapsRect(polygon: readonly Point[], rect: Rect): boolean {
  const corners = turnedCorners(rect, 0, { x: 0, y: 0 })
  const axes: Point[] = [
    { x: 1, y: 0 },
    { x: 0, y: 1 },
  ]
  for (const [i, a] of polygon.entries()) {
    const b = polygon[(i + 1) % polygon.length]
    if (b !== undefined && (a.x !== b.x || a.y !== b.y)) axes.push({ x: a.y - b.y, y: b.x - a.x })
  }
  return !axes.some((axis) => separates(axis, polygon, corners))
}

// Less than a nanometre, in millimetres: what float arithmetic leaves where edges touch.
const TOUCHING = 1e-7

function separates(axis: Point, one: readonly Point[], other: readonly Point[]): boolean {
  const length = Math.hypot(axis.x, axis.y)
  const [oneMin, oneMax] = extent(axis, one)
  const [otherMin, otherMax] = extent(axis, other)
  return oneMax <= otherMin + TOUCHING * length || otherMax <= oneMin + TOUCHING * length
}

function extent(axis: Point, points: readonly Point[]): [number, number] {
  let min = Number.POSITIVE_INFINITY
  let max = Number.NEGATIVE_INFINITY
  for (const { x, y } of points) {
    const along = x * axis.x + y * axis.y
    min = Math.min(min, along)
    max = Math.max(max, along)
  }
  return [min, max]
}
