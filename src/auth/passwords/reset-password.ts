import { newId } from '../../platform/ids.ts'
import { requireEmailAddress } from '../accounts/email-address.ts'
import { findUser, findUserByEmail, type User, updateUser } from '../accounts/store.ts'
import { accountName, confirmationPool } from '../attempts/pools.ts'
import { clearPools } from '../attempts/store.ts'
import type { AuthContext } from '../context.ts'
import { type MailedToken, newEmailToken, readEmailToken, useEmailToken } from '../mail/email-token.ts'
import { mailPasswordChanged, mailReset, mayMail } from '../mail/mails.ts'
import { evenForNobody } from '../mail/neutral.ts'
import { authProblems } from '../problems.ts'
import { endUserSessions } from '../sessions/end-sessions.ts'
import { requireGoodPassword } from './policy.ts'

/** Mails a link to set a new password where there is an account; says nothing about whether there is. */
export async function requestReset(auth: AuthContext, address: string): Promise<void> {
  const email = requireEmailAddress(address, '/email')
  await auth.db.transaction().execute(async (trx) => {
    const user = await findUserByEmail(trx, email)
    if (!(await mayMail(trx, auth, 'reset_password', email))) return
    const exists = user !== undefined && user.disabledAt === null
    const userId = exists ? user.id : newId('user')
    await evenForNobody(trx, exists, async () => {
      await mailReset(trx, auth, email, await newEmailToken(trx, auth, { userId, purpose: 'reset_password' }))
    })
  })
}

/**
 * Sets a new password by a mailed link. Signs nobody in; every session ends, and the block of the account, since whoever
 * reads its mail is its owner. For the same reason the address counts as verified.
 *
 * @throws `invalid_token`, `password_rejected` (the link can then be used again)
 */
export async function resetPassword(
  auth: AuthContext,
  { token, newPassword }: { token: string; newPassword: string },
): Promise<void> {
  const given = { token, purpose: 'reset_password' } as const
  // Judged before anything is hashed: that is work which a stranger with a made-up token must not be able to ask for.
  await requireGoodPassword(newPassword, await ownerOf(auth, given), '/newPassword')
  const passwordHash = await auth.hasher.hash(newPassword)
  await auth.db.transaction().execute(async (trx) => {
    const now = auth.clock.now()
    const user = requireActive(await useEmailToken(trx, auth, given))
    const { id: userId } = user
    await updateUser(trx, userId, { passwordHash, emailVerifiedAt: user.emailVerifiedAt ?? now }, now)
    await clearPools(trx, accountName(user.email))
    await clearPools(trx, confirmationPool(userId, auth.config.login).name)
    await endUserSessions(trx, auth, { userId, except: undefined }, 'credential_changed')
    await mailPasswordChanged(trx, auth, user)
  })
}

async function ownerOf(auth: AuthContext, given: MailedToken): Promise<User> {
  return requireActive(await findUser(auth.db, await readEmailToken(auth.db, auth, given)))
}

function requireActive(user: User | undefined): User {
  if (user === undefined || user.disabledAt !== null) throw authProblems.invalid_token()
  return user
}
