import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Problem } from '../../platform/problem.ts'
import { chooseOffer, lowestOffers, offersFor, type ShippingMethod } from './offers.ts'
import { checkMethod } from './rules.ts'

const eur = (amount: number) => [{ amount, currency: 'EUR' }]
const method = (id: string, zones: ShippingMethod['zones']): ShippingMethod => ({
  id,
  name: id,
  estimatedDays: { min: 1, max: 2 },
  zones,
})

const METHODS = [
  method('letter', [{ countries: ['DE'], rates: [{ maxWeightGrams: 1_000, prices: eur(290) }] }]),
  method('parcel', [
    { countries: ['*'], rates: [{ prices: eur(1_990) }] },
    {
      countries: ['DE', 'AT'],
      rates: [
        { maxWeightGrams: 1_000, prices: [...eur(490), { amount: 450, currency: 'GBP' }] },
        { maxWeightGrams: 30_000, prices: eur(990) },
      ],
    },
  ]),
]

const amounts = (country: string, weightGrams: number, currency = 'EUR') =>
  offersFor(METHODS, { country, weightGrams, currency }).map(({ id, amount }) => `${id} ${amount}`)

test('the price comes from the zone of the country and the first rate for the weight', () => {
  assert.deepEqual(amounts('DE', 1_000), ['letter 290', 'parcel 490'])
  assert.deepEqual(amounts('DE', 1_001), ['parcel 990'])
  assert.deepEqual(amounts('AT', 10), ['parcel 490'])
  assert.deepEqual(amounts('JP', 900_000), ['parcel 1990'])
  assert.deepEqual(amounts('DE', 10, 'GBP'), ['parcel 450'])
  // A country with a zone of its own does not fall back to the wildcard zone.
  assert.deepEqual(amounts('DE', 30_001), [])
  // A rate without a price in the currency does not fall back to the next rate.
  assert.deepEqual(amounts('DE', 1_001, 'GBP'), [])
})

test('without a country, the lowest price is listed', () => {
  const lowest = (country?: string) =>
    lowestOffers(METHODS, { currency: 'EUR', weightGrams: 0, country }).map(({ amount }) => amount)
  assert.deepEqual(lowest(), [290, 490])
  assert.deepEqual(lowest('JP'), [1_990])
})

test('if no method can ship a parcel, the response states why', () => {
  const refusal = (methods: ShippingMethod[], country: string, weightGrams: number, currency: string, id?: string) => {
    try {
      return chooseOffer(methods, { country, weightGrams, currency }, id).id
    } catch (error) {
      assert.ok(error instanceof Problem)
      return `${error.code} ${error.extras.errors?.[0]?.pointer} ${error.extras.errors?.[0]?.detail}`
    }
  }
  const [letter = method('', [])] = METHODS
  assert.equal(refusal(METHODS, 'DE', 5, 'EUR'), 'letter')
  assert.equal(refusal(METHODS, 'DE', 5, 'EUR', 'parcel'), 'parcel')
  assert.match(refusal([], 'DE', 5, 'EUR'), /^shipping_unavailable \/shippingMethod This shop has no/)
  assert.match(
    refusal([letter], 'FR', 5, 'EUR'),
    /^shipping_unavailable \/shippingAddress\/country No shipping method delivers to FR/,
  )
  assert.match(refusal([letter], 'DE', 1_500, 'EUR'), /^shipping_unavailable \/items .*1500 g.*1000 g/)
  assert.match(refusal(METHODS, 'DE', 5, 'JPY'), /^shipping_unavailable \/items .*JPY/)
  assert.match(refusal(METHODS, 'AT', 5, 'EUR', 'letter'), /^shipping_unavailable \/shippingMethod .*AT.*parcel/)
  assert.match(refusal(METHODS, 'DE', 5, 'EUR', 'pigeon'), /^shipping_method_unknown \/shippingMethod .*letter, parcel/)
})

test('a heavier parcel never uses an earlier rate', () => {
  const weight = fc.integer({ min: 0, max: 40_000 })
  fc.assert(
    fc.property(weight, weight, fc.constantFrom('DE', 'AT', 'US'), (one, other, country) => {
      const offered = (weightGrams: number) =>
        offersFor(METHODS, { country, weightGrams, currency: 'EUR' }).find(({ id }) => id === 'parcel')?.amount ?? 1e9
      assert.ok(offered(Math.min(one, other)) <= offered(Math.max(one, other)))
    }),
  )
})

test('an inconsistent shipping method is refused with pointers', () => {
  const faults = (zones: ShippingMethod['zones'], days = { min: 1, max: 2 }) =>
    checkMethod({ ...method('m', zones), estimatedDays: days }).map(({ code, pointer }) => `${code} ${pointer}`)
  const rates = [{ prices: eur(1) }]
  assert.deepEqual(METHODS.flatMap(checkMethod), [])
  assert.deepEqual(faults([], { min: 3, max: 2 }), ['days_descending /estimatedDays/max'])
  assert.deepEqual(
    faults([
      { countries: ['DE', 'DE'], rates },
      { countries: ['FR', 'DE', '*'], rates },
    ]),
    ['duplicate /zones/0/countries/1', 'duplicate /zones/1/countries/1', 'wildcard_not_alone /zones/1/countries/2'],
  )
  assert.deepEqual(
    faults([
      {
        countries: ['*'],
        rates: [
          { maxWeightGrams: 10, prices: [...eur(1), ...eur(2)] },
          { maxWeightGrams: 10, prices: eur(1) },
          { prices: [{ amount: 1, currency: 'XXX' }] },
          { maxWeightGrams: 20, prices: eur(1) },
        ],
      },
    ]),
    [
      'duplicate /zones/0/rates/0/prices/1/currency',
      'rates_not_ascending /zones/0/rates/1',
      'currency_unknown /zones/0/rates/2/prices/0/currency',
      'rates_not_ascending /zones/0/rates/3',
    ],
  )
})
