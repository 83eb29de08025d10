import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DOCUMENT_LIMITS } from '../../document/schema/limits.ts'
import { pathHull } from './path-hull.ts'
import type { PathStep } from './path-step.ts'
import { hullOf, parsePath } from './svg-path.ts'

function steps(data: string): readonly PathStep[] {
  const parsed = parsePath(data)
  assert.ok(parsed.ok, data)
  return parsed.steps
}

test('reads the compact forms of numbers', () => {
  assert.deepEqual(steps('M.5.5-1-2L1e1,2E-1'), [
    { type: 'move', x: 0.5, y: 0.5 },
    { type: 'line', x: -1, y: -2 },
    { type: 'line', x: 10, y: 0.2 },
  ])
})

test('resolves relative commands, and continues at the start of the subpath after a close', () => {
  assert.deepEqual(steps('m10 10h5v5zl1 1'), [
    { type: 'move', x: 10, y: 10 },
    { type: 'line', x: 15, y: 10 },
    { type: 'line', x: 15, y: 15 },
    { type: 'close' },
    { type: 'line', x: 11, y: 11 },
  ])
})

test('smooth commands mirror the control point of their own kind only', () => {
  assert.deepEqual(steps('M0 0C0 1 1 1 1 0S2-1 2 0').at(-1), {
    type: 'curve',
    x1: 1,
    y1: -1,
    x2: 2,
    y2: -1,
    x: 2,
    y: 0,
  })
  assert.deepEqual(steps('M0 0Q1 1 2 0S3-1 4 0').at(-1), { type: 'curve', x1: 2, y1: 0, x2: 3, y2: -1, x: 4, y: 0 })
})

test('arcs end exactly at their end point and stay on their circle', () => {
  const curves = steps('M10 0A10 10 0 1 1 0-10')
  assert.deepEqual({ x: 0, y: -10 }, (({ x, y }) => ({ x, y }))(curves.at(-1) as { x: number; y: number }))
  for (const step of curves) {
    if (step.type === 'curve') assert.ok(Math.abs(Math.hypot(step.x, step.y) - 10) < 1e-9)
  }
  assert.equal(curves.length, 4)
})

test('arc flags need no separators, degenerate arcs are lines or nothing', () => {
  assert.equal(steps('M0 0a5 5 0 0110 0').at(-1)?.type, 'curve')
  assert.deepEqual(steps('M0 0A0 5 0 0 1 7 7').at(-1), { type: 'line', x: 7, y: 7 })
  assert.equal(steps('M0 0A5 5 0 0 1 0 0').length, 1)
})

for (const data of [
  '',
  ' ',
  'L1 1',
  'M1',
  'M1 1 L',
  'M1 1 2',
  'M1 1X',
  'M1 1z5',
  'M,1 1',
  'M1e9 0',
  'M1 1 A5 5 0 2 0 1 1',
  'MNaN 1',
  'M0 0 L1e999 0',
]) {
  test(`refuses ${JSON.stringify(data)}`, () => {
    const parsed = parsePath(data)
    assert.equal(parsed.ok, false)
  })
}

test('never throws and never yields a coordinate that is not finite', () => {
  const soup = fc.array(fc.constantFrom(...'MmLlHhVvCcSsQqTtAaZz0123456789.,-+eE \n'), { maxLength: 60 })
  fc.assert(
    fc.property(soup, (characters) => {
      const parsed = parsePath(`M0 0${characters.join('')}`)
      if (parsed.ok) assert.ok(hullOf(parsed.steps).every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y)))
    }),
  )
})

test('parses the longest allowed path and finds a fault at its end', () => {
  const parsed = steps(`M0 0${'l1 1'.repeat(16_000)}`)
  assert.deepEqual(parsed.at(-1), { type: 'line', x: 16_000, y: 16_000 })
  assert.deepEqual(parsePath(`M0 0${'l1 1'.repeat(16_000)}!`), {
    ok: false,
    offset: 64_004,
    reason: 'expected a command',
  })
  assert.equal(parsePath(`M0 0${'-'.repeat(65_000)}`).ok, false)
})

test('the hull of a path encloses its curves and no more than their control points', () => {
  assert.deepEqual(pathHull('M0 0H10V10H0zM2 2L3 3'), [
    { x: 0, y: 0 },
    { x: 10, y: 0 },
    { x: 10, y: 10 },
    { x: 0, y: 10 },
  ])
  assert.deepEqual(pathHull('M0 0C0 10 10 10 10 0'), [
    { x: 0, y: 0 },
    { x: 10, y: 0 },
    { x: 10, y: 10 },
    { x: 0, y: 10 },
  ])
  assert.deepEqual(pathHull('M1 1L2 2L3 3'), [
    { x: 1, y: 1 },
    { x: 3, y: 3 },
  ])
  assert.deepEqual([pathHull(''), pathHull('M0 0L')], [[], []])
})

test('all paths of a document are parsed once and their hulls computed once, until many other paths replace them', () => {
  const longest = 'h1'.repeat(DOCUMENT_LIMITS.totalPathLength / 8)
  const paths = ['1', '2', '3'].map((x) => `M${x} 0${longest}`)
  const parsed = paths.map(parsePath)
  const hulls = paths.map(pathHull)
  assert.ok(paths.every((path, i) => parsePath(path) === parsed[i] && pathHull(path) === hulls[i]))
  for (let i = 0; i < 20; i += 1) parsePath(`M1 ${i}${longest}`)
  assert.notEqual(parsePath(paths[0] ?? ''), parsed[0])
})
