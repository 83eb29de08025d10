import { iso31662 } from 'iso-3166'

/** Where mail of the United States' forces is sent to: no subdivisions of ISO 3166-2, but states to the post. */
const ARMED_FORCES = [
  ['US-AA', 'Armed Forces Americas'],
  ['US-AE', 'Armed Forces Europe'],
  ['US-AP', 'Armed Forces Pacific'],
] as const

/** Codes by country, and in it by code and by name, both folded. */
const codes = new Map<string, Map<string, string>>()

for (const [fullCode, name] of [...iso31662.map((one) => [one.code, one.name] as const), ...ARMED_FORCES]) {
  const [country = '', code = ''] = fullCode.split('-')
  const known = codes.get(country) ?? new Map<string, string>()
  known.set(fold(code), code)
  // Where two have one name, such as a region and a province in it, the first is meant.
  if (!known.has(fold(name))) known.set(fold(name), code)
  codes.set(country, known)
}

/** The code of a subdivision within its country (ISO 3166-2), from its code or its name in any spelling of capitals and accents. */
export function findSubdivision(country: string, region: string): string | undefined {
  const known = codes.get(country)
  const text = fold(region)
  const prefix = `${country.toLowerCase()}-`
  return known?.get(text.startsWith(prefix) ? text.slice(prefix.length) : text)
}

function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').trim().toLowerCase()
}
