import {
  distanceFromEllipse,
  type Ellipse,
  inscribedEllipse,
  pointOnEllipse,
  segmentNearEllipse,
} from '../shapes/ellipse.ts'
import { boundsOf, centreOf, type Point, polygonContains, type Rect, turnedPoints } from '../shapes/geometry.ts'
import { EPSILON_MM } from '../shapes/units.ts'
import type { Outline, TrimShape } from './trim-shape.ts'

/**
 * Creates the trim shape of a print area that is cut along the ellipse inscribed in its trim box. Margin and bleed are
 * measured perpendicular to the ellipse. The distance from a convex shape is a convex function, so its extremes over a
 * polygon lie at corners and at tangents.
 */
export function ellipticTrim(bounds: Rect): TrimShape {
  const trim = inscribedEllipse(bounds)
  const inset = (points: readonly Point[]) =>
    points.reduce((least, point) => Math.min(least, -distanceFromEllipse(point, trim)), Number.POSITIVE_INFINITY)
  return {
    bounds,
    overlaps: (outline, byMm) => nearest(outline, trim) < byMm - EPSILON_MM,
    inset,
    shortfall(outline, bleedMm) {
      const turns = turningPoints(outline, trim)
      const short = turns.filter((distance) => distance >= -EPSILON_MM && distance < bleedMm - EPSILON_MM)
      return short.length === 0 ? undefined : { reachMm: Math.min(...short), sides: new Map() }
    },
    moveInside: (points, marginMm) => moveTowardsCentre(points, trim.centre, (at) => inset(at) >= marginMm),
    room(marginMm) {
      // This is the largest rectangle in the ellipse whose radii are smaller by the margin, so the rectangle lies in
      // the safe area. Its sides are shortened by a few micrometres to allow for rounding.
      const width = (bounds.width - 2 * marginMm) * Math.SQRT1_2 - 0.004
      const height = (bounds.height - 2 * marginMm) * Math.SQRT1_2 - 0.004
      return { x: trim.centre.x - width / 2, y: trim.centre.y - height / 2, width, height }
    },
  }
}

/**
 * Returns the distances from the trim edge at the points where an outline turns towards the edge or away from it: the
 * corners of a polygon, the nearest points of its sides, and the extremes along an ellipse. An outline that only
 * crosses the bleed has no such points in the bleed.
 */
function turningPoints(outline: Outline, trim: Ellipse): number[] {
  if ('ellipse' in outline) return extremesAlong(outline.ellipse, trim)
  const corners = outline.points.map((point) => distanceFromEllipse(point, trim))
  const tangents = outline.points.flatMap((point, i) => {
    const near = segmentNearEllipse(point, outline.points[(i + 1) % outline.points.length] ?? point, trim)
    return near.crosses || near.between === undefined ? [] : [near.between]
  })
  return [...corners, ...tangents]
}

/**
 * Computes the least distance of the area of an outline from the trim edge; negative if the area reaches inside the
 * edge.
 */
function nearest(outline: Outline, trim: Ellipse): number {
  if ('ellipse' in outline) {
    const { ellipse } = outline
    const [centre = trim.centre] = turnedPoints([trim.centre], -ellipse.degrees, ellipse.centre)
    const containsCentre = distanceFromEllipse(centre, ellipse) < 0
    return containsCentre ? Number.NEGATIVE_INFINITY : Math.min(...extremesAlong(ellipse, trim))
  }
  const { points } = outline
  if (polygonContains(points, trim.centre)) return Number.NEGATIVE_INFINITY
  const sides = points.map((point, i) => segmentNearEllipse(point, points[(i + 1) % points.length] ?? point, trim))
  if (sides.some(({ crosses }) => crosses)) return Number.NEGATIVE_INFINITY
  return Math.min(...turningPoints(outline, trim))
}

const SAMPLES = 64

/**
 * Finds the local extremes of the distance from the trim edge along an ellipse: takes samples, then narrows the
 * interval around each extreme sample.
 */
function extremesAlong(ellipse: Ellipse, trim: Ellipse): number[] {
  const step = (2 * Math.PI) / SAMPLES
  const distanceAt = (radians: number) => distanceFromEllipse(pointOnEllipse(ellipse, radians), trim)
  const samples = Array.from({ length: SAMPLES }, (_, i) => distanceAt(i * step))
  return samples.flatMap((distance, i) => {
    const before = samples.at(i - 1) ?? distance
    const after = samples[(i + 1) % SAMPLES] ?? distance
    const range = [(i - 1) * step, (i + 1) * step] as const
    if (distance <= before && distance <= after) return [least(distanceAt, ...range)]
    if (distance >= before && distance >= after) return [-least((radians) => -distanceAt(radians), ...range)]
    return []
  })
}

const GOLDEN = (Math.sqrt(5) - 1) / 2

/** Finds the least value of a function in a range in which the function has one minimum (golden-section search). */
function least(value: (at: number) => number, from: number, to: number): number {
  let [low, high] = [from, to]
  let [left, right] = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)]
  let [atLeft, atRight] = [value(left), value(right)]
  for (let i = 0; i < 30; i++) {
    if (atLeft < atRight) {
      ;[high, right, atRight] = [right, left, atLeft]
      left = high - GOLDEN * (high - low)
      atLeft = value(left)
    } else {
      ;[low, left, atLeft] = [left, right, atRight]
      right = low + GOLDEN * (high - low)
      atRight = value(right)
    }
  }
  return Math.min(atLeft, atRight)
}

/** Finds the shortest move straight towards the centre after which the points fit. */
function moveTowardsCentre(
  points: readonly Point[],
  centre: Point,
  fits: (points: readonly Point[]) => boolean,
): Point | undefined {
  if (fits(points)) return { x: 0, y: 0 }
  const middle = centreOf(boundsOf(points))
  const way = { x: centre.x - middle.x, y: centre.y - middle.y }
  const after = (share: number) => points.map(({ x, y }) => ({ x: x + share * way.x, y: y + share * way.y }))
  if (!fits(after(1))) return undefined
  let [low, high] = [0, 1]
  for (let i = 0; i < 40; i++) {
    const share = (low + high) / 2
    if (fits(after(share))) high = share
    else low = share
  }
  return { x: high * way.x, y: high * way.y }
}
