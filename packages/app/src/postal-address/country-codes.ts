import type { CountryCode } from '@platen/client'
import { ALL_COUNTRIES } from './country-sets.ts'

/** All countries of ISO 3166-1. */
export const COUNTRY_CODES = [...ALL_COUNTRIES] as readonly CountryCode[]

export const isCountryCode = (text: string): text is CountryCode => ALL_COUNTRIES.has(text)
