import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Layer } from '../../document/layer-types.ts'
import { qrLayer, shapeLayer, textLayer } from '../../factory.ts'
import { symbolContrast } from './contrast.ts'

const code = (fields: Parameters<typeof qrLayer>[0] = {}) => qrLayer({ x: 20, y: 20, width: 30, height: 30, ...fields })
const percent = (layer: ReturnType<typeof code>, ...below: Layer[]) =>
  Math.round(100 * symbolContrast(layer, [...below, layer]))
const dark = shapeLayer({ id: 'dark', x: 0, y: 0, width: 100, height: 100, fill: '#202020' })

test('black on white has all contrast, equal colours none, light on dark less than none', () => {
  assert.equal(percent(code()), 100)
  assert.equal(percent(code({ color: '#FFFFFF' })), 0)
  assert.equal(percent(code({ color: '#FFFFFF', background: '#000000' })), -100)
})

test('an opaque background hides what lies below, a see-through one lets it count', () => {
  assert.equal(percent(code(), dark), 100)
  assert.equal(percent(code({ background: '#FFFFFF00' })), 100)
  assert.equal(percent(code({ background: '#FFFFFF00' }), dark), 1)
  assert.equal(percent(code({ background: '#FFFFFF80' }), dark), 28)
  // White modules that are read against a dark ground are still the wrong way round.
  assert.equal(percent(code({ background: '#FFFFFF00', color: '#FFFFFF' }), dark), -99)
})

test('a code that is not opaque fades as a whole', () => {
  assert.equal(percent(code({ opacity: 0.5 })), 79)
  // Half of black over half of white over dark, not black over that mixture.
  assert.equal(percent(code({ opacity: 0.5 }), dark), 27)
})

test('only what lies below and under the code counts, and partly covered is judged by the worse part', () => {
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

test('any number of shapes below is judged in bounded work', () => {
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
