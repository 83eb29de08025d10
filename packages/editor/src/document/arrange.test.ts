import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DesignDocument } from '@platen/drawing'
import fc from 'fast-check'
import { rect } from '../factory.ts'
import { alignLayers, distributeLayers, rotateLayers } from './arrange.ts'
import { boundsOfAll } from './geometry/boxes.ts'
import { normalizeDegrees } from './geometry/transform.ts'
import { groupLayers, ungroupLayers, withGroups } from './groups.ts'
import { type EditorLayer, layersOf, placeLayers, reorderLayers } from './layers.ts'
import { isHidden, withVisibility } from './visibility.ts'

const trim = { x: 0, y: 0, width: 100, height: 60 }
const documentOf = (...layers: EditorLayer[]): DesignDocument => ({
  version: 1,
  placements: [{ printAreaId: 'front', layers }],
})
const layersIn = (document: DesignDocument) => layersOf(document, 'front')
const close = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) < 0.002, `${actual} ${expected}`)

test('one layer is aligned to the trim box by the bounds of its rotated box', () => {
  const layer = rect('a', { x: 40, y: 20, width: 20, height: 10, rotation: 90 })
  const aligned = (alignment: Parameters<typeof alignLayers>[2]) =>
    layersIn(alignLayers(documentOf(layer), [layer], alignment, trim)).map((layer) => boundsOfAll([layer]))[0]
  close(aligned('left')?.x ?? Number.NaN, 0)
  close((aligned('right')?.x ?? Number.NaN) + 10, 100)
  close((aligned('center')?.x ?? Number.NaN) + 5, 50)
  close(aligned('top')?.y ?? Number.NaN, 0)
  close((aligned('bottom')?.y ?? Number.NaN) + 20, 60)
  close((aligned('middle')?.y ?? Number.NaN) + 10, 30)
})

test('several layers are aligned to their common bounds, and the layers of a group keep their distances', () => {
  const layers = [rect('a', { x: 10 }), rect('b', { x: 30, group: 'g' }), rect('c', { x: 45, group: 'g' })]
  const aligned = layersIn(alignLayers(documentOf(...layers), layers, 'left', trim))
  assert.deepEqual(
    aligned.map(({ x }) => x),
    [10, 10, 25],
  )
  const group = layers.slice(1)
  const alone = layersIn(alignLayers(documentOf(...layers), group, 'left', trim))
  assert.deepEqual(
    alone.map(({ x }) => x),
    [10, 0, 15],
  )
})

const anyLayers = fc
  .array(
    fc.record({
      x: fc.integer({ min: -100, max: 100 }),
      y: fc.integer({ min: -100, max: 100 }),
      width: fc.integer({ min: 1, max: 60 }),
      height: fc.integer({ min: 1, max: 60 }),
      rotation: fc.integer({ min: -180, max: 180 }),
    }),
    { minLength: 3, maxLength: 8 },
  )
  .map((boxes) => boxes.map((box, i) => rect(`l${i}`, box)))

test('distribution makes all gaps equal, and keeps the outer bounds', () => {
  fc.assert(
    fc.property(anyLayers, (layers) => {
      const after = layersIn(distributeLayers(documentOf(...layers), layers, 'horizontal'))
      const spans = after.map((layer) => boundsOfAll([layer])).sort((a, b) => a.x + a.width / 2 - (b.x + b.width / 2))
      const used = spans.reduce((sum, { width }) => sum + width, 0)
      const whole = boundsOfAll(layers)
      // With small layers inside wide ones, the order by centres differs from that by edges.
      const gap = (whole.width - used) / (layers.length - 1)
      if (gap < 0) return
      for (const [i, span] of spans.entries()) {
        const next = spans[i + 1]
        if (next !== undefined) close(next.x - (span.x + span.width), gap)
      }
      close(boundsOfAll(after).x, whole.x)
      close(boundsOfAll(after).width, whole.width)
    }),
  )
})

test('a full turn of several layers in steps ends where it began', () => {
  const layers = [rect('a', { x: 10, y: 5 }), rect('b', { x: 50, y: 30, width: 20, rotation: 30 })]
  let document = documentOf(...layers)
  for (let i = 0; i < 4; i++) document = rotateLayers(document, layersIn(document), 90)
  for (const [i, layer] of layersIn(document).entries()) {
    close(layer.x, layers[i]?.x ?? Number.NaN)
    close(layer.y, layers[i]?.y ?? Number.NaN)
    assert.equal(layer.rotation, layers[i]?.rotation)
  }
  assert.deepEqual([-180, 180, 540, -90, 270, 0].map(normalizeDegrees), [180, 180, 180, -90, -90, 0])
})

test('a group lies together at the place of its topmost layer, until it ends', () => {
  const document = groupLayers(documentOf(rect('a'), rect('b'), rect('c'), rect('d')), 'front', ['a', 'c'], 'g')
  assert.deepEqual(
    layersIn(document).map(({ id, group }) => `${id}${group ?? ''}`),
    ['b', 'ag', 'cg', 'd'],
  )
  assert.deepEqual(withGroups(layersIn(document), ['c', 'd']), ['a', 'c', 'd'])
  const apart = layersIn(ungroupLayers(document, ['a', 'c']))
  assert.ok(apart.every((layer) => !('group' in layer)))
})

test('a hidden layer has no opacity, and gets its former opacity back', () => {
  const layer = rect('a', { opacity: 0.4 })
  const hidden = withVisibility(layer, false)
  assert.deepEqual([hidden.opacity, isHidden(hidden)], [0, true])
  assert.equal(withVisibility(hidden, false), hidden)
  assert.deepEqual(withVisibility(hidden, true), layer)
})

test('an order that is there already changes nothing', () => {
  const document = documentOf(rect('a'), rect('b'))
  assert.equal(reorderLayers(document, ['b'], 'front'), document)
  assert.equal(reorderLayers(document, ['b'], 'forward'), document)
  assert.equal(placeLayers(document, ['a'], 0), document)
})
