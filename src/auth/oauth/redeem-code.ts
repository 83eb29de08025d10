import { createHash } from 'node:crypto'
import { addSeconds, type Clock } from '../../platform/clock.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import type { Client } from '../caller.ts'
import { hashSecret, newSecret } from '../keys/secrets.ts'
import { findCodeOwner, insertCode, type SignInCode, takeCode } from '../pending-sign-ins/codes.ts'
import { authProblems } from '../problems.ts'
import { type CompleteSignInDeps, completeSignIn, type SignInResult } from '../sign-in/complete-sign-in.ts'
import { lockUser } from '../users/store.ts'

export type RedeemDeps = CompleteSignInDeps & { db: Db }

/** Lifetime of a code, from the redirect to the client's next request. */
const CODE_SECONDS = 60

/** Creates the code that a client redeems, so that no URL holds a token. It has 256 bits and is stored as a hash. */
export async function newCode(
  trx: Trx,
  { clock }: { clock: Clock },
  content: Omit<SignInCode, 'codeHash' | 'expiresAt'>,
): Promise<string> {
  const code = newSecret()
  await insertCode(trx, { ...content, codeHash: hashSecret(code), expiresAt: addSeconds(clock.now(), CODE_SECONDS) })
  return code
}

/**
 * Completes a sign-in with a code, once. A wrong verifier does not consume the code: otherwise a thief of the code
 * could lock its owner out. A second use does not end the session of the first: a page that sends its code twice would
 * lose its session.
 *
 * @throws `invalid_grant` if the code is unknown, used, expired or has another verifier; `invalid_credentials`
 */
export async function redeemCode(
  auth: RedeemDeps,
  client: Client,
  { code, codeVerifier }: { code: string; codeVerifier?: string },
): Promise<SignInResult> {
  const codeHash = hashSecret(code)
  // A verifier without a challenge at the start is wrong, too (RFC 9700, 2.1.1): an attacker may have removed the
  // challenge.
  const codeChallenge = codeVerifier === undefined ? null : challengeOf(codeVerifier)
  const result = await auth.db.transaction().execute(async (trx) => {
    const userId = await findCodeOwner(trx, codeHash)
    const user = userId === undefined ? undefined : await lockUser(trx, userId, 'update')
    if (user === undefined) return { refusedTo: undefined }
    const taken = await takeCode(trx, { codeHash, codeChallenge }, auth.clock.now())
    if (taken === undefined) return { refusedTo: user.id }
    const { provider: signInMethod, methods } = taken
    return completeSignIn(trx, auth, client, { user, verification: { signInMethod, methods, isMultiFactor: false } })
  })
  if ('status' in result) return result
  if (result.refusedTo !== undefined) await recordRefusal(auth, client, result.refusedTo)
  throw authProblems.invalid_grant()
}

async function recordRefusal(auth: RedeemDeps, client: Client, userId: string): Promise<void> {
  const event = {
    type: 'sign_in_failed',
    result: 'failure',
    userId,
    actor: null,
    client,
    method: 'oauth_code',
  } as const
  await auth.audit.record(auth.db, event)
}

/** S256 of RFC 7636, 4.2. */
function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}
