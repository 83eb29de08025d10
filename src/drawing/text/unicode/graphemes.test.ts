import assert from 'node:assert/strict'
import { test } from 'node:test'
import { graphemesOf, isOneUnitEach } from './graphemes.ts'

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
const lengths = (text: string) => Array.from(segmenter.segment(text), ({ segment }) => segment.length)

test('characters of the fast path never form a grapheme with their neighbours', () => {
  // One character of each kind that UAX #29 joins with neighbours: letters, marks, joiners, jamo, flags, modifiers,
  // conjuncts, and signs before digits.
  const neighbours = [
    'a',
    'ก',
    '\u0301',
    '\u200d',
    '\u1100',
    '\u1161',
    '\u11a8',
    '가',
    '🇩',
    '🏽',
    '☝',
    'क',
    '्',
    '\u0600',
  ]
  for (let code = 0x20; code < 0xd800; code++) {
    const character = String.fromCharCode(code)
    if (/[\p{Cc}\u2028\u2029]/u.test(character) || !isOneUnitEach(character)) continue
    for (const other of neighbours.filter(isOneUnitEach)) {
      for (const pair of [character + other, other + character]) assert.deepEqual(lengths(pair), [1, 1], pair)
    }
  }
})

test('grapheme clusters are not split', () => {
  const text = 'e\u0301 👨‍👩‍👧 각 क्षि 🇩🇪x'
  assert.deepEqual(
    Array.from(graphemesOf(text), ({ segment }) => segment),
    Array.from(segmenter.segment(text), ({ segment }) => segment),
  )
})
