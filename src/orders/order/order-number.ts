import { randomInt } from 'node:crypto'

/** Crockford's base 32: no I, L, O and U, which are misread. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/**
 * A number for people, such as `PL-7KQ4-M2XD`: seven random characters, so that numbers tell nothing about how many
 * orders there are, and a check character. Whether it is taken already, the database says.
 */
export function randomOrderNumber(): string {
  const digits = Array.from({ length: 7 }, () => randomInt(ALPHABET.length))
  const text = [...digits, checkDigit(digits)].map((digit) => ALPHABET[digit]).join('')
  return `PL-${text.slice(0, 4)}-${text.slice(4)}`
}

/** Whether the check character fits: one wrong character and nearly every swap of neighbours are noticed. */
export function isOrderNumber(text: string): boolean {
  const match = /^PL-([0-9A-HJKMNP-TV-Z]{4})-([0-9A-HJKMNP-TV-Z]{4})$/.exec(text)
  if (match === null) return false
  const digits = [...`${match[1]}${match[2]}`].map((character) => ALPHABET.indexOf(character))
  return checkDigit(digits.slice(0, -1)) === digits.at(-1)
}

/** Luhn's algorithm in base 32 ("mod N"). */
function checkDigit(digits: readonly number[]): number {
  const base = ALPHABET.length
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const addend = index % 2 === 0 ? 2 * digit : digit
    return total + Math.floor(addend / base) + (addend % base)
  }, 0)
  return (base - (sum % base)) % base
}
