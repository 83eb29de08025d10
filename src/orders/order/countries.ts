import { iso31661 } from 'iso-3166'

/** The assigned two-letter country codes of ISO 3166-1. */
export const COUNTRY_CODES: readonly string[] = iso31661.map(({ alpha2 }) => alpha2).sort()
