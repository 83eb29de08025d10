import { isCountryCode } from '@platen/app/postal-address'
import { readStored, store } from '@platen/app/session'
import type { PostalAddressInput } from '@platen/client'
import { rulesOf } from './address-rules.ts'

const FIELDS = [
  'country',
  'name',
  'company',
  'line1',
  'line2',
  'postalCode',
  'city',
  'region',
  'email',
  'phone',
] as const
export type AddressField = (typeof FIELDS)[number]

/** What the form of a postal address holds. Empty fields are empty texts. */
export type AddressValues = Readonly<Record<AddressField, string>>

export const isAddressField = (name: string): name is AddressField => FIELDS.some((field) => field === name)

const valuesFrom = (part: Partial<Record<AddressField, unknown>>): AddressValues =>
  Object.fromEntries(
    FIELDS.map((field) => [field, typeof part[field] === 'string' ? part[field] : '']),
  ) as AddressValues

/** Returns the values of an address that the service has. */
export const valuesOf = (address: PostalAddressInput): AddressValues => valuesFrom(address)

/** Returns an empty form, in the country that the language of the browser names. */
export function emptyValues(): AddressValues {
  const regions = navigator.languages.map((tag) => /-([A-Z]{2})$/.exec(tag)?.[1] ?? '')
  return valuesFrom({ country: regions.find(isCountryCode) ?? '' })
}

/** Returns the postal address in a form. Leaves out what its country does not have. */
export function addressOf(values: AddressValues): PostalAddressInput | undefined {
  const { country } = values
  if (!isCountryCode(country)) return undefined
  const rules = rulesOf(country)
  const sent = FIELDS.filter(
    (field) =>
      values[field].trim() !== '' &&
      !(field === 'region' && rules.region === 'none') &&
      !(field === 'postalCode' && rules.postalCode === 'none'),
  )
  const filled = Object.fromEntries(sent.map((field) => [field, values[field].trim()]))
  return { ...valuesOfRequired(values), ...filled, country }
}

const valuesOfRequired = ({ name, line1, city }: AddressValues) => ({ name, line1, city })

/** Returns the address of the last order from this browser. */
export function readAddress(owner: string): AddressValues | undefined {
  const text = readStored(`platen.address.${owner}`)
  if (text === undefined) return undefined
  try {
    return valuesFrom(JSON.parse(text) as Partial<Record<AddressField, unknown>>)
  } catch {
    return undefined
  }
}

export function rememberAddress(owner: string, values: AddressValues | undefined): void {
  store(`platen.address.${owner}`, values === undefined ? undefined : JSON.stringify(values))
}
