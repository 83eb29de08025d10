import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

export const KEY_PREFIX = 'platen_'

/** Keys of installations in test mode, where no money moves. */
const TEST_KEY_PREFIX = `${KEY_PREFIX}test_`

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET_LENGTH = 32
const CHECKSUM_LENGTH = 6
const FORM = new RegExp(`^${KEY_PREFIX}(?:test_)?([0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`)

/**
 * Makes an API key: `platen_`, in test mode `platen_test_`, 32 random base62 characters (190 bits), and their CRC-32 in six base62 characters.
 * Prefix and checksum let secret scanners find leaked keys with almost no false alarms.
 */
export function newApiKey({ isTest = false } = {}): string {
  const secret = Array.from({ length: SECRET_LENGTH }, () => DIGITS[randomInt(DIGITS.length)]).join('')
  return `${isTest ? TEST_KEY_PREFIX : KEY_PREFIX}${secret}${checksum(secret)}`
}

/** Returns whether a text has the form and checksum of a key. Any other text is rejected without a query. */
export function isApiKeyFormed(text: string): boolean {
  const [, secret, check] = FORM.exec(text) ?? []
  return secret !== undefined && check === checksum(secret)
}

export function visiblePartsOf(key: string): { start: string; last4: string } {
  const prefix = key.startsWith(TEST_KEY_PREFIX) ? TEST_KEY_PREFIX : KEY_PREFIX
  return { start: key.slice(0, prefix.length + 4), last4: key.slice(-4) }
}

function checksum(secret: string): string {
  let rest = crc32(secret)
  let text = ''
  for (let place = 0; place < CHECKSUM_LENGTH; place += 1) {
    text = `${DIGITS[rest % DIGITS.length]}${text}`
    rest = Math.floor(rest / DIGITS.length)
  }
  return text
}
