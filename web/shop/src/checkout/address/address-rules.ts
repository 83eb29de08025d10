import { CITY_FIRST, HAS_NO_POSTAL_CODE, NEEDS_POSTAL_CODE, NEEDS_REGION } from '@platen/app/postal-address'
import type { CountryCode } from '@platen/client'
import type { MessageKey } from '@platen/ui'
import { type Subdivisions, subdivisionsOf } from './subdivisions.ts'

/** What the form of a postal address asks for in a country. The service checks what it receives. */
export interface AddressRules {
  postalCode: 'required' | 'optional' | 'none'
  postalCodeLabel: MessageKey
  /** Whether the postal code comes before the city. */
  isPostalCodeFirst: boolean
  region: 'required' | 'optional' | 'none'
  regionLabel: MessageKey
  /** The regions to choose from. Undefined: the customer writes it. */
  regions: Subdivisions | undefined
}

const REGION_LABELS: Readonly<Record<string, MessageKey>> = {
  AU: 'order.stateOrTerritory',
  CA: 'order.provinceOrTerritory',
  JP: 'order.prefecture',
  AE: 'order.emirate',
  ...Object.fromEntries(['BR', 'IN', 'MX', 'MY', 'NG', 'US', 'VE'].map((code) => [code, 'order.state'])),
  ...Object.fromEntries(['AR', 'CN', 'ES', 'ID', 'IT', 'KR', 'TH', 'ZA'].map((code) => [code, 'order.province'])),
  ...Object.fromEntries(['GB', 'IE'].map((code) => [code, 'order.county'])),
}

const POSTAL_CODE_LABELS: Readonly<Record<string, MessageKey>> = {
  US: 'order.zipCode',
  IN: 'order.pinCode',
  IE: 'order.eircode',
  ...Object.fromEntries(['AU', 'GB', 'NZ'].map((code) => [code, 'order.postcode'])),
}

export function rulesOf(country: CountryCode | undefined): AddressRules {
  const code = country ?? ''
  const postalCode = NEEDS_POSTAL_CODE.has(code) ? 'required' : HAS_NO_POSTAL_CODE.has(code) ? 'none' : 'optional'
  const regionLabel = REGION_LABELS[code]
  return {
    postalCode,
    postalCodeLabel: POSTAL_CODE_LABELS[code] ?? 'order.postalCode',
    isPostalCodeFirst: !CITY_FIRST.has(code),
    region: NEEDS_REGION.has(code) ? 'required' : regionLabel === undefined ? 'none' : 'optional',
    regionLabel: regionLabel ?? 'order.state',
    regions: subdivisionsOf(code),
  }
}
