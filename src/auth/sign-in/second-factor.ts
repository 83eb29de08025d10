import type { Trx } from '../../platform/db/index.ts'
import type { Client } from '../caller.ts'
import { hashSecret } from '../keys/secrets.ts'
import {
  type Challenge,
  type ChallengeMethod,
  type SendChallengeDeps,
  sendChallenge,
} from '../mfa/verification/send-challenge.ts'
import { type TryCodeDeps, tryCode } from '../mfa/verification/try-code.ts'
import { type FactorInput, type VerifyFactorDeps, verifyFactor } from '../mfa/verification/verify-factor.ts'
import { expirePendingSignIn, findPendingOwner, isPendingSignIn, takePendingSignIn } from '../pending-sign-ins/store.ts'
import { authProblems } from '../problems.ts'
import { lockUser, type User } from '../users/store.ts'
import { type CompleteSignInDeps, completeSignIn, type SignInResult } from './complete-sign-in.ts'

export type SecondFactorDeps = CompleteSignInDeps & TryCodeDeps & VerifyFactorDeps & SendChallengeDeps

/**
 * Completes a pending sign-in with its second factor.
 *
 * @throws `invalid_mfa_token`, `invalid_code`, `login_blocked`
 */
export async function completeWithSecondFactor(
  auth: SecondFactorDeps,
  client: Client,
  mfaToken: string,
  input: FactorInput,
): Promise<SignInResult> {
  const tokenHash = hashSecret(mfaToken)
  // Expired sign-ins are found, too, so that a user whose codes are blocked gets the error of the block.
  const owner = await findPendingOwner(auth.db, tokenHash)
  if (owner === undefined) throw invalidMfaToken()
  const result = await tryCode(auth, client, {
    owner,
    failure: { type: 'second_factor_failed', method: input.method },
    verify: async (trx) => {
      const user = await lockPending(trx, auth, owner.id, tokenHash)
      const use = { user, purpose: 'second_factor', boundTo: tokenHash } as const
      const methods = await verifyFactor(trx, auth, client, use, input)
      return methods && { user, methods }
    },
    work: async (trx, { user, methods }) => {
      const first = await takePendingSignIn(trx, tokenHash, auth.clock.now())
      if (first === undefined) throw invalidMfaToken()
      const all = [...new Set([...first.methods, ...methods, 'mfa'])]
      return completeSignIn(trx, auth, client, {
        user,
        verification: { signInMethod: first.signInMethod, methods: all, isMultiFactor: true },
      })
    },
    onBlock: (trx) => expirePendingSignIn(trx, tokenHash, auth.clock.now()),
  })
  if (result === undefined) throw wrongFactor(input)
  return result
}

/**
 * Sends what the client needs for the second factor of a sign-in: a text message with a code, or the options for a
 * passkey.
 *
 * @throws `invalid_mfa_token`, `method_not_enabled`, `login_blocked`, and the errors of `sendSmsCode`
 */
export async function challengeSecondFactor(
  auth: SecondFactorDeps,
  client: Client,
  { mfaToken, method }: { mfaToken: string; method: ChallengeMethod },
): Promise<Challenge> {
  const boundTo = hashSecret(mfaToken)
  const owner = await findPendingOwner(auth.db, boundTo)
  if (owner === undefined) throw invalidMfaToken()
  return auth.db.transaction().execute(async (trx) => {
    const user = await lockPending(trx, auth, owner.id, boundTo)
    return sendChallenge(trx, auth, client, { user, purpose: 'second_factor', boundTo }, method)
  })
}

/**
 * Locks the user and then checks that the pending sign-in still exists. A change of the user ends pending
 * sign-ins. The lock prevents such a change until the end of the transaction.
 */
async function lockPending(trx: Trx, auth: SecondFactorDeps, userId: string, tokenHash: string): Promise<User> {
  const user = await lockUser(trx, userId, 'update')
  if (user === undefined || !(await isPendingSignIn(trx, tokenHash, auth.clock.now()))) throw invalidMfaToken()
  return user
}

const CHALLENGE = { 'WWW-Authenticate': 'Bearer realm="platen"' }

function invalidMfaToken() {
  return authProblems.invalid_mfa_token({ headers: CHALLENGE })
}

function wrongFactor({ method }: FactorInput) {
  const pointer = method === 'webauthn' ? '/credential' : '/code'
  const errors = [{ code: 'invalid_code', pointer, detail: 'The code is wrong, was already used, or has expired.' }]
  return authProblems.invalid_code({ headers: CHALLENGE, errors })
}
