import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bidiLevels, visualOrder } from './bidi.ts'

const levels = (text: string) => Array.from(bidiLevels(text).levels ?? new Uint8Array(text.length)).join('')

// The cases come from UAX #9: its examples for rules W1 to W7, N0 to N2 and X5a to X6a.
test('numbers, brackets and neutrals take the direction that UAX #9 gives them', () => {
  for (const [text, expected] of [
    ['abc', '000'],
    ['אבג 123', '1111222'],
    ['א 12%', '11222'],
    ['ا 1+2', '11212'],
    ['א 1+2', '11222'],
    ['a (b) א', '0000001'],
    ['א (b) c', '1112112'],
    ['א (ב) 1', '1111112'],
    ['a \u2067א!\u2069 b', '00011000'],
    ['א \u2066a!\u2069ב', '1112211'],
  ] as const) {
    assert.equal(levels(text), expected, text)
  }
})

test('the first strong letter decides the direction of a paragraph', () => {
  assert.equal(bidiLevels('12 אבג abc').base, 1)
  assert.equal(bidiLevels('12 abc אבג').base, 0)
  assert.equal(bidiLevels('\u200fabc').base, 1)
})

test('letters outside the basic plane have their direction', () => {
  assert.equal(levels('\u{1e900}\u{1e901}'), '1111')
  assert.equal(levels('א \u{1d400}'), '1122')
  assert.equal(levels('א \u{1f600} ב'), '111111')
})

test('runs are reversed from the highest level down', () => {
  const order = (given: string) =>
    visualOrder([...given].map((level, index) => ({ level: Number(level), index })))
      .map(({ index }) => index)
      .join('')
  assert.equal(order('000'), '012')
  assert.equal(order('111'), '210')
  assert.equal(order('0112'), '0321')
  assert.equal(order('121'), '210')
  assert.equal(order('1221'), '3120')
})
