import assert from 'node:assert/strict'
import { test } from 'node:test'
import { taxByTable } from './tax-table.ts'

const settings = {
  taxIncluded: false,
  rates: [
    { country: 'US', region: 'CA', basisPoints: 725 },
    { country: 'US', basisPoints: 100 },
    { country: 'ES', basisPoints: 2100 },
    { country: 'ES', region: 'CN', basisPoints: 700 },
    { country: 'CA', region: 'QC', basisPoints: 1498 },
  ],
}
const taxTo = (country: string, region?: string) =>
  taxByTable(settings, { country, ...(region === undefined ? {} : { region }) })({
    currency: 'EUR',
    lines: [9_000],
    shipping: 1_000,
  }).tax

test('a region uses its own rate by code or name, else the rate of the country, else none', () => {
  assert.deepEqual([taxTo('US', 'CA'), taxTo('US', 'california'), taxTo('US', 'US-CA')], [725, 725, 725])
  assert.deepEqual([taxTo('US', 'NY'), taxTo('US')], [100, 100])
  assert.deepEqual([taxTo('ES', 'Canarias'), taxTo('ES', 'Madrid'), taxTo('ES')], [700, 2100, 2100])
  assert.deepEqual([taxTo('CA', 'Québec'), taxTo('CA', 'ON'), taxTo('JP')], [1498, 0, 0])
})

test('names of inherited object members match no region', () => {
  assert.deepEqual([taxTo('constructor', 'toString'), taxTo('US', '__proto__')], [0, 100])
})
