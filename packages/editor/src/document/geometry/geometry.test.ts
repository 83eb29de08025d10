import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { rect } from '../../factory.ts'
import { boundsOfLayers, cornersOf, fromLayer, layerAt, toLayer } from './boxes.ts'
import { scalePath } from './scale-path.ts'
import { snapBox, snapTargets } from './snap.ts'
import { HANDLES, resizeBox, rotateLayer, scaleLayer } from './transform.ts'

const area = {
  id: 'front',
  name: 'Front',
  widthMm: 148,
  heightMm: 105,
  bleedMm: 3,
  safeMarginMm: 5,
  targetDpi: 300,
  required: true,
}
const near = (actual: number, expected: number, tolerance = 0.002): void =>
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected}`)

const layers = fc.record({
  x: fc.double({ min: -50, max: 50, noNaN: true }),
  y: fc.double({ min: -50, max: 50, noNaN: true }),
  width: fc.double({ min: 1, max: 80, noNaN: true }),
  height: fc.double({ min: 1, max: 80, noNaN: true }),
  rotation: fc.integer({ min: -360, max: 360 }),
})

test('a dragged handle arrives at the pointer, and the opposite corner stays, at any rotation', () => {
  fc.assert(
    fc.property(layers, fc.integer({ min: 0, max: 7 }), fc.double({ min: 1, max: 60, noNaN: true }), (box, i, by) => {
      const layer = rect('a', box)
      const handle = HANDLES[i] ?? { x: 1, y: 1 }
      const share = (side: -1 | 0 | 1, size: number): number => ((side + 1) / 2) * size
      const to = fromLayer(layer, {
        x: share(handle.x, layer.width) + handle.x * by,
        y: share(handle.y, layer.height) + handle.y * by,
      })
      const resized = { ...layer, ...resizeBox(layer, handle, to, { keepsRatio: false, fromCentre: false }) }
      const fixedOf = (of: typeof layer) =>
        fromLayer(of, { x: share(-handle.x as -1 | 0 | 1, of.width), y: share(-handle.y as -1 | 0 | 1, of.height) })
      near(fixedOf(resized).x, fixedOf(layer).x)
      near(fixedOf(resized).y, fixedOf(layer).y)
      near(resized.width, layer.width + Math.abs(handle.x) * by)
      near(resized.height, layer.height + Math.abs(handle.y) * by)
    }),
  )
})

test('a rotation around the own centre keeps the centre, and four quarters keep the layer', () => {
  const layer = rect('a', { x: 10, y: 20, width: 30, height: 8 })
  const centre = { x: 25, y: 24 }
  const quarter = rotateLayer(layer, 90, centre)
  assert.deepEqual([quarter.x, quarter.y, quarter.rotation], [10, 20, 90])
  let turned = layer
  for (let i = 0; i < 4; i++) turned = rotateLayer(turned, 90, { x: 0, y: 0 })
  assert.deepEqual(turned, layer)
})

test('points convert between a turned layer and its print area without loss', () => {
  fc.assert(
    fc.property(layers, (box) => {
      const layer = rect('a', box)
      const point = { x: 7, y: -3 }
      const back = toLayer(layer, fromLayer(layer, point))
      near(back.x, point.x, 1e-9)
      near(back.y, point.y, 1e-9)
      assert.ok(boundsOfLayers([layer]) !== undefined)
      assert.equal(cornersOf(layer).length, 4)
    }),
  )
})

test('the topmost layer at a point is hit, lines by their distance, hidden layers never', () => {
  const below = rect('below', { width: 50, height: 50 })
  const above = rect('above', { x: 10, y: 10, width: 10, height: 10 })
  const line = { ...rect('line', { x: 0, y: 0, width: 50, height: 50 }), shape: 'line' } as typeof below
  assert.equal(layerAt([below, above], { x: 15, y: 15 }, 0)?.id, 'above')
  assert.equal(layerAt([below, { ...above, opacity: 0 }], { x: 15, y: 15 }, 0)?.id, 'below')
  assert.equal(layerAt([below, line], { x: 40, y: 10 }, 1)?.id, 'below')
  assert.equal(layerAt([below, line], { x: 30, y: 30.5 }, 1)?.id, 'line')
  assert.equal(layerAt([above], { x: 21, y: 15 }, 2)?.id, 'above')
})

test('a box snaps to edges, centres, margins and equal gaps, and not beyond the tolerance', () => {
  const targets = snapTargets(area, [])
  const snap = (x: number, y: number, tolerance = 1) => snapBox({ x, y, width: 20, height: 10 }, targets, tolerance)
  near(snap(0.6, 50).dx, -0.6)
  near(snap(4.5, 50).dx, 0.5)
  near(snap(-2.4, 50).dx, -0.6)
  near(snap(64.3, 20).dx, -0.3)
  assert.equal(snap(30, 20).dx, 0)
  const row = snapTargets(area, [
    { x: 10, y: 40, width: 20, height: 10 },
    { x: 40, y: 40, width: 20, height: 10 },
  ])
  const gap = snapBox({ x: 70.4, y: 40, width: 21, height: 10 }, row, 0.5)
  near(gap.dx, -0.4)
  assert.ok(gap.guides.some(({ kind }) => kind === 'gap'))
})

test('a scaled path keeps its form, with numbers that touch and flags of arcs that touch', () => {
  assert.equal(scalePath('M0 0L10 20h5v-5z', 2, 0.5), 'M0 0L20 10h10v-2.5z')
  assert.equal(scalePath('m1-2.5.5-1', 2, 2), 'm2 -5 1 -2')
  assert.equal(scalePath('M0 0A5 5 0 0110 0', 2, 2), 'M0 0A10 10 0 0 1 20 0')
})

test('a scaled layer takes its text along', () => {
  const text = { ...rect('t', { x: 10, y: 10, width: 20, height: 10 }), type: 'text', fontSizePt: 12 } as never
  const scaled = scaleLayer(text, 2, { x: 0, y: 0 })
  assert.deepEqual([scaled.x, scaled.y, scaled.width, scaled.height], [20, 20, 40, 20])
  assert.equal(scaled.type === 'text' && scaled.fontSizePt, 24)
})
