import { normalizeEmailAddress } from '../../users/email-address.ts'
import { responseInvalid } from './requests.ts'

const MAX_NAME_LENGTH = 100
const MAX_LABEL_LENGTH = 254

/** The form of a subject: at most 255 ASCII characters (OpenID Connect Core, section 2). */
const SUBJECT = /^[\x21-\x7e]{1,255}$/

/**
 * Checks the id of a user at the provider. Without this check, all users that have no id would share one account.
 *
 * @throws `provider_answer_invalid`
 */
export function requireSubject(given: unknown): string {
  const isNumber = typeof given === 'number' && Number.isSafeInteger(given) && given > 0
  const subject = isNumber ? String(given) : given
  if (typeof subject !== 'string' || !SUBJECT.test(subject)) throw responseInvalid()
  return subject
}

/**
 * Returns the normalized email address if the provider has verified it.
 *
 * @param isVerified counts only if it is `true`; the meaning of other types is not defined
 */
export function verifiedEmail(email: unknown, isVerified: unknown): string | undefined {
  return typeof email === 'string' && isVerified === true ? normalizeEmailAddress(email) : undefined
}

export function toName(...candidates: unknown[]): string | null {
  for (const candidate of candidates) {
    const name = toLine(candidate, MAX_NAME_LENGTH)
    if (name !== null) return name
  }
  return null
}

export function toLabel(text: unknown): string | null {
  return toLine(text, MAX_LABEL_LENGTH)
}

/** Line breaks, other control characters, and characters that change the direction of text. */
const DISRUPTIVE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Returns one line of text that can be displayed. Returns null if no character remains. */
function toLine(text: unknown, maxLength: number): string | null {
  if (typeof text !== 'string') return null
  const visible = text.toWellFormed().replaceAll(DISRUPTIVE, '').trim()
  return [...visible].slice(0, maxLength).join('').trim() || null
}
