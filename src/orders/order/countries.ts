import { iso31661 } from 'iso-3166'
import { Type } from 'typebox'

export const COUNTRY_CODES: readonly string[] = iso31661.map(({ alpha2 }) => alpha2).sort()

/** A country by its ISO 3166-1 alpha-2 code. */
export const countryCode = (description: string) =>
  Type.Unsafe<string>({ title: 'CountryCode', type: 'string', enum: COUNTRY_CODES, description })
