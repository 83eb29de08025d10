import { iso31662 } from 'iso-3166'

/** Destinations of military mail. The post treats them as states, but ISO 3166-2 does not list them. */
const ARMED_FORCES = [
  ['US-AA', 'Armed Forces Americas'],
  ['US-AE', 'Armed Forces Europe'],
  ['US-AP', 'Armed Forces Pacific'],
] as const

/** For each country that was asked for: code or name in a spelling without case and accents, to code. */
const codes = new Map<string, ReadonlyMap<string, string>>()

/** Finds the code of a subdivision within its country (ISO 3166-2) by code or name. Case and accents do not matter. */
export function findSubdivision(country: string, region: string): string | undefined {
  const text = fold(region)
  const prefix = `${country.toLowerCase()}-`
  return codesOf(country).get(text.startsWith(prefix) ? text.slice(prefix.length) : text)
}

/** The codes of all countries would take 2 MB of memory, and few processes need those of more than one. */
function codesOf(country: string): ReadonlyMap<string, string> {
  const known = codes.get(country) ?? readCodes(country)
  // Only countries with subdivisions are kept, so that the number of entries is limited.
  if (known.size > 0) codes.set(country, known)
  return known
}

function readCodes(country: string): ReadonlyMap<string, string> {
  const known = new Map<string, string>()
  const prefix = `${country}-`
  for (const [fullCode, name] of [...iso31662.map((one) => [one.code, one.name] as const), ...ARMED_FORCES]) {
    if (!fullCode.startsWith(prefix)) continue
    const code = fullCode.slice(prefix.length)
    known.set(fold(code), code)
    // If two subdivisions share a name, such as a region and its province, the first one is found.
    if (!known.has(fold(name))) known.set(fold(name), code)
  }
  return known
}

function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').trim().toLowerCase()
}
