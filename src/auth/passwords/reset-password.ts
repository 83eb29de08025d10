import type { Config } from '../../config/index.ts'
import type { Client } from '../caller.ts'
import { newId } from '../ids.ts'
import { type MailedToken, newEmailToken, readEmailToken, useEmailToken } from '../mail/email-token.ts'
import { mailPasswordChanged, mailReset, mayMail } from '../mail/mails.ts'
import { dropEmailTokens } from '../mail/store.ts'
import { inUniformTime } from '../mail/uniform-time.ts'
import { authProblems } from '../problems.ts'
import { type AccountChangeDeps, endUserSessions } from '../sessions/end-sessions.ts'
import { accountBucketName, confirmationBucket } from '../throttle/buckets.ts'
import { liftBlocks } from '../throttle/lift-blocks.ts'
import { requireEmailAddress } from '../users/email-address.ts'
import { takeEmailAddress } from '../users/former-use.ts'
import { findUser, lockUserByEmail, type User, updateUser } from '../users/store.ts'
import type { PasswordHasher } from './hasher.ts'
import { type PolicyDeps, requireGoodPassword } from './policy.ts'

export type ResetDeps = PolicyDeps & AccountChangeDeps & { hasher: PasswordHasher; config: Pick<Config, 'login'> }

/**
 * Mails a link to set a new password if an account has the email address. The response does not reveal whether one has
 * it.
 */
export async function requestReset(auth: ResetDeps, client: Client, text: string): Promise<void> {
  const email = requireEmailAddress(text, '/email')
  await auth.db.transaction().execute(async (trx) => {
    // Locked, so that the link is not mailed to an email address that the account is just giving up.
    const user = await lockUserByEmail(trx, email)
    const exists = user !== undefined && user.disabledAt === null
    // Requests that cause no mail do not use up those of a person who registers afterwards.
    if (!(await mayMail(trx, auth, exists ? 'reset_password' : 'no_reset_password', email))) return
    const userId = exists ? user.id : newId('user')
    await inUniformTime(trx, exists, async () => {
      await auth.audit.record(trx, { type: 'password_reset_requested', userId, actor: null, client })
      await mailReset(trx, auth, email, await newEmailToken(trx, auth, { userId, purpose: 'reset_password' }))
    })
  })
}

/**
 * Sets a new password with a mailed token. It opens no session. The mail shows that the caller owns the account, so all
 * sessions and the blocks of the account end, and the email address becomes verified.
 *
 * @returns the account
 * @throws `invalid_token`; `password_rejected`, after which the token stays valid
 */
export async function resetPassword(
  auth: ResetDeps,
  client: Client,
  { token, newPassword }: { token: string; newPassword: string },
): Promise<User> {
  const given = { token, purpose: 'reset_password' } as const
  // An unknown token is rejected here, so that it does not cause the expensive hashing.
  const owner = await ownerOf(auth, given)
  await requireGoodPassword(auth, newPassword, owner, '/newPassword')
  const passwordHash = await auth.hasher.hash(newPassword, { ip: client.ip, account: owner.id })
  return auth.db.transaction().execute(async (trx) => {
    const now = auth.clock.now()
    const user = requireActive((await useEmailToken(trx, auth, given)).user)
    const { id: userId } = user
    const emailVerifiedAt = user.emailVerifiedAt ?? now
    // Another person may have registered the account and chosen the name.
    const foreign = user.passwordContested ? { name: null } : {}
    await updateUser(trx, userId, { passwordHash, passwordContested: false, emailVerifiedAt, ...foreign }, now)
    // If an attacker had access to the account, a pending change of the email address may be the attacker's.
    await dropEmailTokens(trx, userId)
    const event = { userId, client }
    await liftBlocks(trx, auth, event, [
      accountBucketName(user.email),
      confirmationBucket(userId, auth.config.login).name,
    ])
    const sessions = await endUserSessions(trx, auth, { userId, except: undefined }, 'credential_changed')
    await auth.audit.record(trx, { type: 'password_reset', ...event, method: 'email', details: { sessions } })
    await mailPasswordChanged(trx, auth, user)
    if (user.emailVerifiedAt === null) await takeEmailAddress(trx, auth, user)
    return user
  })
}

async function ownerOf(auth: ResetDeps, given: MailedToken): Promise<User> {
  return requireActive(await findUser(auth.db, await readEmailToken(auth.db, auth, given)))
}

function requireActive(user: User | undefined): User {
  if (user === undefined || user.disabledAt !== null) throw authProblems.invalid_token()
  return user
}
