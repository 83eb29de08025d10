import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boundsOf, polygonOverlapsRect, turnedCorners } from './geometry.ts'

const square = { x: 0, y: 0, width: 10, height: 10 }

test('rotates clockwise around the given centre, with exact quarter turns', () => {
  const [first] = turnedCorners(square, 90, { x: 5, y: 5 })
  assert.deepEqual(first, { x: 10, y: 0 })
  assert.deepEqual(boundsOf(turnedCorners({ x: 0, y: 0, width: 20, height: 10 }, -270, { x: 10, y: 5 })), {
    x: 5,
    y: -5,
    width: 10,
    height: 20,
  })
})

test('touching edges do not overlap', () => {
  const at = (x: number) => turnedCorners({ x, y: 2, width: 5, height: 5 }, 0, { x: 0, y: 0 })
  assert.equal(polygonOverlapsRect(at(10), square), false)
  assert.equal(polygonOverlapsRect(at(9.999), square), true)
})

test('a rotated square overlaps another shape only with its area, not with its bounds', () => {
  const diamond = turnedCorners({ x: 10.5, y: 10.5, width: 5, height: 5 }, 45, { x: 13, y: 13 })
  const bounds = boundsOf(diamond)
  assert.ok(bounds.x < 10 && bounds.y < 10)
  assert.equal(polygonOverlapsRect(diamond, square), false)
})

test('a line without height overlaps what it crosses', () => {
  const line = turnedCorners({ x: -5, y: 5, width: 30, height: 0 }, 0, { x: 10, y: 5 })
  assert.equal(polygonOverlapsRect(line, square), true)
})
