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
/** Mails a verification token, unless the cap forbids it. In that case the earlier token keeps working. */
export async function sendVerification(
  trx: Trx,
  auth: MailDeps,
  { id: userId, email }: Pick<User, 'id' | 'email'>,
): Promise<void> {
  if (!(await mayMail(trx, auth, 'verify_email', email))) return
  await mailVerification(trx, auth, email, await newEmailToken(trx, auth, { userId, purpose: 'verify_email' }))
}

/** Mails the token again if an unverified account waits for it. The caller does not learn whether one does. */
export async function resendVerification(auth: MailDeps & { db: Db }, text: string): Promise<void> {
  const email = requireEmailAddress(text, '/email')
  await auth.db.transaction().execute(async (trx) => {
    const user = await findUserByEmail(trx, email)
    const isAllowed = await mayMail(trx, auth, 'verify_email', email)
    const waits = user !== undefined && user.emailVerifiedAt === null && user.disabledAt === null
    const userId = waits ? user.id : newId('user')
    // A registration counts toward the cap only if the email address has no verified account, so an effect of the cap
    // on the response time would reveal the account.
    await inUniformTime(trx, waits && isAllowed, async () => {
      await mailVerification(trx, auth, email, await newEmailToken(trx, auth, { userId, purpose: 'verify_email' }))
    })
  })
}

/** @throws `invalid_token` */
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
 * Removes the password and the name, which may be another person's. The reader of the mail owns the email address, and
 * a second mail lets them set a password.
 */
async function dropContestedPassword(trx: Trx, auth: AccountChangeDeps, { id: userId, email }: User): Promise<void> {
  await updateUser(trx, userId, { passwordHash: null, passwordContested: false, name: null }, auth.clock.now())
  await endUserSessions(trx, auth, { userId, except: undefined }, 'credential_changed')
  // Not capped: this mail is sent once, and only after a link that was capped.
  await mailFirstPassword(trx, auth, email, await newEmailToken(trx, auth, { userId, purpose: 'reset_password' }))
}
