import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFormats } from './formats.ts'

test('a thousand prices need one number format for each currency', (t) => {
  const made = t.mock.method(Intl, 'NumberFormat').mock
  const { money } = createFormats('de')
  for (let amount = 0; amount < 1_000; amount += 1) {
    for (const currency of ['EUR', 'JPY']) money({ amount, currency })
  }
  assert.equal(made.callCount(), 2)
  assert.deepEqual(
    ['EUR', 'JPY'].map((currency) => money({ amount: 1_234, currency })),
    ['12,34\u00a0€', '1.234\u00a0¥'],
  )
})

test('the same number has the format of each call', () => {
  const { number, size, percent } = createFormats('en')
  const texts = [number(0.25), percent(0.25), number(0.25, { maximumFractionDigits: 1 }), size(0.25, 2)]
  assert.deepEqual(texts, ['0.25', '25%', '0.3', '0.3 × 2 mm'])
})

test('a time of the last minute is now, and the unit of a size stays beside it', () => {
  const { ago, bytes } = createFormats('de')
  assert.deepEqual([ago(new Date(Date.now() - 30_000).toISOString()), bytes(851_000)], ['jetzt', '851\u00a0kB'])
})
