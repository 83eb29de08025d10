import { randomInt } from 'node:crypto'

/** Base 32 after Crockford, without I, L, O and U, which are easily misread. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/**
 * Returns a number such as `PL-7KQ4-M2XD`: seven random characters, which do not reveal how many orders exist, and a
 * check character. Another order may have this number already.
 */
export function randomOrderNumber(): string {
  const digits = Array.from({ length: 7 }, () => randomInt(ALPHABET.length))
  const text = [...digits, checkDigit(digits)].map((digit) => ALPHABET[digit]).join('')
  return `PL-${text.slice(0, 4)}-${text.slice(4)}`
}

/** Verifies the check character, which detects every single wrong character and nearly every swap of neighbours. */
export function isOrderNumber(text: string): boolean {
  const match = /^PL-([0-9A-HJKMNP-TV-Z]{4})-([0-9A-HJKMNP-TV-Z]{4})$/.exec(text)
  if (match === null) return false
  const digits = [...`${match[1]}${match[2]}`].map((character) => ALPHABET.indexOf(character))
  return checkDigit(digits.slice(0, -1)) === digits.at(-1)
}

/** Calculates the check digit by Luhn's algorithm in base 32 ("Luhn mod N"). */
function checkDigit(digits: readonly number[]): number {
  const base = ALPHABET.length
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const addend = index % 2 === 0 ? 2 * digit : digit
    return total + Math.floor(addend / base) + (addend % base)
  }, 0)
  return (base - (sum % base)) % base
}
