import { randomBytes } from 'node:crypto'
import type { Trx } from '../../../platform/db/index.ts'
import type { Audit } from '../../audit/audit.ts'
import type { Client } from '../../caller.ts'
import { hashSecret } from '../../keys/secrets.ts'
import { type MailDeps, mailSecurityNotice } from '../../mail/mails.ts'
import type { User } from '../../users/store.ts'
import {
  countUnusedCodes,
  hasRecoveryCodes,
  insertRecoveryCodes,
  removeRecoveryCodes,
  useRecoveryCode,
} from './store.ts'

const CODES = 10
/** 80 bits; a multiple of 5, so that base32 needs no padding. */
const CODE_BYTES = 10

/** Crockford's base32: no letter that is read as a digit. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/**
 * Gives an account its recovery codes with its first second factor, of whatever kind: without them the loss of that
 * factor would lock its owner out. Undefined: it has had them since an earlier factor, whether used up or not.
 *
 * @param userId a user that the caller has locked for update
 */
export async function issueRecoveryCodesIfNone(trx: Trx, userId: string): Promise<string[] | undefined> {
  return (await hasRecoveryCodes(trx, userId)) ? undefined : issue(trx, userId)
}

/** Makes new recovery codes in place of all earlier ones. The user is locked by the caller. */
export async function replaceRecoveryCodes(trx: Trx, userId: string): Promise<string[]> {
  await removeRecoveryCodes(trx, userId)
  return issue(trx, userId)
}

/** Uses a recovery code up, records it and tells the owner. False: it is none of theirs, or was used. */
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

/** As people copy it: in groups of four. */
function group(code: string): string {
  return code.replaceAll(/(.{4})(?=.)/g, '$1-')
}

/** Letters of either case, with or without separators; look-alikes as Crockford reads them. */
function normalize(text: string): string | undefined {
  const code = text.replaceAll(/[\s-]/g, '').toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1')
  return /^[0-9A-Z]{16}$/.test(code) ? code : undefined
}
