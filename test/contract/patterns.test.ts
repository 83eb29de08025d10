import assert from 'node:assert/strict'
import { test } from 'node:test'
import { line, paragraph } from '../../src/platform/http/input/text.ts'
import { portablePatterns } from '../../src/platform/http/operations/document/patterns.ts'
import { contract, visitObjects } from './document.ts'

test('patterns compile with and without the Unicode flag', () => {
  visitObjects(contract, ({ pattern }, place) => {
    if (typeof pattern !== 'string') return
    for (const flag of ['', 'u']) assert.doesNotThrow(() => new RegExp(pattern, flag), `${place} ${flag}`)
    assert.doesNotMatch(pattern, /\\p\{/i, place)
  })
})

test('documented patterns accept everything that the service accepts', () => {
  const texts = [
    'Ada',
    'Zoë 🎁',
    '名前',
    'two\nlines',
    'bell\u0007',
    'line\u2028separator',
    '\u202eturned',
    '\u00ad',
    '',
  ]
  for (const schema of [line(100), paragraph(100)]) {
    const { pattern } = schema as { pattern?: string }
    assert.ok(pattern !== undefined)
    const { pattern: documented } = portablePatterns({ pattern })
    for (const text of texts) {
      const isAccepted = new RegExp(pattern, 'u').test(text)
      if (isAccepted) assert.match(text, new RegExp(documented))
    }
    for (const text of ['bell\u0007', '\u202eturned', '']) assert.doesNotMatch(text, new RegExp(documented))
  }
})

test('a pattern with a property that the document cannot express is an error', () => {
  assert.throws(() => portablePatterns({ pattern: '^\\p{Script=Greek}$' }), /cannot express/)
})
