import type { Trx } from '../../platform/db/index.ts'
import { httpProblems } from '../../platform/http/core/problems.ts'
import { noteNewcomer } from '../../platform/newcomers.ts'
import { removeCredentials } from '../accounts/remove-credentials.ts'
import type { Client } from '../caller.ts'
import { newId } from '../ids.ts'
import { networkGroup } from '../keys/network-group.ts'
import { mailSecurityNotice } from '../mail/notices.ts'
import { authProblems } from '../problems.ts'
import { invalidCredentials } from '../sign-in/complete-sign-in.ts'
import { takeEmailAddress } from '../users/former-use.ts'
import { insertUser, lockUser, lockUserByEmail, type User, updateUser } from '../users/store.ts'
import type { IdentityDeps } from './identities.ts'
import { titleOf } from './open-providers.ts'
import type { Profile } from './providers/provider.ts'
import { findIdentityOwner, insertIdentity, lockIdentity, noteIdentityUsed } from './store.ts'

/**
 * Either the account of an identity, or the verified account that has the email address of the identity. The identity
 * gives no access to the latter.
 */
export type Identified = { user: User } | { ownerOfEmail: User }

/**
 * Finds and locks the account of an identity. If the subject of the identity is known, its account is returned.
 * Otherwise the email address decides:
 *
 * - If no account has the email address, a new, verified account is created.
 * - If an unverified account has it, the identity takes over that account, after everything that its registrant left
 *   there was removed.
 * - If a verified account has it, its owner must sign in and link the provider (`ownerOfEmail`).
 *
 * @throws `provider_email_unverified`; `registration_closed` instead of a new account; `invalid_credentials` if the account was disabled before it was verified
 */
export async function identify(
  trx: Trx,
  auth: IdentityDeps,
  client: Client,
  provider: string,
  profile: Profile,
): Promise<Identified> {
  const identity = { provider, subject: profile.subject }
  await lockIdentity(trx, identity)
  const ownerId = await findIdentityOwner(trx, identity)
  const owner = ownerId === undefined ? undefined : await lockUser(trx, ownerId, 'update')
  const use = { label: profile.label, at: auth.clock.now() }
  // The identity may have been unlinked while this transaction waited for the lock of its owner.
  if (owner !== undefined && (await noteIdentityUsed(trx, identity, { ...use, userId: owner.id }))) {
    return { user: owner }
  }
  if (profile.verifiedEmail === undefined) throw authProblems.provider_email_unverified()
  const found = await findByEmail(trx, auth, client, provider, { ...profile, verifiedEmail: profile.verifiedEmail })
  if ('user' in found) {
    await insertIdentity(trx, identity, { ...use, userId: found.user.id })
    await noteIdentityUsed(trx, identity, { ...use, userId: found.user.id })
  }
  return found
}

type ProfileWithEmail = Profile & { verifiedEmail: string }

async function findByEmail(
  trx: Trx,
  auth: IdentityDeps,
  client: Client,
  provider: string,
  { verifiedEmail: email, name }: ProfileWithEmail,
): Promise<Identified> {
  const isOpen = auth.config.registration === 'open'
  if (!isOpen && (await lockUserByEmail(trx, email)) === undefined) throw authProblems.registration_closed()
  const at = auth.clock.now()
  const id = newId('user')
  const isNew = await insertUser(trx, {
    id,
    email,
    name,
    role: 'customer',
    passwordHash: null,
    emailVerifiedAt: at,
    at,
  })
  const user = await lockUserByEmail(trx, email)
  // The account was deleted or got another email address while this transaction waited. A retry will create a new
  // account.
  if (user === undefined) throw httpProblems.service_unavailable({ headers: { 'Retry-After': '1' } })
  if (isNew) {
    await noteNewcomer(trx, id, networkGroup(auth.keys, client.ip))
    await takeEmailAddress(trx, auth, user)
    await auth.audit.record(trx, { type: 'sign_up', userId: id, client, method: provider })
    return { user }
  }
  if (user.emailVerifiedAt !== null) return { ownerOfEmail: user }
  if (user.disabledAt !== null) throw invalidCredentials()
  return { user: await takeOver(trx, auth, client, provider, { user, name }) }
}

/** Gives an unverified account to the owner of its email address. The provider has verified that the owner signs in. */
async function takeOver(
  trx: Trx,
  auth: IdentityDeps,
  client: Client,
  provider: string,
  { user, name }: { user: User; name: string | null },
): Promise<User> {
  const { id: userId, email } = user
  const at = auth.clock.now()
  await removeCredentials(trx, auth, userId, 'credential_changed')
  const own = await updateUser(trx, userId, { name, emailVerifiedAt: at }, at)
  if (own === undefined) throw invalidCredentials()
  await takeEmailAddress(trx, auth, own)
  for (const type of ['account_emptied', 'email_verified', 'identity_linked'] as const) {
    await auth.audit.record(trx, { type, userId, client, method: provider })
  }
  await mailSecurityNotice(trx, auth, email, {
    subject: 'An earlier registration was removed',
    what:
      `You signed in with ${titleOf(auth.providers, provider)}. This email address was registered before, but never ` +
      'confirmed. We removed the password and all data of that registration.',
  })
  return own
}
