import assert from 'node:assert/strict'
import { test } from 'node:test'
import { minorDigits } from './currencies.ts'

test('amounts have the decimals of ISO 4217, even where custom omits them', () => {
  const codes = ['EUR', 'HUF', 'IDR', 'COP', 'JPY', 'ISK', 'KWD', 'IQD', 'CLF']
  assert.deepEqual(codes.map(minorDigits), [2, 2, 2, 2, 0, 0, 3, 3, 4])
})
