import { randomBytes } from 'node:crypto'
import { addSeconds, type Clock } from '../../../platform/clock.ts'
import type { Db, Trx } from '../../../platform/db/index.ts'
import type { Audit } from '../../audit/audit.ts'
import type { Client } from '../../caller.ts'
import { newId } from '../../ids.ts'
import type { MailDeps } from '../../mail/mails.ts'
import { mailSecurityNotice } from '../../mail/notices.ts'
import { findUser, type User } from '../../users/store.ts'
import { CHALLENGE_SECONDS, type PasskeyConfig, requestOptions, verifyAssertion } from './relying-party.ts'
import type { Assertion, AssertionOffer } from './schemas.ts'
import { type ChallengeKey, findCredential, insertChallenge, listAllPasskeys, noteUse, useChallenge } from './store.ts'

export type AssertionDeps = MailDeps & PasskeyConfig & { audit: Audit }

/**
 * The `amr` values of a passkey (RFC 8176). The client proved possession of a key (`pop`), and the authenticator
 * verified a present user (`user`). Together these are two factors (`mfa`).
 */
const METHODS = ['pop', 'user', 'mfa']

type Purpose = 'second_factor' | 'step_up'

/**
 * Creates a challenge and the options with which one of a user's passkeys can respond to it.
 *
 * @param boundTo the hash of the token of the pending sign-in, or the id of the session
 */
export async function offerAssertion(
  trx: Db | Trx,
  auth: AssertionDeps,
  { userId, purpose, boundTo }: { userId: string; purpose: Purpose; boundTo: string },
): Promise<AssertionOffer> {
  const { challengeId, challenge } = await newChallenge(trx, auth, { purpose, userId, boundTo })
  return { challengeId, publicKey: requestOptions(auth.config, challenge, await listAllPasskeys(trx, userId)) }
}

/**
 * Verifies the response to the options of `offerAssertion`. Commit the transaction even if the response is invalid, so
 * that the challenge is consumed and the use of a copied passkey is reported.
 *
 * @returns the `amr` values, which contain `mfa`; undefined if the response is invalid
 */
export async function takeAssertion(
  trx: Trx,
  auth: AssertionDeps,
  given: {
    userId: string
    purpose: Purpose
    boundTo: string
    challengeId: string
    credential: Assertion
    /** The client that is recorded in security events. */
    client?: Client
  },
): Promise<{ methods: string[] } | undefined> {
  const { userId, purpose, boundTo, challengeId, credential, client = null } = given
  const challenge = await useChallenge(trx, { id: challengeId, purpose, userId, boundTo }, auth.clock.now())
  const user = await findUser(trx, userId)
  if (challenge === undefined || user === undefined) return undefined
  return useAssertion(trx, auth, { user, challenge, credential, client, isNameless: false })
}

/** Creates a challenge: random bytes that an authenticator must sign. */
export async function newChallenge(
  db: Db | Trx,
  { clock }: { clock: Clock },
  key: Omit<ChallengeKey, 'id'>,
): Promise<{ challengeId: string; challenge: Buffer }> {
  const createdAt = clock.now()
  const challengeId = newId('challenge')
  const challenge = randomBytes(32)
  const expiresAt = addSeconds(createdAt, CHALLENGE_SECONDS)
  await insertChallenge(db, { id: challengeId, ...key }, { expected: challenge, createdAt, expiresAt })
  return { challengeId, challenge }
}

/**
 * Verifies an assertion for a consumed challenge, and records the use of the passkey. Commit the transaction in either
 * case.
 *
 * @param given `user` was read with a lock
 * @returns undefined if the assertion is invalid or the passkey belongs to another user
 */
export async function useAssertion(
  trx: Trx,
  auth: AssertionDeps,
  given: { user: User; challenge: Buffer; credential: Assertion; client: Client | null; isNameless: boolean },
): Promise<{ methods: string[] } | undefined> {
  const { user, challenge, credential, client, isNameless } = given
  const passkey = await findCredential(trx, Buffer.from(credential.id, 'base64url'))
  if (passkey === undefined || passkey.userId !== user.id) return undefined
  const use = await verifyAssertion(auth.config, challenge, passkey, credential, isNameless)
  if (use === undefined) return undefined
  const event = { userId: user.id, client, method: 'webauthn', details: { passkey: passkey.id } } as const
  if (await noteUse(trx, passkey.id, use, auth.clock.now())) {
    await auth.audit.record(trx, { type: 'passkey_used', ...event })
    return { methods: [...METHODS] }
  }
  await auth.audit.record(trx, { type: 'passkey_counter_decreased', result: 'failure', actor: null, ...event })
  await mailSecurityNotice(trx, auth, user.email, {
    subject: 'One of your passkeys may have been copied',
    what:
      'One of your passkeys was used, but its counter shows that it, or a copy of it, was used elsewhere before. ' +
      'We refused this sign-in. If you do not know why this happened, remove that passkey and add a new one.',
  })
  return undefined
}
