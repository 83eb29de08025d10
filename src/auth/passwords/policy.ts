import type { Config } from '../../config/index.ts'
import { authProblems } from '../problems.ts'
import { isCommonPassword } from './common-passwords.ts'
import { isBreached, type RangeDeps } from './range-service.ts'

const MAX_LENGTH = 256

/**
 * Minimum number of letters and digits that a password must have besides the email address and the name of its owner
 * and the name of the service.
 */
const MIN_REST = 8

export interface PolicyDeps extends RangeDeps {
  config: RangeDeps['config'] & Pick<Config, 'passwordMinLength'>
}

export interface PasswordOwner {
  email: string
  name: string | null
}

/**
 * Rejects passwords that are too short or too long (counted in code points), common, or similar to the data of their
 * owner. If a range service is configured, breached passwords are rejected, too. No classes of characters are required
 * (NIST SP 800-63B; OWASP ASVS 5.0, 6.2).
 *
 * @param pointer position of the password in the request body
 * @throws `password_rejected`
 */
export async function requireGoodPassword(
  deps: PolicyDeps,
  password: string,
  owner: PasswordOwner,
  pointer: string,
): Promise<void> {
  const { passwordMinLength: minLength } = deps.config
  const found = await findWeakness(password, owner, minLength)
  const reason = found ?? ((await isBreached(deps, password)) ? 'breached' : undefined)
  if (reason === undefined) return
  const detail = reason === 'too_short' ? `Use at least ${minLength} characters.` : EXPLANATIONS[reason]
  throw authProblems.password_rejected({ detail, errors: [{ code: reason, pointer, detail }] })
}

type Weakness = 'too_short' | 'too_long' | 'common' | 'self_related' | 'breached'

const EXPLANATIONS: Readonly<Record<Exclude<Weakness, 'too_short'>, string>> = {
  too_long: `Use at most ${MAX_LENGTH} characters.`,
  common: 'Attackers try this password, or a similar one, first.',
  breached: 'The password has become public through a breach of another service.',
  self_related: 'The password consists mostly of your email address, your name or the name of this service.',
}

async function findWeakness(password: string, owner: PasswordOwner, minLength: number): Promise<Weakness | undefined> {
  // This check is fast, so a megabyte of text is rejected before it is split into characters.
  if (password.length > MAX_LENGTH * 2) return 'too_long'
  const length = [...password].length
  if (length < minLength) return 'too_short'
  if (length > MAX_LENGTH) return 'too_long'
  if (await isCommonPassword(password)) return 'common'
  const rest = withoutOwnerWords(password, owner)
  if (rest === undefined) return undefined
  const meaningful = rest.replace(/[^\p{L}\p{N}]/gu, '')
  return [...meaningful].length < MIN_REST || (await isCommonPassword(rest)) ? 'self_related' : undefined
}

/**
 * Removes the words of the owner and the name of the service from a password. Returns undefined if the password
 * contains none of them.
 */
function withoutOwnerWords(password: string, { email, name }: PasswordOwner): string | undefined {
  const localPart = email.split('@', 1)[0] ?? ''
  const words = [
    email,
    localPart,
    ...localPart.split(/[^a-z0-9]+/),
    ...(name ?? '').toLowerCase().split(/\s+/),
    'platen',
  ]
  const lower = password.toLowerCase()
  let rest = lower
  // Longer words first, so that a whole email address is removed before its parts.
  for (const word of words.filter((one) => one.length >= 3).sort((a, b) => b.length - a.length)) {
    rest = rest.replaceAll(word, '')
  }
  return rest === lower ? undefined : rest
}
