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

/** Lifetime of a code. The client redeems it in its first request after the redirect. */
const CODE_SECONDS = 60

/**
 * Creates the code that a client redeems, so that no URL contains a token. The code has 256 random bits and is stored
 * as a hash.
 */
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
 * Completes a sign-in with a code, which can be used once. A wrong verifier does not consume the code, because
 * otherwise an attacker with a stolen code could prevent the owner's sign-in. A second use does not end the session of
 * the first, because otherwise a page that sends its code twice would lose its session.
 *
 * @throws `invalid_grant` if the code is unknown, used or expired, or the verifier is wrong; `invalid_credentials`
 */
export async function redeemCode(
  auth: RedeemDeps,
  client: Client,
  { code, codeVerifier }: { code: string; codeVerifier?: string },
): Promise<SignInResult> {
  const codeHash = hashSecret(code)
  // A verifier for a code without a challenge is rejected, too, because an attacker may have removed the challenge (RFC
  // 9700, section 2.1.1).
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

/** Returns the S256 challenge of a verifier (RFC 7636, section 4.2). */
function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}
