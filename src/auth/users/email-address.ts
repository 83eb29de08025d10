import { httpProblems } from '../../platform/http/core/problems.ts'

/** Maximum length of an email address and of the part before the `@` (RFC 5321, section 4.5.3.1). */
const MAX_LENGTH = 254
const MAX_LOCAL_LENGTH = 64

const ATOM = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+"
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
/**
 * Matches an ASCII email address in the form `dot-atom@domain` (RFC 5321). The domain has at least two labels;
 * international domains are in punycode. No top-level domain is a number (RFC 3696, section 2), so IP addresses do not
 * match.
 */
const EMAIL = new RegExp(`^(${ATOM}(?:\\.${ATOM})*)@(?:${LABEL}\\.)+(?!\\d+$)${LABEL}$`)

/**
 * Normalizes an email address to the form in which the service stores accounts and counts attempts: trimmed, NFKC,
 * lower case. Returns undefined if the text is not one plain email address.
 */
export function normalizeEmailAddress(text: string): string | undefined {
  // Checked before the normalization, which would turn characters that look like `@` into it and remove control
  // characters.
  if (text.length > MAX_LENGTH * 2 || /[\p{Cc}\p{Cf}\u2028\u2029]/u.test(text) || text.split('@').length !== 2)
    return undefined
  const normal = text.trim().normalize('NFKC').toLowerCase()
  const localPart = EMAIL.exec(normal)?.[1]
  if (localPart === undefined || normal.length > MAX_LENGTH || localPart.length > MAX_LOCAL_LENGTH) return undefined
  return normal
}

/**
 * Normalizes an email address of a request.
 *
 * @throws `validation_failed` with the pointer of the member
 */
export function requireEmailAddress(text: string, pointer: string): string {
  const email = normalizeEmailAddress(text)
  if (email !== undefined) return email
  const detail = 'Expected one email address, such as ada@example.com.'
  throw httpProblems.validation_failed({
    detail: 'The body does not match its schema.',
    errors: [{ code: 'wrong_format', pointer, detail }],
  })
}
