import { iso31662 } from 'iso-3166'

/** Destinations of military mail. The post treats them as states, but ISO 3166-2 does not list them. */
const ARMED_FORCES = [
  ['US-AA', 'Armed Forces Americas'],
  ['US-AE', 'Armed Forces Europe'],
  ['US-AP', 'Armed Forces Pacific'],
] as const

/** Codes of subdivisions: country, then code or name in a spelling without case and accents, to code. */
const codes = new Map<string, Map<string, string>>()

for (const [fullCode, name] of [...iso31662.map((one) => [one.code, one.name] as const), ...ARMED_FORCES]) {
  const [country = '', code = ''] = fullCode.split('-')
  const known = codes.get(country) ?? new Map<string, string>()
  known.set(fold(code), code)
  // If two subdivisions share a name, such as a region and its province, the first one is found.
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
