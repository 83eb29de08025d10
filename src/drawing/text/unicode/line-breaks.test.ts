import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { breakOpportunities, breaksByRule } from './line-breaks.ts'

const WORDS = [
  'abc',
  'Zażółć',
  "don't",
  'l’eau',
  '3.14',
  'Ελλάδα',
  'мир',
  'שלום',
  'مرحبا',
  'हिन्दी',
  'a\u0301',
  'I',
  '7',
]
const SIGNS = [...' ,.;:!?-–—"“”«»()[]/%$€#&…', '\u00a0', '\u00ad', '\u200b', '\u200d', '\u2060', '\u0301', '👍🏽']
const CJK = [...'日本語ーっカタ、。「」（）']

// The texts consist mostly of plain words, for which `breakOpportunities` uses its shortcut.
test('line breaks conform to UAX #14 with and without the shortcut', () => {
  const text = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...WORDS) },
      { weight: 4, arbitrary: fc.constant(' ') },
      { weight: 2, arbitrary: fc.constantFrom(...SIGNS) },
      { weight: 1, arbitrary: fc.constantFrom(...CJK) },
    ),
    { maxLength: 14 },
  )
  fc.assert(
    fc.property(text, (parts) => assert.deepEqual(breakOpportunities(parts.join('')), breaksByRule(parts.join('')))),
    { numRuns: 3_000 },
  )
})

test('each letter of the shortcut is a letter by the rules of UAX #14', () => {
  for (let code = 0x21; code < 0x3000; code++) {
    const letter = String.fromCharCode(code)
    for (const text of [`a ${letter}b c`, `a${letter}, b ${letter}`, `(${letter} b`, `a ${letter}'${letter} b`]) {
      assert.deepEqual(breakOpportunities(text), breaksByRule(text), text)
    }
  }
})

test('no line ends between an opening quotation mark and the word after it, but a line may end after this word', () => {
  assert.deepEqual(breakOpportunities('say “I am'), [4, 7, 9])
  assert.deepEqual(breakOpportunities('dit «\u0020le mot'), [4, 9, 12])
})
