import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readWeightedValues } from './weighted-values.ts'

test('values are read with their weights, and what is not a number refuses a value', () => {
  assert.deepEqual(readWeightedValues('image/png;q=0.5, */*;level=1;Q=0 ,br;q=x,de'), [
    { value: 'image/png', weight: 0.5 },
    { value: '*/*', weight: 0 },
    { value: 'br', weight: 0 },
    { value: 'de', weight: 1 },
  ])
})

test('of a header with thousands of values, only the first ones are read', () => {
  assert.equal(readWeightedValues(`${','.repeat(30_000)}image/png`).length, 1_001)
})
