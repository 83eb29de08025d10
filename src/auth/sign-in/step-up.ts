import type { Trx } from '../../platform/db/index.ts'
import type { Caller } from '../caller.ts'
import {
  type Challenge,
  type ChallengeMethod,
  type SendChallengeDeps,
  sendChallenge,
} from '../mfa/verification/send-challenge.ts'
import { type TryCodeDeps, tryCode } from '../mfa/verification/try-code.ts'
import { type FactorInput, type VerifyFactorDeps, verifyFactor } from '../mfa/verification/verify-factor.ts'
import { type ConfirmPasswordDeps, confirmPassword } from '../passwords/confirm-password.ts'
import { codeProblems, credentialNotAccepted } from '../problems.ts'
import type { AccessTokens, IssuedAccessToken } from '../sessions/access-token.ts'
import { lockCaller } from '../sessions/lock-caller.ts'
import { type Session, setAuthenticated } from '../sessions/store.ts'
import { limitOperation } from '../throttle/limit-operation.ts'
import { findUser, type User } from '../users/store.ts'

export type StepUpDeps = ConfirmPasswordDeps &
  TryCodeDeps &
  VerifyFactorDeps &
  SendChallengeDeps & { tokens: AccessTokens }

/**
 * Verifies the user again within the session, and signs an access token that states the new verification. If the
 * account has a second factor, that factor is required: a thief of the session may also know the password.
 *
 * @throws `current_password_wrong`, `invalid_code`, `login_blocked`, `rate_limited`, `sign_in_busy`
 */
export async function stepUp(
  auth: StepUpDeps,
  caller: Caller,
  given: { password: string } | FactorInput,
): Promise<IssuedAccessToken> {
  await limitOperation(auth.db, { userId: caller.userId, operation: 'confirm' }, auth.clock.now())
  const { user, session } =
    'password' in given
      ? await stepUpByPassword(auth, caller, given.password)
      : await stepUpByFactor(auth, caller, given)
  return auth.tokens.issue(session, user)
}

/**
 * Sends what the client needs for the second factor of a step-up: a text message with a code, or the options for a
 * passkey.
 *
 * @throws `method_not_enabled`, `login_blocked`, and the errors of `sendSmsCode`
 */
export async function challengeStepUp(auth: StepUpDeps, caller: Caller, method: ChallengeMethod): Promise<Challenge> {
  return auth.db.transaction().execute(async (trx) => {
    const { user, sessionId } = await lockCaller(trx, auth, caller)
    return sendChallenge(trx, auth, caller.client, { user, purpose: 'step_up', boundTo: sessionId }, method)
  })
}

interface SteppedUp {
  user: User
  session: Session
}

async function stepUpByPassword(auth: StepUpDeps, caller: Caller, password: string): Promise<SteppedUp> {
  const { userId } = caller
  const present = await findUser(auth.db, userId)
  if (present !== undefined) requireNoFactor(present)
  return confirmPassword(auth, caller, { password, pointer: '/password' }, async (trx, user) => {
    // A second factor may have been added while the password was being verified.
    requireNoFactor(user)
    return note(trx, auth, caller, user, { method: 'password', methods: ['pwd'] })
  })
}

async function stepUpByFactor(auth: StepUpDeps, caller: Caller, input: FactorInput): Promise<SteppedUp> {
  const { userId, sessionId } = caller
  const owner = await findUser(auth.db, userId)
  if (owner === undefined) throw credentialNotAccepted()
  const steppedUp = await tryCode(auth, caller.client, {
    owner,
    failure: { type: 'step_up_failed', method: input.method, sessionId },
    verify: async (trx) => {
      const { user } = await lockCaller(trx, auth, caller)
      const methods = await verifyFactor(
        trx,
        auth,
        caller.client,
        { user, purpose: 'step_up', boundTo: sessionId, sessionId },
        input,
      )
      return methods && { user, methods }
    },
    work: (trx, { user, methods }) => note(trx, auth, caller, user, { method: input.method, methods }),
  })
  if (steppedUp === undefined) throw wrongFactor(input)
  return steppedUp
}

async function note(
  trx: Trx,
  auth: StepUpDeps,
  caller: Caller,
  user: User,
  { method, methods }: { method: string; methods: string[] },
): Promise<SteppedUp> {
  const { sessionId } = caller
  const session = await setAuthenticated(trx, sessionId, methods, auth.clock.now())
  // The session ended while the factor was being verified.
  if (session === undefined) throw credentialNotAccepted()
  await auth.audit.record(trx, { type: 'step_up', userId: user.id, sessionId, client: caller.client, method })
  return { user, session }
}

function requireNoFactor({ mfaMethods }: User): void {
  if (mfaMethods.length === 0) return
  const detail = `A password is not enough for this account. Use one of: ${mfaMethods.join(', ')}, recovery_code.`
  throw codeProblems.invalid_code({ detail, errors: [{ code: 'invalid_code', pointer: '/password', detail }] })
}

function wrongFactor({ method }: FactorInput) {
  const pointer = method === 'webauthn' ? '/credential' : '/code'
  const detail = 'The code is wrong, was already used, or has expired.'
  return codeProblems.invalid_code({ errors: [{ code: 'invalid_code', pointer, detail }] })
}
