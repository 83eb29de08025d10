import { randomBytes } from 'node:crypto'
import type { Trx } from '../../../platform/db/index.ts'
import type { Audit } from '../../audit/audit.ts'
import type { Client } from '../../caller.ts'
import { hashSecret } from '../../keys/secrets.ts'
import type { MailDeps } from '../../mail/mails.ts'
import { mailSecurityNotice } from '../../mail/notices.ts'
import type { User } from '../../users/store.ts'
import {
  countUnusedCodes,
  hasRecoveryCodes,
  insertRecoveryCodes,
  removeRecoveryCodes,
  useRecoveryCode,
} from './store.ts'

const CODES = 10
/** 80 bits. A multiple of 5 bytes needs no padding in base32. */
const CODE_BYTES = 10

/** Crockford's base32, without letters that look like digits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/**
 * Creates the recovery codes of an account together with its first second factor. Without them, an owner who loses that
 * factor could not sign in. Returns undefined if the account already has codes, used or not.
 *
 * @param userId a user that the caller has locked for update
 */
export async function issueRecoveryCodesIfNone(trx: Trx, userId: string): Promise<string[] | undefined> {
  return (await hasRecoveryCodes(trx, userId)) ? undefined : issue(trx, userId)
}

/** Replaces all recovery codes of a user. The caller must have locked the user. */
export async function replaceRecoveryCodes(trx: Trx, userId: string): Promise<string[]> {
  await removeRecoveryCodes(trx, userId)
  return issue(trx, userId)
}

/**
 * Consumes a recovery code, records its use and mails a notice.
 *
 * @returns false if the code is unknown or used
 */
export async function takeRecoveryCode(
  trx: Trx,
  auth: MailDeps & { audit: Audit },
  { user, code, client, sessionId = null }: { user: User; code: string; client: Client; sessionId?: string | null },
): Promise<boolean> {
  const normal = normalize(code)
  if (normal === undefined || !(await useRecoveryCode(trx, user.id, hashSecret(normal), auth.clock.now()))) return false
  const left = await countUnusedCodes(trx, user.id)
  await auth.audit.record(trx, { type: 'recovery_code_used', userId: user.id, sessionId, client, details: { left } })
  await mailSecurityNotice(trx, auth, user.email, {
    subject: 'A recovery code was used',
    what: `One of the recovery codes of your account was used in place of a second factor. Codes left: ${left}.`,
  })
  return true
}

async function issue(trx: Trx, userId: string): Promise<string[]> {
  const codes = Array.from({ length: CODES }, newCode)
  await insertRecoveryCodes(trx, userId, codes.map(hashSecret))
  return codes.map(group)
}

function newCode(): string {
  let bits = BigInt(`0x${randomBytes(CODE_BYTES).toString('hex')}`)
  let code = ''
  for (let n = 0; n < (CODE_BYTES * 8) / 5; n += 1, bits >>= 5n) code += ALPHABET.charAt(Number(bits & 31n))
  return code
}

/** Separates a code into groups of four characters, which are easier to copy. */
function group(code: string): string {
  return code.replaceAll(/(.{4})(?=.)/g, '$1-')
}

/**
 * Normalizes a code that a user typed: letters of either case, blanks and hyphens, and letters that look like digits,
 * as Crockford's base32 defines them. Returns undefined if the text cannot be a code.
 */
function normalize(text: string): string | undefined {
  const code = text.replaceAll(/[\s-]/g, '').toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1')
  return /^[0-9A-Z]{16}$/.test(code) ? code : undefined
}
