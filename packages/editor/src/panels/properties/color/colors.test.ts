import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyState, rect } from '../../../factory.ts'
import { alphaOf, colorsOf, readHex, readPalette, withAlpha } from './colors.ts'
import { contrastOnPaper } from './contrast.ts'
import { rememberColor } from './recent-colors.ts'

test('typed colours are read in every usual form', () => {
  assert.deepEqual(['fa0', ' #FFAA00', '#11223380', '#112233ff', 'red', '#12345', ''].map(readHex), [
    '#FFAA00',
    '#FFAA00',
    '#11223380',
    '#112233',
    undefined,
    undefined,
    undefined,
  ])
})

test('the palette of a shop is read without what is no colour', () => {
  assert.deepEqual(readPalette('#c8322b, red,fa0,#C8322B, '), ['#C8322B', '#FFAA00'])
  assert.deepEqual(readPalette(''), [])
})

test('transparency is added to a colour and read back', () => {
  assert.equal(withAlpha('#112233', 0.5), '#11223380')
  assert.equal(withAlpha('#11223380', 1), '#112233')
  assert.ok(Math.abs(alphaOf('#11223380') - 0.5) < 0.01)
})

test('the colours of a design are listed once, the most frequent first', () => {
  const layers = [rect('a', { fill: '#aa0000' }), rect('b', { fill: '#00BB0080' }), rect('c', { fill: '#AA0000' })]
  assert.deepEqual(colorsOf(emptyState(layers).document), ['#AA0000', '#00BB00'])
})

test('the contrast on paper is that of WCAG, and transparency weakens it', () => {
  assert.ok(Math.abs(contrastOnPaper('#000000') - 21) < 1e-9)
  assert.ok(Math.abs(contrastOnPaper('#FFFFFF') - 1) < 1e-9)
  assert.ok(contrastOnPaper('#00000040') < 2)
})

test('recent colours are kept newest first, each once', () => {
  let recent: readonly string[] = []
  for (const color of ['#000001', '#000002', '#000001']) recent = rememberColor(recent, color)
  assert.deepEqual(recent, ['#000001', '#000002'])
})
