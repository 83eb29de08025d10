import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Choice, readChoices, writeChoices } from './options-cell.ts'

const choices = (...pairs: [string, string][]): Choice[] => pairs.map(([name, value]) => ({ name, value }))

test('choices are read as they are written, whatever characters they contain', () => {
  for (const written of [
    choices(['Paper', 'matt'], ['Finish', 'gloss']),
    choices(['Size: outside', '10:15'], ['a;b', 'c; d: "e"']),
    choices(['"', '""'], [';', ':']),
    [],
  ]) {
    assert.deepEqual(readChoices(writeChoices(written)), written)
  }
})

test('choices are read with any spaces, and with a colon in a value that is not quoted', () => {
  assert.deepEqual(readChoices(' Paper :matt;Ratio: 2:3 ; ;'), choices(['Paper', 'matt'], ['Ratio', '2:3']))
})

test('text of another form is not read as choices', () => {
  for (const text of [
    'Paper',
    'Paper:',
    ': matt',
    '"": matt',
    '"Paper: matt',
    'Paper: "matt" thick',
    'a: b; c',
    '"',
    'a: "b" "c"',
    'a "b": c',
  ]) {
    assert.equal(readChoices(text), undefined, text)
  }
})
