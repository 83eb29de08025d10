import { createHmac, randomInt } from 'node:crypto'
import { addSeconds, type Clock } from '../../../platform/clock.ts'
import type { Trx } from '../../../platform/db/index.ts'
import { sendMessage } from '../../../platform/messages/mail.ts'
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

/** Purpose for which the key of the digests is derived. */
const CODES = 'platen sms codes 1'

export interface CodeBinding {
  userId: string
  purpose: CodePurpose
  /**
   * What the code is for: the id of a factor (purpose `enroll`), the hash of the token of a pending sign-in
   * (`second_factor`), or the id of a session (`step_up`).
   */
  boundTo: string
}

/**
 * Sends a one-time code of six digits to a telephone number. The code is valid once, for ten minutes, and only for its
 * user, its purpose and `boundTo`. It replaces an earlier code for these three. The message is sent only if the
 * transaction commits.
 *
 * Call it last in the transaction: it takes a lock that all senders of messages wait for, and holds it until the
 * transaction ends.
 *
 * @param phoneNumber E.164. For the purpose `enroll` the number of the factor `boundTo`, otherwise the number of the
 * user's factor.
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
  // The country is checked again, because the number may have been enrolled while another setting applied.
  requireAllowedCountry(auth, phoneNumber)
  await countMessage(trx, auth, { phoneNumber, userId: user.id, ip: client.ip, purpose })
  const code = randomInt(1_000_000).toString().padStart(6, '0')
  const binding: CodeBinding = { userId: user.id, purpose, boundTo }
  const now = auth.clock.now()
  const expiresAt = addSeconds(now, CODE_SECONDS)
  const expected = digest(auth.keys.derive(CODES), binding, code)
  await putChallenge(trx, { ...binding, phoneNumber, expected, createdAt: now, expiresAt })
  const text = `${code} is your Platen code. It works for 10 minutes. Never give it to anyone who asks for it.`
  await sendMessage(trx, { channel: 'sms', kind: 'sms_code', to: phoneNumber, text, expiresAt }, now)
}

/**
 * Consumes a code, and returns whether it was right. Concurrent requests cannot use it twice. Five wrong attempts
 * invalidate a code: otherwise an attacker who is too slow for the throttle could guess for ten minutes at each code.
 *
 * Commit the transaction in either case. The caller must have locked the user, so that attempts are verified one after
 * another.
 */
export async function takeSmsCode(
  trx: Trx,
  auth: { keys: KeyDerivation; clock: Clock },
  { code, ...binding }: CodeBinding & { code: string },
): Promise<boolean> {
  for (const key of auth.keys.deriveAll(CODES)) {
    const challenge = { ...binding, expected: digest(key, binding, code) }
    if (await takeChallenge(trx, challenge, { now: auth.clock.now(), maxWrong: MAX_WRONG_CODES })) return true
  }
  await countWrongCode(trx, binding)
  return false
}

/**
 * Computes the digest of a code. It has a key, because otherwise an attacker with a copy of the database could find the
 * code in a million attempts. It includes user, purpose and `boundTo`, so that equal codes have different digests.
 */
function digest(key: Buffer, { userId, purpose, boundTo }: CodeBinding, code: string): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify([userId, purpose, boundTo, code]))
    .digest()
}
