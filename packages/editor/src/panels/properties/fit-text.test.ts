import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TextLayer } from '@platen/drawing'
import { PT_PER_MM } from '@platen/drawing'
import { fittingBox, fittingSize } from './fit-text.ts'

const layer = {
  ...{ id: 't', type: 'text', x: 10, y: 10, width: 50, height: 20, rotation: 0, opacity: 1, text: 'word' },
  ...{ fontFamily: 'Inter', fontSizePt: 8, fontWeight: 400, fontStyle: 'normal', color: '#000000', align: 'left' },
  ...{ verticalAlign: 'bottom', lineHeight: 1.2, letterSpacing: 0 },
} as TextLayer

/** A font whose letters are half as wide as they are high. */
const engine = {
  layoutOf: ({ text, fontSizePt, lineHeight }: TextLayer) => ({
    layout: { widthPt: text.length * fontSizePt * 0.5, heightPt: fontSizePt * lineHeight },
  }),
}

test('a text grows to the largest size that fits its box', () => {
  const size = fittingSize(layer, engine) ?? 0
  assert.ok(size * 1.2 <= 20 * PT_PER_MM + 0.01 && (size + 0.1) * 1.2 > 20 * PT_PER_MM)
  assert.equal(fittingSize({ ...layer, width: 0.5 }, engine), undefined)
  assert.equal(fittingSize({ ...layer, text: ' ' }, engine), undefined)
})

test('a box shrinks to its text, and the aligned side stays', () => {
  const fitted = fittingBox(layer, engine)
  assert.ok(fitted !== undefined && Math.abs(fitted.height - 9.6 / PT_PER_MM) < 0.001)
  assert.ok(Math.abs(fitted.y + fitted.height - 30) < 0.001)
  assert.equal(fittingBox(layer, { layoutOf: () => undefined }), undefined)
})
