import type { Config } from '../../config/index.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import type { Client } from '../caller.ts'
import {
  type CompleteSignInDeps,
  completeSignIn,
  invalidCredentials,
  type SignInResult,
} from '../sign-in/complete-sign-in.ts'
import { ipBucket } from '../throttle/buckets.ts'
import { type FailureDeps, recordFailedVerification } from '../throttle/record-failure.ts'
import type { Attempt, Throttle } from '../throttle/throttle.ts'
import { findUser, lockUser, type User } from '../users/store.ts'
import { newChallenge, useAssertion } from './webauthn/assertions.ts'
import { type PasskeyConfig, requestOptions } from './webauthn/relying-party.ts'
import type { Assertion, AssertionOffer } from './webauthn/schemas.ts'
import { findCredential, useChallenge } from './webauthn/store.ts'

export type PasskeySignInDeps = CompleteSignInDeps &
  FailureDeps &
  PasskeyConfig & { db: Db; throttle: Throttle; config: Pick<Config, 'login'> }

const NAMELESS = { purpose: 'sign_in', userId: null, boundTo: null } as const

/**
 * Offers a sign-in with any passkey of this site. The user chooses a passkey in the authenticator, and the passkey
 * determines the account.
 */
export async function offerSignIn(auth: PasskeySignInDeps): Promise<AssertionOffer> {
  const { challengeId, challenge } = await newChallenge(auth.db, auth, NAMELESS)
  return { challengeId, publicKey: requestOptions(auth.config, challenge, []) }
}

interface PasskeyAssertion {
  challengeId: string
  credential: Assertion
}

/**
 * Signs in with a passkey that responded to the options of `offerSignIn`. The authenticator has verified the user, so
 * no second factor is required.
 *
 * @throws `invalid_credentials` for any fault, `login_blocked`
 */
export async function signInWithPasskey(
  auth: PasskeySignInDeps,
  client: Client,
  assertion: PasskeyAssertion,
): Promise<SignInResult> {
  return auth.throttle.run([ipBucket(client.ip, auth.config.login)], async (attempt) => {
    const key = { id: assertion.challengeId, ...NAMELESS }
    // A separate transaction consumes the challenge, so that it stays consumed if the sign-in fails.
    const challenge = await useChallenge(auth.db, key, auth.clock.now())
    const claimed = await findCredential(auth.db, Buffer.from(assertion.credential.id, 'base64url'))
    const result =
      challenge === undefined || claimed === undefined
        ? undefined
        : await auth.db.transaction().execute(async (trx) => {
            const user = await lockUser(trx, claimed.userId, 'update')
            return user && trySignIn(trx, auth, client, attempt, { user, challenge, credential: assertion.credential })
          })
    if (result !== undefined) return result
    await fail(auth, client, attempt, claimed && (await findUser(auth.db, claimed.userId)))
    throw invalidCredentials()
  })
}

async function trySignIn(
  trx: Trx,
  auth: PasskeySignInDeps,
  client: Client,
  attempt: Attempt,
  { user, challenge, credential }: { user: User; challenge: Buffer; credential: Assertion },
): Promise<SignInResult | undefined> {
  if (user.disabledAt !== null) return undefined
  const assertion = { user, challenge, credential, client, isNameless: true }
  const verified = await useAssertion(trx, auth, assertion)
  if (verified === undefined) return undefined
  const result = await completeSignIn(trx, auth, client, {
    user,
    verification: { signInMethod: 'passkey', methods: verified.methods, isMultiFactor: true },
  })
  await attempt.succeed(trx)
  return result
}

async function fail(auth: PasskeySignInDeps, client: Client, attempt: Attempt, user: User | undefined) {
  const failure = {
    type: 'sign_in_failed',
    user,
    email: user?.email ?? '',
    client,
    method: 'passkey',
  } as const
  await attempt.fail(user?.id ?? null, (trx, begun) => recordFailedVerification(trx, auth, failure, begun))
}
