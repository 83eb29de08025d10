export { COUNTRY_CODES, isCountryCode } from './country-codes.ts'
export { CITY_FIRST, HAS_NO_POSTAL_CODE, NEEDS_POSTAL_CODE, NEEDS_REGION } from './country-sets.ts'
export { PostalAddressLines } from './postal-address-lines.tsx'
