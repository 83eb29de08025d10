import { iso31661 } from 'iso-3166'

export const COUNTRY_CODES: readonly string[] = iso31661.map(({ alpha2 }) => alpha2).sort()
