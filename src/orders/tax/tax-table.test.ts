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

test('a region has its own rate by code or name, otherwise the rate of the country, otherwise none', () => {
  assert.deepEqual([taxTo('US', 'CA'), taxTo('US', 'california'), taxTo('US', 'US-CA')], [725, 725, 725])
  assert.deepEqual([taxTo('US', 'NY'), taxTo('US')], [100, 100])
  assert.deepEqual([taxTo('ES', 'Canarias'), taxTo('ES', 'Madrid'), taxTo('ES')], [700, 2100, 2100])
  assert.deepEqual([taxTo('CA', 'Québec'), taxTo('CA', 'ON'), taxTo('JP')], [1498, 0, 0])
})

test('a region that is named like an inherited object member has no rate of its own', () => {
  assert.deepEqual([taxTo('constructor', 'toString'), taxTo('US', '__proto__')], [0, 100])
})
