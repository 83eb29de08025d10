import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Choice, readChoices, writeChoices } from './options-cell.ts'

const choices = (...pairs: [string, string][]): Choice[] => pairs.map(([name, value]) => ({ name, value }))

test('choices are read as they are written, whatever characters they contain', () => {
  for (const written of [
    choices(['Paper', 'matt'], ['Finish', 'gloss']),
    choices(['Size: outside', '10:15'], ['a;b', 'c; d: "e"']),
    choices(['"', '""'], [';', ':']),
    choices(['Size', '8" x 10"'], ['"A": b', '"c']),
    [],
  ]) {
    assert.deepEqual(readChoices(writeChoices(written)), written)
  }
})

test('choices are read with any spaces, and with colons and inches in values that are not quoted', () => {
  assert.deepEqual(readChoices(' Paper :matt;Ratio: 2:3 ; ;'), choices(['Paper', 'matt'], ['Ratio', '2:3']))
  assert.deepEqual(
    readChoices('Size: 8" x 10"; Paper: "matt" thick'),
    choices(['Size', '8" x 10"'], ['Paper', '"matt" thick']),
  )
})

test('text of another form is not read as choices', () => {
  for (const text of ['Paper', 'Paper:', ': matt', '"": matt', '"Paper: matt"', 'Paper: ""', 'a: b; c', '"']) {
    assert.equal(readChoices(text), undefined, text)
  }
})
