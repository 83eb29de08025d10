import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromStripeAmount, toStripeAmount } from './amounts.ts'

// Each row is 5 units of the currency, first in minor units of ISO 4217, then in the unit that Stripe documents.
const FIVE: [currency: string, ours: number, stripes: number][] = [
  ['EUR', 500, 500],
  ['JPY', 5, 5],
  ['KWD', 5000, 5000],
  ['ISK', 5, 500],
  ['UGX', 5, 500],
  ['MGA', 500, 5],
  ['HUF', 500, 500],
]

test('amounts convert to the unit of Stripe and back', () => {
  for (const [currency, ours, stripes] of FIVE) {
    assert.equal(toStripeAmount(ours, currency), stripes, currency)
    assert.equal(fromStripeAmount(stripes, currency), ours, currency)
  }
})

test('an amount that Stripe cannot transfer exactly is refused', () => {
  assert.equal(toStripeAmount(5001, 'KWD'), undefined)
  assert.equal(toStripeAmount(501, 'MGA'), undefined)
})
