import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeConflict } from './field-texts.ts'

test('values of a conflict are written as the customer reads them elsewhere', () => {
  const layer = { id: 'a', type: 'text', opacity: 0.39, rotation: 12.345 }
  const conflict = { fields: ['opacity', 'rotation'], mine: layer, theirs: { ...layer, opacity: 1 } }
  const { mine, theirs } = describeConflict(conflict as never, (key) => key, 'de')
  assert.deepEqual(
    [mine[0], theirs[0]].map((text) => text?.replace(/\s/gu, ' ')),
    ['opacity: 39 %', 'opacity: 100 %'],
  )
  assert.equal(mine[1], 'rotation: 12,35')
})
