import { randomBytes } from 'node:crypto'
import type { Trx } from '../../platform/db/index.ts'
import type { Caller } from '../caller.ts'
import { newId } from '../ids.ts'
import { mailSecurityNotice } from '../mail/notices.ts'
import { factorsChanged } from '../mfa/factors/factors-changed.ts'
import { authProblems, credentialNotAccepted } from '../problems.ts'
import type { AccountChangeDeps } from '../sessions/end-sessions.ts'
import { lockCaller } from '../sessions/lock-caller.ts'
import { lockUser, type User } from '../users/store.ts'
import { newChallenge } from './webauthn/assertions.ts'
import {
  creationOptions,
  type PasskeyConfig,
  type VerifiedCredential,
  verifyCreation,
} from './webauthn/relying-party.ts'
import type { NewCredential, RegistrationOffer } from './webauthn/schemas.ts'
import { handleOf, insertPasskey, listAllPasskeys, type Passkey, useChallenge } from './webauthn/store.ts'

const PASSKEYS_PER_ACCOUNT = 20

export interface AddedPasskey {
  passkey: Passkey
  /** New recovery codes if the passkey is the first second factor of the account; otherwise undefined. */
  recoveryCodes: string[] | undefined
}

/**
 * Offers to register a passkey for the caller's account. Only the session of the caller can complete the registration.
 *
 * @throws `passkey_limit_reached`
 */
export async function offerRegistration(
  auth: AccountChangeDeps & PasskeyConfig,
  caller: Caller,
): Promise<RegistrationOffer> {
  const { userId, sessionId } = caller
  return auth.db.transaction().execute(async (trx) => {
    const user = await lockUser(trx, userId, 'share')
    if (user === undefined) throw credentialNotAccepted()
    const present = await requireRoom(trx, userId)
    // The handle is random, because authenticators store and show it. It must not identify the user.
    const handle = await handleOf(trx, userId, randomBytes(32))
    const { challengeId, challenge } = await newChallenge(trx, auth, { purpose: 'enroll', userId, boundTo: sessionId })
    return { challengeId, publicKey: creationOptions(auth.config, challenge, { ...user, handle }, present) }
  })
}

/**
 * Adds a passkey that was created with the options of `offerRegistration` to the caller's account. It counts as a
 * second factor, and the caller's other sessions end.
 *
 * @throws `webauthn_failed`, `credential_exists`, `passkey_limit_reached`
 */
export async function registerPasskey(
  auth: AccountChangeDeps & PasskeyConfig,
  caller: Caller,
  { challengeId, credential, name }: { challengeId: string; credential: NewCredential; name?: string },
): Promise<AddedPasskey> {
  const { userId, sessionId: boundTo } = caller
  // A separate transaction consumes the challenge, so that it stays consumed if the registration fails.
  const challenge = await useChallenge(
    auth.db,
    { id: challengeId, purpose: 'enroll', userId, boundTo },
    auth.clock.now(),
  )
  if (challenge === undefined) throw failed('/challengeId', 'The challenge is unknown, expired or of another session.')
  const verified = await verifyCreation(auth.config, challenge, credential)
  if (verified === undefined) throw failed('/credential', 'This is not a valid answer to the options.')
  const { transports = [] } = credential.response
  return auth.db.transaction().execute(async (trx) => {
    const { user } = await lockCaller(trx, auth, caller)
    return addPasskey(trx, auth, caller, user, { ...verified, transports, name: name ?? defaultName(transports) })
  })
}

async function addPasskey(
  trx: Trx,
  auth: AccountChangeDeps,
  caller: Caller,
  user: User,
  credential: VerifiedCredential & { transports: string[]; name: string },
): Promise<AddedPasskey> {
  const { id: userId } = user
  const { sessionId } = caller
  await requireRoom(trx, userId)
  const passkey = await insertPasskey(trx, { ...credential, id: newId('credential'), userId, at: auth.clock.now() })
  if (passkey === undefined) throw authProblems.credential_exists()
  const recoveryCodes = await factorsChanged(trx, auth, { userId, sessionId })
  const details = { passkey: passkey.id, deviceType: credential.deviceType, backedUp: credential.isBackedUp }
  await auth.audit.record(trx, { type: 'passkey_added', userId, sessionId, client: caller.client, details })
  await mailSecurityNotice(trx, auth, user.email, {
    subject: 'A passkey was added to your account',
    what:
      'A passkey was added to your account. From now on you can sign in with it, and the password alone is not ' +
      'sufficient. Other devices were signed out.',
  })
  return { passkey, recoveryCodes }
}

async function requireRoom(trx: Trx, userId: string): Promise<Passkey[]> {
  const present = await listAllPasskeys(trx, userId)
  if (present.length >= PASSKEYS_PER_ACCOUNT) throw authProblems.passkey_limit_reached()
  return present
}

function defaultName(transports: readonly string[]): string {
  const isRoaming = transports.some((transport) => ['usb', 'nfc', 'ble'].includes(transport))
  return isRoaming && !transports.includes('internal') ? 'Security key' : 'Passkey'
}

function failed(pointer: string, detail: string) {
  return authProblems.webauthn_failed({ errors: [{ code: 'webauthn_failed', pointer, detail }] })
}
