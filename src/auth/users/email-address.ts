import { httpProblems } from '../../platform/http/core/problems.ts'

/** RFC 5321, 4.5.3.1: limits of a path and of its local part. */
const MAX_LENGTH = 254
const MAX_LOCAL_LENGTH = 64

const ATOM = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+"
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
/**
 * `dot-atom@domain` of RFC 5321 in ASCII, with at least two labels; international domains as punycode. No top-level
 * domain is a number (RFC 3696, 2), so an IP address does not match.
 */
const EMAIL = new RegExp(`^(${ATOM}(?:\\.${ATOM})*)@(?:${LABEL}\\.)+(?!\\d+$)${LABEL}$`)

/**
 * Normalizes an email address to the form in which accounts are stored and attempts counted: trimmed, NFKC, lower case;
 * undefined unless the text is one plain address.
 */
export function normalizeEmailAddress(text: string): string | undefined {
  // Checked before NFKC, which would turn look-alikes into a real @ and hide control characters.
  if (text.length > MAX_LENGTH * 2 || /[\p{Cc}\p{Cf}\u2028\u2029]/u.test(text) || text.split('@').length !== 2)
    return undefined
  const normal = text.trim().normalize('NFKC').toLowerCase()
  const localPart = EMAIL.exec(normal)?.[1]
  if (localPart === undefined || normal.length > MAX_LENGTH || localPart.length > MAX_LOCAL_LENGTH) return undefined
  return normal
}

/** @throws `validation_failed` with the pointer of the member */
export function requireEmailAddress(text: string, pointer: string): string {
  const email = normalizeEmailAddress(text)
  if (email !== undefined) return email
  const detail = 'Expected one e-mail address, such as ada@example.com.'
  throw httpProblems.validation_failed({
    detail: 'The body does not match its schema.',
    errors: [{ code: 'wrong_format', pointer, detail }],
  })
}
