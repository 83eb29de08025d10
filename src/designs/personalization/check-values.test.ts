import assert from 'node:assert/strict'
import { test } from 'node:test'
import { normalizeDocument } from '../../drawing/index.ts'
import { loadFonts } from '../../rendering/index.ts'
import { CARD, documentOf, textLayer } from '../factory.ts'
import { checkValues } from './check-values.ts'

const fonts = loadFonts().book

function faults(layers: Parameters<typeof documentOf>[0], values: Record<string, string>) {
  const document = normalizeDocument(documentOf(layers))
  return checkValues({ document, printAreas: CARD.printAreas, fonts }, values).map(({ code, name }) => [code, name])
}

test('what would be wrong with any value is not the value’s fault', () => {
  const tiny = textLayer('Hello {{name}}', { fontSizePt: 3 })
  assert.deepEqual(faults([tiny], { name: 'Ann' }), [])
  assert.deepEqual(faults([tiny], { name: 'A\u0378' }), [['glyphs_missing', 'name']])
})

test('layers without placeholders are not looked at, nor is a required area that stays empty', () => {
  assert.deepEqual(faults([textLayer('Much too long for its box '.repeat(20))], {}), [])
})

test('a value is blamed that has the fault by itself; all are where only their sum has it', () => {
  const pair = textLayer('{{first}} {{last}}', { width: 40, height: 6 })
  assert.deepEqual(faults([pair], { first: 'Ann', last: 'Lee' }), [])
  assert.deepEqual(faults([pair], { first: 'Ann', last: '\u0378' }), [['glyphs_missing', 'last']])
  const both = faults([pair], { first: 'Wolfgang Amadé', last: 'Mozart of Salzburg' })
  assert.deepEqual(both, [
    ['text_overflow', 'first'],
    ['text_overflow', 'last'],
  ])
})

test('values are counted as often as they are named, and all texts together', () => {
  const long = 'x '.repeat(1000)
  assert.deepEqual(faults([textLayer('{{a}}'.repeat(6))], { a: long }), [['too_much_text', 'a']])
  const layers = ['a', 'b', 'c'].map((id, index) => textLayer('{{v}}'.repeat(4), { id, y: index * 15 }))
  assert.equal(faults(layers, { v: long }).at(-1)?.[0], 'too_much_text')
  const code = { id: 'code', type: 'qr', x: 10, y: 10, width: 30, height: 30, value: '{{v}}{{v}}{{v}}{{v}}' } as const
  assert.deepEqual(faults([code], { v: long }), [['qr_value_too_long', 'v']])
})
