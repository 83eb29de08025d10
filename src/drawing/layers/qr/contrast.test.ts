import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Layer } from '../../document/layer-types.ts'
import { qrLayer, shapeLayer, textLayer } from '../../factory.ts'
import { symbolContrast } from './contrast.ts'

const code = (fields: Parameters<typeof qrLayer>[0] = {}) => qrLayer({ x: 20, y: 20, width: 30, height: 30, ...fields })
const percent = (layer: ReturnType<typeof code>, ...below: Layer[]) =>
  Math.round(100 * symbolContrast(layer, [...below, layer]))
const dark = shapeLayer({ id: 'dark', x: 0, y: 0, width: 100, height: 100, fill: '#202020' })

test('black on white has full contrast, equal colours have none, light on dark is negative', () => {
  assert.equal(percent(code()), 100)
  assert.equal(percent(code({ color: '#FFFFFF' })), 0)
  assert.equal(percent(code({ color: '#FFFFFF', background: '#000000' })), -100)
})

test('an opaque background hides layers below, and a translucent one includes them', () => {
  assert.equal(percent(code(), dark), 100)
  assert.equal(percent(code({ background: '#FFFFFF00' })), 100)
  assert.equal(percent(code({ background: '#FFFFFF00' }), dark), 1)
  assert.equal(percent(code({ background: '#FFFFFF80' }), dark), 28)
  // White modules on a dark ground are inverted even if they are readable.
  assert.equal(percent(code({ background: '#FFFFFF00', color: '#FFFFFF' }), dark), -99)
})

test('a translucent code fades as one group', () => {
  assert.equal(percent(code({ opacity: 0.5 })), 79)
  // The group of the code fades over the dark ground. Black and white do not fade separately.
  assert.equal(percent(code({ opacity: 0.5 }), dark), 27)
})

test('only layers below the code count, and the part of the code with the lowest contrast decides', () => {
  const clear = code({ background: '#FFFFFF00' })
  assert.equal(Math.round(100 * symbolContrast(clear, [clear, dark])), 100)
  assert.equal(percent(clear, { ...dark, x: 50.001 }), 100)
  assert.equal(percent(clear, { ...dark, x: 49.9 }), 1)
  const light = shapeLayer({ id: 'light', x: 19, y: 19, width: 32, height: 32, fill: '#FFFFFF' })
  assert.equal(percent(clear, dark, light), 100)
  assert.equal(percent(clear, dark, { ...light, shape: 'ellipse' }), 1, 'its corners stand on the dark')
  assert.equal(percent(clear, { ...dark, shape: 'line' }), 100, 'a line has no fill')
  assert.equal(percent(clear, { ...dark, opacity: 0 }), 100)
  assert.equal(percent(clear, textLayer({ x: 20, y: 20, text: 'MMM' })), 100)
})

test('the effort for any number of shapes below a code is bounded', () => {
  const stripes = Array.from({ length: 150 }, (_, i) =>
    shapeLayer({
      id: `s${i}`,
      x: 20 + i / 10,
      y: 10,
      width: 1,
      height: 99,
      fill: `#${(i + 16).toString(16).padStart(2, '0').repeat(3)}80`,
    }),
  )
  assert.ok(percent(code({ background: '#FFFFFF00' }), ...stripes) < 60)
})
