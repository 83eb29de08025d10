import type { Trx } from '../../../platform/db/index.ts'
import type { Client } from '../../caller.ts'
import type { KeyDerivation } from '../../keys/secrets.ts'
import { type AssertionDeps, takeAssertion } from '../../passkeys/webauthn/assertions.ts'
import type { Assertion } from '../../passkeys/webauthn/schemas.ts'
import type { User } from '../../users/store.ts'
import { takeRecoveryCode } from '../factors/recovery-codes.ts'
import { claimStep, findEnabledFactor, noteFactorUse } from '../factors/store.ts'
import { stepOf, unsealSecret, withoutBlanks } from '../factors/totp.ts'
import { takeSmsCode } from '../sms/codes.ts'

export type VerifyFactorDeps = AssertionDeps & { keys: KeyDerivation }

/** A second factor as a client sends it. */
export type FactorInput =
  | { method: 'totp' | 'sms' | 'recovery_code'; code: string }
  | { method: 'webauthn'; challengeId: string; credential: Assertion }

export interface FactorUse {
  /** The user as it was read with a lock for update. */
  user: User
  purpose: 'second_factor' | 'step_up'
  /**
   * What codes and challenges are valid for: the hash of the token of the pending sign-in, or the id of the session.
   */
  boundTo: string
  /** Session of the user, for security events. Undefined during a sign-in. */
  sessionId?: string
}

/**
 * Verifies and consumes a second factor. Commit the transaction in either case: a challenge is used up by a wrong
 * response, too.
 *
 * @returns the `amr` values of the factor (RFC 8176); undefined if the factor is wrong
 */
export async function verifyFactor(
  trx: Trx,
  auth: VerifyFactorDeps,
  client: Client,
  use: FactorUse,
  input: FactorInput,
): Promise<string[] | undefined> {
  const { user, purpose, boundTo, sessionId } = use
  const userId = user.id
  switch (input.method) {
    case 'totp':
      return (await takeTotpCode(trx, auth, userId, input.code)) ? ['otp'] : undefined
    case 'sms':
      return (await takeTextedCode(trx, auth, use, input.code)) ? ['sms'] : undefined
    case 'recovery_code': {
      const given = { user, code: input.code, client, ...(sessionId === undefined ? {} : { sessionId }) }
      return (await takeRecoveryCode(trx, auth, given)) ? ['otp'] : undefined
    }
    case 'webauthn': {
      const { challengeId, credential } = input
      const taken = await takeAssertion(trx, auth, { userId, purpose, boundTo, challengeId, credential, client })
      return taken?.methods
    }
  }
}

async function takeTotpCode(trx: Trx, auth: VerifyFactorDeps, userId: string, code: string): Promise<boolean> {
  const factor = await findEnabledFactor(trx, { userId, method: 'totp' })
  if (factor === undefined || factor.secretEncrypted === null) return false
  const now = auth.clock.now()
  const step = stepOf(unsealSecret(auth, factor.id, factor.secretEncrypted), code, now)
  return step !== undefined && claimStep(trx, { id: factor.id, step }, now)
}

async function takeTextedCode(
  trx: Trx,
  auth: VerifyFactorDeps,
  { user, purpose, boundTo }: FactorUse,
  code: string,
): Promise<boolean> {
  const factor = await findEnabledFactor(trx, { userId: user.id, method: 'sms' })
  if (factor === undefined) return false
  if (!(await takeSmsCode(trx, auth, { userId: user.id, purpose, boundTo, code: withoutBlanks(code) }))) return false
  await noteFactorUse(trx, factor.id, auth.clock.now())
  return true
}
