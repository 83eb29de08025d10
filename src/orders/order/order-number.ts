import { randomInt } from 'node:crypto'

/** Base 32 after Crockford, without I, L, O and U, which are easily misread. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/**
 * Returns a number such as `PL-7KQ4-M2XD`: seven random characters, which do not reveal how many orders exist, and a
 * check character. Another order may have this number already.
 */
export function randomOrderNumber(): string {
  const digits = Array.from({ length: 7 }, () => randomInt(ALPHABET.length))
  return written([...digits, checkDigit(digits)].map((digit) => ALPHABET[digit]).join(''))
}

/** Verifies the check character, which detects every single wrong character and nearly every swap of neighbours. */
export function isOrderNumber(text: string): boolean {
  const match = /^PL-([0-9A-HJKMNP-TV-Z]{4})-([0-9A-HJKMNP-TV-Z]{4})$/.exec(text)
  if (match === null) return false
  const digits = [...`${match[1]}${match[2]}`].map((character) => ALPHABET.indexOf(character))
  return checkDigit(digits.slice(0, -1)) === digits.at(-1)
}

/**
 * Reads the beginning of an order number, at least the first half and a character of the second one. Accepts what people
 * type: lower case, spaces, missing dashes and a missing `PL`. Returns it as numbers are written, such as `PL-7KQ4-M2`.
 * Without `PL` and dashes, it needs three characters of the second half, because a word such as `Hansen` is no number.
 */
export function readOrderNumberBeginning(text: string): string | undefined {
  const characters = charactersOf(text)
  const isMarked = /^\s*(?:PL|[^-]{4}-)/i.test(text)
  if (!/^[0-9A-HJKMNP-TV-Z]{5,8}$/.test(characters) || !(isMarked || characters.length >= 7)) return undefined
  return written(characters)
}

/** Normalizes an order number that a person has typed. Returns undefined if it is not one. */
export function normalizeOrderNumber(text: string): string | undefined {
  const number = written(charactersOf(text))
  return isOrderNumber(number) ? number : undefined
}

/** Returns the characters that differ from number to number. None of them is an L, so PL is always the prefix. */
const charactersOf = (text: string): string => text.toUpperCase().replace(/[\s-]/g, '').replace(/^PL/, '')

const written = (characters: string): string => `PL-${characters.slice(0, 4)}-${characters.slice(4)}`

/** Calculates the check digit by Luhn's algorithm in base 32 ("Luhn mod N"). */
function checkDigit(digits: readonly number[]): number {
  const base = ALPHABET.length
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const addend = index % 2 === 0 ? 2 * digit : digit
    return total + Math.floor(addend / base) + (addend % base)
  }, 0)
  return (base - (sum % base)) % base
}
