import type { Db, Trx } from '../../../platform/db/index.ts'
import type { Client } from '../../caller.ts'
import { newId } from '../../ids.ts'
import { newEmailToken, useEmailToken } from '../../mail/email-token.ts'
import { type MailDeps, mailFirstPassword, mailVerification, mayMail } from '../../mail/mails.ts'
import { inUniformTime } from '../../mail/uniform-time.ts'
import { type AccountChangeDeps, endUserSessions } from '../../sessions/end-sessions.ts'
import { requireEmailAddress } from '../../users/email-address.ts'
import { takeEmailAddress } from '../../users/former-use.ts'
import { findUserByEmail, type User, updateUser } from '../../users/store.ts'
/**
 * Mails a verification token, unless the limit of mails is reached. If it is reached, no new token is created, and the
 * earlier token stays valid.
 */
export async function sendVerification(
  trx: Trx,
  auth: MailDeps,
  { id: userId, email }: Pick<User, 'id' | 'email'>,
): Promise<void> {
  if (!(await mayMail(trx, auth, 'verify_email', email))) return
  await mailVerification(trx, auth, email, await newEmailToken(trx, auth, { userId, purpose: 'verify_email' }))
}

/**
 * Mails a new verification token if an unverified account has this email address. The caller does not learn whether
 * such an account exists.
 */
export async function resendVerification(auth: MailDeps & { db: Db }, text: string): Promise<void> {
  const email = requireEmailAddress(text, '/email')
  await auth.db.transaction().execute(async (trx) => {
    const user = await findUserByEmail(trx, email)
    const waits = user !== undefined && user.emailVerifiedAt === null && user.disabledAt === null
    // Requests that cause no mail are counted separately. Otherwise, a stranger could use up the mails of a person who
    // registers afterwards.
    const isAllowed = await mayMail(trx, auth, waits ? 'verify_email' : 'no_verify_email', email)
    const userId = waits ? user.id : newId('user')
    // Registrations use up the limit of mails only if the email address has no verified account. If the limit changed
    // the response time, the caller would learn whether such an account exists.
    await inUniformTime(trx, waits && isAllowed, async () => {
      await mailVerification(trx, auth, email, await newEmailToken(trx, auth, { userId, purpose: 'verify_email' }))
    })
  })
}

/**
 * Verifies the email address of an account with the mailed token.
 *
 * @throws `invalid_token`
 */
export async function verifyEmail(auth: AccountChangeDeps, client: Client, token: string): Promise<void> {
  await auth.db.transaction().execute(async (trx) => {
    const { user } = await useEmailToken(trx, auth, { token, purpose: 'verify_email' })
    const now = auth.clock.now()
    await updateUser(trx, user.id, { emailVerifiedAt: now }, now)
    await auth.audit.record(trx, {
      type: 'email_verified',
      userId: user.id,
      client,
      method: 'email',
    })
    await takeEmailAddress(trx, auth, user)
    if (user.passwordContested) await dropContestedPassword(trx, auth, user)
  })
}

/**
 * Removes the password and the name, because another person may have chosen them. A second mail lets the owner of the
 * email address set a password.
 */
async function dropContestedPassword(trx: Trx, auth: AccountChangeDeps, { id: userId, email }: User): Promise<void> {
  await updateUser(trx, userId, { passwordHash: null, passwordContested: false, name: null }, auth.clock.now())
  await endUserSessions(trx, auth, { userId, except: undefined }, 'credential_changed')
  // No limit of mails applies: this mail is sent once, and only after a mail that was limited.
  await mailFirstPassword(trx, auth, email, await newEmailToken(trx, auth, { userId, purpose: 'reset_password' }))
}
