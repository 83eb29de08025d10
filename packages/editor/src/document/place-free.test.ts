import assert from 'node:assert/strict'
import { test } from 'node:test'
import { centreOf, type Rect } from '@platen/drawing'
import { rect } from '../factory.ts'
import type { EditorLayer } from './layers.ts'
import { placeFree } from './place-free.ts'

const area = {
  ...{ id: 'front', name: 'Front', widthMm: 148, heightMm: 105, bleedMm: 3, safeMarginMm: 5, targetDpi: 300 },
  required: true,
}

const inMiddle = (id: string, width: number, height: number): EditorLayer =>
  rect(id, { x: (148 - width) / 2, y: (105 - height) / 2, width, height })

function placedInTurn(...layers: EditorLayer[]): EditorLayer[] {
  const placed: EditorLayer[] = []
  for (const layer of layers) placed.push(placeFree(layer, area, placed))
  return placed
}

const overlap = (a: Rect, b: Rect): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

test('new layers cover no other and keep the safe margin while there is room, and the first lies in the middle', () => {
  const layers = placedInTurn(inMiddle('text', 104, 11), inMiddle('a', 26, 26), inMiddle('b', 26, 26))
  assert.equal(layers[0]?.x, 22)
  for (const [i, layer] of layers.entries()) {
    assert.ok(!layers.slice(0, i).some((other) => overlap(layer, other)), JSON.stringify(layers))
    assert.ok(layer.x >= 5 && layer.y >= 5 && layer.x + layer.width <= 143 && layer.y + layer.height <= 100)
  }
})

test('a background is no obstacle', () => {
  const background = rect('background', { x: -3, y: -3, width: 154, height: 111 })
  const layer = inMiddle('a', 40, 40)
  assert.deepEqual(placeFree(layer, area, [background, rect('other', { x: 5, y: 5 })]), layer)
})

test('without enough room, a new layer covers the least, so that every other layer can be seen', () => {
  const layers = placedInTurn(inMiddle('code', 26, 26), inMiddle('photo', 76, 51))
  assert.ok(layers[0] !== undefined && layers[1] !== undefined)
  const { x, y, width, height } = layers[1]
  const hidden = x <= layers[0].x && y <= layers[0].y && x + width >= layers[0].x + 26 && y + height >= layers[0].y + 26
  assert.ok(!hidden, JSON.stringify(layers))
})

test('layers as large as a background do not have the same centre', () => {
  const layers = placedInTurn(...['a', 'b', 'c', 'd'].map((id) => inMiddle(id, 100, 100)))
  const centres = new Set(layers.map(centreOf).map(({ x, y }) => `${x} ${y}`))
  assert.equal(centres.size, 4)
})

test('in a round area, a new layer keeps the margin with its corners', () => {
  const round = { ...area, widthMm: 60, heightMm: 60, safeMarginMm: 4, shape: 'ellipse' as const }
  const first = rect('a', { x: 25, y: 25, width: 10, height: 10 })
  const { x, y } = placeFree(rect('b', { x: 25, y: 25, width: 10, height: 10 }), round, [first])
  for (const [dx, dy] of [
    [0, 0],
    [10, 0],
    [0, 10],
    [10, 10],
  ] as const) {
    assert.ok(Math.hypot(x + dx - 30, y + dy - 30) <= 26.001, `${x} ${y}`)
  }
  assert.ok(!overlap(first, { ...first, x, y }))
})
