import { createHmac, randomInt } from 'node:crypto'
import { addSeconds, type Clock } from '../../../platform/clock.ts'
import type { Trx } from '../../../platform/db/index.ts'
import { sendMessage } from '../../../platform/mail.ts'
import type { Client } from '../../caller.ts'
import type { KeyDerivation } from '../../keys/secrets.ts'
import type { User } from '../../users/store.ts'
import { countMessage, type SmsLimitDeps } from './limits.ts'
import { requireAllowedCountry, requireSms, type SmsSettings } from './phone-number.ts'
import { type CodePurpose, countWrongCode, putChallenge, takeChallenge } from './store.ts'

export type SmsDeps = SmsLimitDeps & SmsSettings

export { parsePhoneNumber } from './phone-number.ts'

const CODE_SECONDS = 600

const MAX_WRONG_CODES = 5

export interface CodeBinding {
  userId: string
  purpose: CodePurpose
  /** A factor's id (`enroll`), the hash of a pending sign-in's token, or a session's id. */
  boundTo: string
}

/**
 * Sends a one-time code to a telephone number: six digits, valid once, for ten minutes and for what it is bound to. It
 * replaces an earlier code for the same purpose. The message is sent only if the transaction commits.
 *
 * Call it last: it holds a lock, for which all other senders wait, until the transaction ends.
 *
 * @param phoneNumber E.164; for `enroll` that of the factor `boundTo`, else that of the user's factor
 * @throws `sms_not_configured`, `country_not_allowed`, `sms_limited`, `sms_unavailable`
 */
export async function sendSmsCode(
  trx: Trx,
  auth: SmsDeps,
  client: Client,
  {
    user,
    phoneNumber,
    purpose,
    boundTo,
  }: { user: Pick<User, 'id'>; phoneNumber: string; purpose: CodePurpose; boundTo: string },
): Promise<void> {
  requireSms(auth)
  // Checked again, because the number may have been enrolled under an earlier setting.
  requireAllowedCountry(auth, phoneNumber)
  await countMessage(trx, auth, { phoneNumber, userId: user.id, ip: client.ip, purpose })
  const code = randomInt(1_000_000).toString().padStart(6, '0')
  const binding: CodeBinding = { userId: user.id, purpose, boundTo }
  const now = auth.clock.now()
  const expiresAt = addSeconds(now, CODE_SECONDS)
  await putChallenge(trx, { ...binding, phoneNumber, expected: digest(auth, binding, code), createdAt: now, expiresAt })
  const text = `${code} is your Platen code. It works for 10 minutes. Never give it to anyone who asks for it.`
  await sendMessage(trx, { channel: 'sms', to: phoneNumber, text, expiresAt }, now)
}

/**
 * Consumes a code, once even with concurrent requests. Five wrong attempts invalidate it: a slow attacker, whom the
 * throttle does not block, would otherwise have ten minutes for each code.
 *
 * Commit in either case. The caller must have locked the user, so that attempts are checked one after another.
 */
export async function takeSmsCode(
  trx: Trx,
  auth: { keys: KeyDerivation; clock: Clock },
  { code, ...binding }: CodeBinding & { code: string },
): Promise<boolean> {
  const challenge = { ...binding, expected: digest(auth, binding, code) }
  if (await takeChallenge(trx, challenge, { now: auth.clock.now(), maxWrong: MAX_WRONG_CODES })) return true
  await countWrongCode(trx, binding)
  return false
}

/**
 * Keyed, because with a copy of the database an attacker could otherwise find the code in a million tries. The digest
 * covers the binding, so that equal codes have different digests.
 */
function digest({ keys }: { keys: KeyDerivation }, { userId, purpose, boundTo }: CodeBinding, code: string): Buffer {
  return createHmac('sha256', keys.derive('platen sms codes 1'))
    .update(JSON.stringify([userId, purpose, boundTo, code]))
    .digest()
}
