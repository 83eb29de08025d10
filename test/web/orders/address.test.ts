import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ALL_COUNTRIES,
  HAS_NO_POSTAL_CODE,
  NEEDS_POSTAL_CODE,
  NEEDS_REGION,
} from '../../../packages/app/src/postal-address/country-sets.ts'
import { COUNTRY_CODES as SERVED } from '../../../src/orders/order/countries.ts'
import { checkPostalAddress } from '../../../src/orders/postal-address/check-postal-address.ts'
import { REQUIRED } from '../../../src/orders/postal-address/postal-codes.ts'
import { findSubdivision } from '../../../src/orders/postal-address/subdivisions.ts'
import { subdivisionsOf } from '../../../web/shop/src/checkout/address/subdivisions.ts'

test('the checkout offers the countries of the service, and asks for what the service requires there', () => {
  assert.deepEqual([...ALL_COUNTRIES].sort(), SERVED)
  assert.deepEqual([...NEEDS_POSTAL_CODE].sort(), [...REQUIRED.keys()].sort())
  for (const country of SERVED) {
    const postalCode = REQUIRED.get(country)
    const address = { name: 'Ada', line1: 'Street 1', city: 'City', country }
    const sent = postalCode === undefined ? address : { ...address, postalCode }
    if (NEEDS_REGION.has(country)) assert.throws(() => checkPostalAddress(sent), country)
    else assert.doesNotThrow(() => checkPostalAddress(sent), country)
    assert.ok(!(HAS_NO_POSTAL_CODE.has(country) && NEEDS_POSTAL_CODE.has(country)), country)
  }
})

test('the service knows every region that the checkout offers, by code and by name', () => {
  for (const country of NEEDS_REGION) {
    const regions = subdivisionsOf(country) ?? []
    assert.ok(regions.length >= 8, country)
    for (const { id, text } of regions) {
      assert.equal(findSubdivision(country, id), id)
      assert.equal(findSubdivision(country, text), id, `${country} ${text}`)
    }
  }
})
