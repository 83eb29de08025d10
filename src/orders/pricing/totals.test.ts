import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { unitAmountFor } from '../../products/index.ts'
import { taxByTable } from '../tax/tax-table.ts'
import { calculateAmounts, MAX_TOTAL } from './totals.ts'

/** Unit price times quantity, each up to the limit of the API, so that totals far exceed `MAX_TOTAL`. */
const line = fc
  .record({
    unitAmount: fc.integer({ min: 0, max: 1_000_000_000 }),
    quantity: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 100_000 })),
  })
  .map(({ unitAmount, quantity }) => unitAmount * quantity)

const sale = fc.record({
  lines: fc.oneof(
    fc.array(fc.integer({ min: 0, max: 200 }), { minLength: 1, maxLength: 5 }),
    fc.array(line, { minLength: 1, maxLength: 20 }),
  ),
  shipping: fc.integer({ min: 0, max: 100_000 }),
  basisPoints: fc.integer({ min: 0, max: 10_000 }),
  // Currencies with no, two and three decimals. The result must not depend on the number of decimals.
  currency: fc.constantFrom('JPY', 'EUR', 'KWD'),
})

function taxAt(basisPoints: number, taxIncluded: boolean) {
  return taxByTable({ taxIncluded, rates: [{ country: 'DE', basisPoints }] }, { country: 'DE' })
}

const sum = (lines: readonly number[]) => lines.reduce((total, one) => total + one, 0)

test('excluded tax is added to the total, rounded once with halves up', () => {
  fc.assert(
    fc.property(sale, ({ currency, lines, shipping, basisPoints }) => {
      const amounts = calculateAmounts(currency, lines, shipping, taxAt(basisPoints, false))
      const { subtotal, tax, total } = amounts
      assert.equal(subtotal, sum(lines))
      assert.equal(amounts.shipping, shipping)
      assert.equal(total, subtotal + shipping + tax)
      assert.ok([subtotal, tax, total].every(Number.isSafeInteger))
      assert.deepEqual([amounts.currency, amounts.taxIncluded], [currency, false])
      const doubleError = 20_000n * BigInt(tax) - 2n * BigInt(subtotal + shipping) * BigInt(basisPoints)
      assert.ok(-10_000n < doubleError && doubleError <= 10_000n)
    }),
  )
})

test('included tax does not change the total', () => {
  fc.assert(
    fc.property(sale, ({ currency, lines, shipping, basisPoints }) => {
      const { subtotal, tax, total } = calculateAmounts(currency, lines, shipping, taxAt(basisPoints, true))
      assert.equal(total, subtotal + shipping)
      assert.ok(Number.isSafeInteger(tax) && 0 <= tax && 2 * tax <= total + 1)
      const doubleError = 2n * BigInt(tax) * BigInt(10_000 + basisPoints) - 2n * BigInt(total) * BigInt(basisPoints)
      const whole = BigInt(10_000 + basisPoints)
      assert.ok(-whole < doubleError && doubleError <= whole)
    }),
  )
})

test('the tax does not depend on how pieces are split into items', () => {
  fc.assert(
    fc.property(sale, fc.boolean(), ({ currency, lines, shipping, basisPoints }, taxIncluded) => {
      const calculate = taxAt(basisPoints, taxIncluded)
      assert.deepEqual(
        calculateAmounts(currency, [sum(lines)], shipping, calculate),
        calculateAmounts(currency, lines, shipping, calculate),
      )
    }),
  )
})

test('half a unit is rounded up once per order', () => {
  const tax = (lines: number[], basisPoints: number, taxIncluded = false) =>
    calculateAmounts('EUR', lines, 0, taxAt(basisPoints, taxIncluded)).tax
  assert.equal(tax([50], 1900), 10)
  assert.equal(tax([25, 25], 1900), 10)
  assert.equal(tax([49], 1900), 9)
  // At 7.7 %, the tax is 0.9625 for 12.50 and 0.5005 for 6.50.
  assert.deepEqual([tax([1250], 770), tax([650], 770)], [96, 50])
  // An amount of 1.19 includes a tax of 0.19 at 19 %, and 3 includes 1.5 at 100 %.
  assert.deepEqual([tax([119], 1900, true), tax([3], 10_000, true)], [19, 2])
})

test('the tax is exact beyond the safe integers', () => {
  const base = 999_999_995_001
  assert.ok(base < MAX_TOTAL && base * 9_999 > Number.MAX_SAFE_INTEGER)
  assert.equal(calculateAmounts('EUR', [base], 0, taxAt(9_999, false)).tax, 999_899_995_001)
})

const tiers = fc.uniqueArray(fc.integer({ min: 2, max: 1_000_000 }), { maxLength: 49 }).chain((quantities) =>
  fc
    .array(fc.integer({ min: 0, max: 1_000_000_000 }), {
      minLength: quantities.length + 1,
      maxLength: quantities.length + 1,
    })
    .map((amounts) =>
      [1, ...quantities.sort((a, b) => a - b)].map((minQuantity, index) => ({
        minQuantity,
        unitAmount: amounts[index] ?? 0,
      })),
    ),
)

test('a quantity uses the highest price tier that it reaches', () => {
  const quantity = fc.integer({ min: 1, max: 1_000_000 })
  fc.assert(
    fc.property(tiers, quantity, quantity, (table, one, other) => {
      const tierOf = (pieces: number) => Math.max(...table.map((tier, i) => (tier.minQuantity <= pieces ? i : 0)))
      const [fewer, more] = [Math.min(one, other), Math.max(one, other)]
      assert.equal(unitAmountFor(table, fewer), table[tierOf(fewer)]?.unitAmount)
      assert.ok(tierOf(fewer) <= tierOf(more))
      for (const { minQuantity, unitAmount } of table) assert.equal(unitAmountFor(table, minQuantity), unitAmount)
    }),
  )
})
