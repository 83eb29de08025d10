import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max'
import type { ProblemDetail } from '../../platform/problem.ts'
import type { PostalAddress } from '../order/postal-address.ts'
import { orderProblems } from '../problems.ts'
import { readPostalCode } from './postal-codes.ts'
import { findSubdivision } from './subdivisions.ts'

/** Countries where a label without the state or province is not delivered. */
const NEEDS_REGION: ReadonlyMap<string, string> = new Map([
  ['AU', 'NSW'],
  ['CA', 'ON'],
  ['US', 'CA'],
])

/**
 * Holds an address against the rules of its country, and writes it as mail does: no blanks around, regions of Australia,
 * Canada and the United States as their codes, postal codes in capitals. Where a country's rules are not certain,
 * everything is taken: a valid address is never refused.
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
    const detail = `Addresses in ${country} have a postal code, written like ${postal.expected}.`
    refuse('postalCode', isMissing ? 'required' : 'wrong_format', detail)
  } else if (postal.postalCode !== undefined) address.postalCode = postal.postalCode

  const example = NEEDS_REGION.get(country)
  if (example !== undefined) {
    const code = region === undefined ? undefined : findSubdivision(country, region)
    const detail = `Addresses in ${country} have a state, province or territory, such as ${example}.`
    if (code === undefined) refuse('region', region === undefined ? 'required' : 'region_unknown', detail)
    else address.region = code
  }

  if (phone !== undefined && !isPossiblePhone(phone, country)) {
    refuse('phone', 'wrong_format', 'No telephone number is of this length. Begin with + and the country code.')
  }
  const [first] = errors
  if (first !== undefined) throw orderProblems.address_invalid({ detail: first.detail, errors })
  return address
}

/** Without blanks around and inside of which nobody sees whether they are one or several, in composed characters (NFC). */
function tidy(address: PostalAddress): PostalAddress {
  const entries = Object.entries(address).map(([name, text]) => [
    name,
    text.normalize('NFC').trim().replace(/\s+/g, ' '),
  ])
  return Object.fromEntries(entries) as PostalAddress
}

/** Only the length is looked at: numbers are assigned faster than any list of them is updated. */
function isPossiblePhone(phone: string, country: string): boolean {
  const home: CountryCode | undefined = isSupportedCountry(country) ? country : undefined
  // Customers also write their foreign number with 00, or without anything in front.
  const asWritten = [
    parsePhoneNumberFromString(phone, home),
    parsePhoneNumberFromString(`+${phone.replace(/^[+0]+/, '')}`),
  ]
  return home === undefined || asWritten.some((number) => number?.isPossible())
}
