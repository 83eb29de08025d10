import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  distanceFromEllipse,
  type Ellipse,
  ellipseBounds,
  ellipseOverlapsRect,
  pointOnEllipse,
  segmentNearEllipse,
} from './ellipse.ts'

const upright = (radiusX: number, radiusY: number): Ellipse => ({
  centre: { x: 3, y: -2 },
  radiusX,
  radiusY,
  degrees: 0,
})
const near = (actual: number, expected: number, within = 1e-6) =>
  assert.ok(Math.abs(actual - expected) <= within, `${actual} is not ${expected}`)

const radius = fc.double({ min: 0.5, max: 500, noNaN: true })
const coordinate = fc.double({ min: -600, max: 600, noNaN: true })

test('the distance from a circle is the distance from its centre minus the radius', () => {
  const circle = upright(25, 25)
  for (const [x, y, distance] of [
    [3, -2, -25],
    [28, -2, 0],
    [3 + 18, -2 + 24, 5],
    [3 - 6, -2 - 8, -15],
  ] as const) {
    near(distanceFromEllipse({ x, y }, circle), distance, 1e-9)
  }
})

test('the distance from an ellipse is the distance to its nearest point, negative inside', () => {
  fc.assert(
    fc.property(radius, radius, coordinate, coordinate, (rx, ry, x, y) => {
      const ellipse = upright(rx, ry)
      const distance = distanceFromEllipse({ x, y }, ellipse)
      const inside = ((x - 3) / rx) ** 2 + ((y + 2) / ry) ** 2 < 1
      assert.equal(distance < 0, inside)
      // No sampled point is nearer, and some sampled point is about as near.
      const sampled = Array.from({ length: 2_000 }, (_, i) => {
        const on = pointOnEllipse(ellipse, (i / 1_000) * Math.PI)
        return Math.hypot(on.x - x, on.y - y)
      })
      const least = Math.min(...sampled)
      assert.ok(Math.abs(distance) <= least + 1e-6, `${distance} ${least}`)
      assert.ok(Math.abs(distance) >= least - 0.0032 * Math.max(rx, ry), `${distance} ${least}`)
    }),
  )
})

test('the distance is correct on the axes, where formulas divide by zero', () => {
  const ellipse: Ellipse = { centre: { x: 0, y: 0 }, radiusX: 10, radiusY: 4, degrees: 0 }
  const at = (x: number, y: number) => distanceFromEllipse({ x, y }, ellipse)
  near(at(0, 0), -4)
  near(at(12, 0), 2)
  near(at(0, -7), 3)
  near(at(9, 0), -1)
  // Near the middle of the long axis, the nearest points lie above and below the axis.
  near(at(2, 0), at(2, 1e-9), 1e-6)
  near(distanceFromEllipse({ x: 0, y: 2 }, { ...ellipse, radiusX: 4, radiusY: 10 }), at(2, 0), 1e-12)
})

test('finds whether a segment crosses an ellipse, and its nearest point between the ends', () => {
  const circle: Ellipse = { centre: { x: 0, y: 0 }, radiusX: 10, radiusY: 10, degrees: 0 }
  const segment = (x1: number, y1: number, x2: number, y2: number) =>
    segmentNearEllipse({ x: x1, y: y1 }, { x: x2, y: y2 }, circle)
  assert.deepEqual(segment(-20, 12, 20, 12), { crosses: false, between: 2 })
  assert.deepEqual(segment(-20, 9, 20, 9), { crosses: true, between: undefined })
  assert.deepEqual(segment(1, 1, 2, 2), { crosses: true, between: undefined })
  // The line through the segment crosses the circle, but the segment ends before.
  assert.deepEqual(segment(11, 0, 20, 0), { crosses: false, between: undefined })
  assert.deepEqual(segment(5, 12, 20, 12), { crosses: false, between: undefined })
  assert.deepEqual(segment(0, 12, 0, 12), { crosses: false, between: undefined })
})

test('bounds and overlaps of a rotated ellipse are those of the ellipse, not of its box', () => {
  const ellipse: Ellipse = { centre: { x: 0, y: 0 }, radiusX: 10, radiusY: 2, degrees: 45 }
  const { x, width } = ellipseBounds(ellipse)
  near(x, -Math.sqrt(52))
  near(width, 2 * Math.sqrt(52))
  const overlaps = (left: number, top: number) => ellipseOverlapsRect(ellipse, { x: left, y: top, width: 5, height: 5 })
  assert.equal(overlaps(3, 3), true)
  assert.equal(overlaps(3, -8), false)
  assert.equal(overlaps(-2.5, -2.5), true)
  assert.equal(ellipseOverlapsRect(ellipse, { x: -50, y: -50, width: 100, height: 100 }), true)
  const circle: Ellipse = { centre: { x: 0, y: 0 }, radiusX: 5, radiusY: 5, degrees: 0 }
  assert.equal(ellipseOverlapsRect(circle, { x: 5, y: -1, width: 5, height: 2 }), false, 'they touch')
  assert.equal(ellipseOverlapsRect(circle, { x: 4.999, y: -1, width: 5, height: 2 }), true)
})
