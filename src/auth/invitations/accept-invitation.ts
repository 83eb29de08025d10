import type { Trx } from '../../platform/db/index.ts'
import { httpProblems } from '../../platform/http/core/problems.ts'
import { removeCredentials } from '../accounts/remove-credentials.ts'
import type { Caller, Client } from '../caller.ts'
import { newId } from '../ids.ts'
import { hashSecret } from '../keys/secrets.ts'
import type { PasswordHasher } from '../passwords/hasher.ts'
import { type PolicyDeps, requireGoodPassword } from '../passwords/policy.ts'
import { authProblems } from '../problems.ts'
import { lockCaller } from '../sessions/lock-caller.ts'
import { takeEmailAddress } from '../users/former-use.ts'
import { findUserByEmail, insertUser, lockUserByEmail, type User, updateAccess, updateUser } from '../users/store.ts'
import type { InvitationDeps } from './invite.ts'
import { findInvitationByToken, type Invitation, takeInvitation } from './store.ts'

export type AcceptDeps = InvitationDeps & PolicyDeps & { hasher: PasswordHasher }

/**
 * Finds what a mailed token offers, and whether its email address has an account, which only the owner of the mailbox
 * learns.
 *
 * @throws `invalid_token`
 */
export async function readInvitation(
  { db, clock }: InvitationDeps,
  token: string,
): Promise<{ invitation: Invitation; hasAccount: boolean }> {
  const invitation = await findInvitationByToken(db, hashSecret(token), clock.now())
  if (invitation === undefined) throw authProblems.invalid_token()
  const user = await findUserByEmail(db, invitation.email)
  return { invitation, hasAccount: user !== undefined && user.emailVerifiedAt !== null }
}

/**
 * Creates the account of an invited person. The mail shows that the caller owns the email address, so it counts as
 * verified, and an unverified registration with it loses its credentials. It opens no session.
 *
 * @throws `invalid_token`, `invitation_needs_sign_in`, `password_rejected`
 */
export async function acceptInvitation(
  auth: AcceptDeps,
  client: Client,
  { token, password, name: given }: { token: string; password: string; name?: string },
): Promise<void> {
  const { invitation, hasAccount } = await readInvitation(auth, token)
  if (hasAccount) throw authProblems.invitation_needs_sign_in()
  const [{ email }, name] = [invitation, given ?? null]
  await requireGoodPassword(auth, password, { email, name }, '/password')
  const passwordHash = await auth.hasher.hash(password, client)
  await auth.db.transaction().execute(async (trx) => {
    const user = await ownAccount(trx, auth, client, { email, name, passwordHash })
    const taken = await takeInvitation(trx, { tokenHash: hashSecret(token), userId: user.id }, auth.clock.now())
    if (taken === undefined) throw authProblems.invalid_token()
    if (taken.locale !== null) await updateUser(trx, user.id, { locale: taken.locale }, auth.clock.now())
    await takeEmailAddress(trx, auth, user)
    await grant(trx, auth, user, taken, { client, sessionId: null })
  })
}

/** Creates and locks an account with a verified email address, or empties the unverified one that has it. */
async function ownAccount(
  trx: Trx,
  auth: AcceptDeps,
  client: Client,
  { email, name, passwordHash }: { email: string; name: string | null; passwordHash: string },
): Promise<User> {
  const at = auth.clock.now()
  const id = newId('user')
  const isNew = await insertUser(trx, { id, email, name, role: 'customer', passwordHash, emailVerifiedAt: at, at })
  const user = await lockUserByEmail(trx, email)
  if (user === undefined) throw httpProblems.service_unavailable({ headers: { 'Retry-After': '1' } })
  if (isNew) {
    await auth.audit.record(trx, { type: 'sign_up', userId: id, client, method: 'invitation' })
    return user
  }
  if (user.emailVerifiedAt !== null) throw authProblems.invitation_needs_sign_in()
  if (user.disabledAt !== null) throw authProblems.invalid_token()
  await removeCredentials(trx, auth, user.id, 'credential_changed')
  for (const type of ['account_emptied', 'email_verified'] as const)
    await auth.audit.record(trx, { type, userId: user.id, client, method: 'invitation' })
  const own = await updateUser(trx, user.id, { name, passwordHash, emailVerifiedAt: at }, at)
  if (own === undefined) throw authProblems.invalid_token()
  return own
}

/**
 * Gives the role of an invitation to the account of the caller, which must have the invited email address.
 *
 * @throws `invalid_token`, `invitation_for_another_account`, `credential_not_accepted`
 */
export async function claimInvitation(auth: InvitationDeps, caller: Caller, token: string): Promise<User> {
  return auth.db.transaction().execute(async (trx) => {
    const { user, sessionId } = await lockCaller(trx, auth, caller)
    const invitation = await takeInvitation(trx, { tokenHash: hashSecret(token), userId: user.id }, auth.clock.now())
    if (invitation === undefined) throw authProblems.invalid_token()
    if (invitation.email !== user.email) throw authProblems.invitation_for_another_account()
    return grant(trx, auth, user, invitation, { client: caller.client, sessionId })
  })
}

const RANK = { customer: 0, operator: 1, admin: 2 } as const

/** Whether an invitation gives an account more than it has. It never takes anything away. */
function givesMore(user: User, { role }: Invitation): boolean {
  const isRestricted = user.role === 'operator' && user.staffRole !== null
  return RANK[role] > RANK[user.role] || (role === user.role && isRestricted)
}

async function grant(
  trx: Trx,
  auth: InvitationDeps,
  user: User,
  invitation: Invitation,
  by: { client: Client; sessionId: string | null },
): Promise<User> {
  const { role, staffRole } = givesMore(user, invitation) ? invitation : user
  const before = { roleBefore: user.role, staffRoleBefore: user.staffRole }
  const details = { invitation: invitation.id, ...before, role, staffRole }
  await auth.audit.record(trx, { type: 'invitation_accepted', userId: user.id, ...by, details })
  if (role === user.role && staffRole === user.staffRole) return user
  await auth.revocations.invalidate(trx, user.id)
  const { disabledAt } = user
  return (await updateAccess(trx, user.id, { role, staffRole, disabledAt }, auth.clock.now())) ?? user
}
