import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max'
import type { ProblemDetail } from '../../platform/problem.ts'
import type { PostalAddress } from '../order/postal-address.ts'
import { orderProblems } from '../problems.ts'
import { readPostalCode } from './postal-codes.ts'
import { findSubdivision } from './subdivisions.ts'

/** Countries whose post does not deliver without the state or province, each with an example. */
const NEEDS_REGION: ReadonlyMap<string, string> = new Map([
  ['AU', 'NSW'],
  ['CA', 'ON'],
  ['US', 'CA'],
])

/**
 * Validates a postal address by the rules of its country, and normalizes it: trimmed texts, codes for regions of
 * Australia, Canada and the United States, upper-case postal codes. If the rules of a country are not certain, every
 * postal address there is accepted, so that no valid one is refused.
 *
 * @throws `address_invalid` with all faults in `errors`
 */
export function checkPostalAddress(sent: PostalAddress): PostalAddress {
  const address = tidy(sent)
  const errors: ProblemDetail[] = []
  const refuse = (name: keyof PostalAddress, code: string, detail: string) =>
    errors.push({ code, pointer: `/shippingAddress/${name}`, detail })

  const { country, region, phone } = address
  const postal = readPostalCode(country, address.postalCode)
  if (!postal.ok) {
    const isMissing = address.postalCode === undefined
    const detail = `Postal addresses in ${country} have a postal code, written like ${postal.expected}.`
    refuse('postalCode', isMissing ? 'required' : 'wrong_format', detail)
  } else if (postal.postalCode !== undefined) address.postalCode = postal.postalCode

  const example = NEEDS_REGION.get(country)
  if (example !== undefined) {
    const code = region === undefined ? undefined : findSubdivision(country, region)
    const detail = `Postal addresses in ${country} have a state, province or territory, such as ${example}.`
    if (code === undefined) refuse('region', region === undefined ? 'required' : 'region_unknown', detail)
    else address.region = code
  }

  if (phone !== undefined && !isPossiblePhone(phone, country)) {
    refuse('phone', 'wrong_format', 'No telephone number has this length. Begin with + and the country code.')
  }
  const [first] = errors
  if (first !== undefined) throw orderProblems.address_invalid({ detail: first.detail, errors })
  return address
}

/** Trims texts, collapses white space, and composes characters (NFC). */
function tidy(address: PostalAddress): PostalAddress {
  const entries = Object.entries(address).map(([name, text]) => [
    name,
    text.normalize('NFC').trim().replace(/\s+/g, ' '),
  ])
  return Object.fromEntries(entries) as PostalAddress
}

/**
 * Whether the number of digits is possible. Only the length is checked, because new number ranges appear faster than
 * any list is updated.
 */
function isPossiblePhone(phone: string, country: string): boolean {
  const home: CountryCode | undefined = isSupportedCountry(country) ? country : undefined
  // Customers also write foreign numbers with 00, or without a prefix.
  const asWritten = [
    parsePhoneNumberFromString(phone, home),
    parsePhoneNumberFromString(`+${phone.replace(/^[+0]+/, '')}`),
  ]
  return home === undefined || asWritten.some((number) => number?.isPossible())
}
