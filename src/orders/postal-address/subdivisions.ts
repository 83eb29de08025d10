import { iso31662 } from 'iso-3166'

/** Destinations of military mail. They are states for the post, but no subdivisions in ISO 3166-2. */
const ARMED_FORCES = [
  ['US-AA', 'Armed Forces Americas'],
  ['US-AE', 'Armed Forces Europe'],
  ['US-AP', 'Armed Forces Pacific'],
] as const

/** Codes by country, then by folded code and by folded name. */
const codes = new Map<string, Map<string, string>>()

for (const [fullCode, name] of [...iso31662.map((one) => [one.code, one.name] as const), ...ARMED_FORCES]) {
  const [country = '', code = ''] = fullCode.split('-')
  const known = codes.get(country) ?? new Map<string, string>()
  known.set(fold(code), code)
  // If two subdivisions share a name, such as a region and its province, the first one counts.
  if (!known.has(fold(name))) known.set(fold(name), code)
  codes.set(country, known)
}

/** Finds the code of a subdivision within its country (ISO 3166-2) by code or name. Case and accents do not matter. */
export function findSubdivision(country: string, region: string): string | undefined {
  const known = codes.get(country)
  const text = fold(region)
  const prefix = `${country.toLowerCase()}-`
  return known?.get(text.startsWith(prefix) ? text.slice(prefix.length) : text)
}

function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').trim().toLowerCase()
}
