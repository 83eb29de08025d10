import assert from 'node:assert/strict'
import { test } from 'node:test'
import { minorDigits as digitsOfPages } from '../../../packages/ui/src/i18n/currencies.ts'
import { createFormats } from '../../../packages/ui/src/i18n/formats.ts'
import { minorDigits } from '../../platform/currencies.ts'
import { inUnits } from './money.ts'

test('pages divide amounts of every currency as the service does', () => {
  for (const currency of Intl.supportedValuesOf('currency')) {
    assert.equal(digitsOfPages(currency), minorDigits(currency), currency)
  }
})

test('amounts have the decimals of ISO 4217, also where Intl has others', () => {
  const { money } = createFormats('en')
  const cases = [
    ['EUR', '1,234.56', '1234.56'],
    ['JPY', '123,456', '123456'],
    ['HUF', '1,234.56', '1234.56'],
    ['IQD', '123.456', '123.456'],
    ['RSD', '1,234.56', '1234.56'],
  ] as const
  for (const [currency, shown, stated] of cases) {
    assert.equal(money({ amount: 123_456, currency }).replace(/[^\d.,]/g, ''), shown, currency)
    assert.equal(inUnits(123_456, currency), stated, currency)
  }
})
