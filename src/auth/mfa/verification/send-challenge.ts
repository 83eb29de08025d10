import type { Trx } from '../../../platform/db/index.ts'
import type { Client } from '../../caller.ts'
import { type AssertionDeps, offerAssertion } from '../../passkeys/webauthn/assertions.ts'
import type { AssertionOffer } from '../../passkeys/webauthn/schemas.ts'
import { authProblems } from '../../problems.ts'
import type { Throttle } from '../../throttle/throttle.ts'
import { findEnabledFactor } from '../factors/store.ts'
import { type SmsDeps, sendSmsCode } from '../sms/codes.ts'
import { type CodeBucketDeps, codeBuckets } from './code-buckets.ts'
import type { FactorUse } from './verify-factor.ts'

export type SendChallengeDeps = SmsDeps & AssertionDeps & CodeBucketDeps & { throttle: Throttle }

export type ChallengeMethod = 'sms' | 'webauthn'
export type Challenge = { status: 'code_sent' } | AssertionOffer

/**
 * Sends what a client needs for a second factor: a text message with a code, or the options for a passkey.
 *
 * @throws `method_not_enabled`, `login_blocked`, and the errors of `sendSmsCode`
 */
export async function sendChallenge(
  trx: Trx,
  auth: SendChallengeDeps,
  client: Client,
  { user, purpose, boundTo }: FactorUse,
  method: ChallengeMethod,
): Promise<Challenge> {
  if (method === 'webauthn' && user.mfaMethods.includes('webauthn')) {
    return offerAssertion(trx, auth, { userId: user.id, purpose, boundTo })
  }
  const factor = method === 'sms' ? await findEnabledFactor(trx, { userId: user.id, method }) : undefined
  if (factor === undefined || factor.phoneNumber === null) throw methodNotEnabled()
  // While codes are blocked, a message would cost money although its code would be rejected.
  await auth.throttle.requireUnblocked(trx, codeBuckets(auth, client, user).buckets)
  await sendSmsCode(trx, auth, client, { user, phoneNumber: factor.phoneNumber, purpose, boundTo })
  return { status: 'code_sent' }
}

function methodNotEnabled() {
  const detail = 'The account does not have a second factor of this method.'
  return authProblems.method_not_enabled({ errors: [{ code: 'method_not_enabled', pointer: '/method', detail }] })
}
