import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addUp, MAX_TOTAL } from './totals.ts'

const basket = fc.record({
  lines: fc.array(fc.integer({ min: 0, max: MAX_TOTAL / 100 }), { minLength: 1, maxLength: 50 }),
  shipping: fc.integer({ min: 0, max: 100_000 }),
  taxPercent: fc.integer({ min: 0, max: 30 }),
})

test('total = subtotal + shipping + tax, the tax exact to half a minor unit', () => {
  fc.assert(
    fc.property(basket, ({ lines, shipping, taxPercent }) => {
      const { subtotal, tax, total } = addUp('EUR', lines, shipping, { taxPercent, taxIncluded: false })
      assert.equal(
        subtotal,
        lines.reduce((sum, line) => sum + line, 0),
      )
      assert.equal(total, subtotal + shipping + tax)
      const doubleError = 200n * BigInt(tax) - 2n * BigInt(subtotal + shipping) * BigInt(taxPercent)
      assert.ok(-100n < doubleError && doubleError <= 100n)
    }),
  )
})

test('a contained tax leaves the total as it is', () => {
  fc.assert(
    fc.property(basket, ({ lines, shipping, taxPercent }) => {
      const { subtotal, tax, total } = addUp('EUR', lines, shipping, { taxPercent, taxIncluded: true })
      assert.equal(total, subtotal + shipping)
      const net = BigInt(total - tax)
      // Taxing what is left gives the tax again, but for what rounding to whole units may lose on the way.
      const again = net * BigInt(taxPercent) - 100n * BigInt(tax)
      assert.ok(again >= -100n && again <= 100n)
    }),
  )
})

test('half a minor unit of tax is rounded up, once for the whole order', () => {
  const rule = { taxPercent: 19, taxIncluded: false }
  assert.equal(addUp('EUR', [50], 0, rule).tax, 10)
  assert.equal(addUp('EUR', [25, 25], 0, rule).tax, 10)
  assert.equal(addUp('EUR', [49], 0, rule).tax, 9)
})
