import { postcodeValidator } from 'postcode-validator'

/** Countries in which every postal address has a postal code of a fixed format, each with an example. */
export const REQUIRED: ReadonlyMap<string, string> = new Map([
  ['AT', '1010'],
  ['AU', '2000'],
  ['BE', '1000'],
  ['BG', '1000'],
  ['BR', '01310-100'],
  ['CA', 'K1A 0B1'],
  ['CH', '3003'],
  ['CZ', '110 00'],
  ['DE', '10115'],
  ['DK', '1050'],
  ['EE', '10111'],
  ['ES', '28013'],
  ['FI', '00100'],
  ['FR', '75001'],
  ['GB', 'SW1A 1AA'],
  ['GR', '105 57'],
  ['HR', '10000'],
  ['HU', '1051'],
  ['IN', '110001'],
  ['IS', '101'],
  ['IT', '00184'],
  ['JP', '100-0001'],
  ['KR', '04524'],
  ['LI', '9490'],
  ['LT', '01103'],
  ['LU', '1212'],
  ['LV', '1050'],
  ['MC', '98000'],
  ['MX', '06000'],
  ['NL', '1012 JS'],
  ['NO', '0150'],
  ['NZ', '6011'],
  ['PL', '00-950'],
  ['PT', '1100-148'],
  ['RO', '010011'],
  ['SE', '111 52'],
  ['SG', '018956'],
  ['SI', '1000'],
  ['SK', '811 01'],
  ['US', '90210'],
])

/** Countries whose postal codes have a fixed format, but are optional or were so until recently. */
export const OPTIONAL: ReadonlyMap<string, string> = new Map([
  ['CN', '100000'],
  ['CY', '1010'],
  ['ID', '10110'],
  ['IE', 'D02 X285'],
  ['IL', '9100000'],
  ['MT', 'VLT 1117'],
  ['MY', '50000'],
  ['RS', '11000'],
  ['TH', '10200'],
  ['TR', '06420'],
  ['TW', '100'],
  ['UA', '01001'],
  ['ZA', '0001'],
])

export type PostalCodeVerdict = { ok: true; postalCode: string | undefined } | { ok: false; expected: string }

/**
 * Normalizes a postal code: `sw1a1aa` becomes `SW1A1AA`, and `100 0001` in Japan becomes `100-0001`. In countries
 * without a known format, every postal code is accepted.
 */
export function readPostalCode(country: string, text: string | undefined): PostalCodeVerdict {
  const required = REQUIRED.get(country)
  const expected = required ?? OPTIONAL.get(country)
  if (text === undefined)
    return required === undefined ? { ok: true, postalCode: text } : { ok: false, expected: required }
  if (expected === undefined) return { ok: true, postalCode: text.toUpperCase() }
  const postalCode = spellings(country, text).find((spelling) => postcodeValidator(spelling, country))
  return postalCode === undefined ? { ok: false, expected } : { ok: true, postalCode }
}

/** Lists the spellings that a postal code may stand for, the most similar to the input first. */
function spellings(country: string, text: string): string[] {
  const plain = text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[\p{Pd}\u2212\u30fc]/gu, '-')
    .replace(/^〒\s*/u, '')
  // Senders in other countries put the letters of the country in front (D-10115, LV-1010).
  const bare = plain.replace(/^(?:[A-Z]{1,3}\s*-\s*|[A-Z]{1,2}\s+(?=\d+$))(?=\d)/, '')
  return [plain, bare].flatMap((code) => {
    const joined = code.replace(/[\s.-]/g, '')
    return [code, joined, ...hyphenated(country, joined)]
  })
}

const HYPHEN_AFTER: Readonly<Record<string, number>> = { JP: 3, PL: 2, PT: 4, US: 5 }

function hyphenated(country: string, joined: string): string[] {
  const after = HYPHEN_AFTER[country]
  return after === undefined ? [] : [`${joined.slice(0, after)}-${joined.slice(after)}`]
}
