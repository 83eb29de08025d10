import type { Db, Trx } from '../../../platform/db/index.ts'
import { newId } from '../../../platform/ids.ts'
import type { Client } from '../../caller.ts'
import { newEmailToken, useEmailToken } from '../../mail/email-token.ts'
import { type MailDeps, mailFirstPassword, mailVerification, mayMail } from '../../mail/mails.ts'
import { inUniformTime } from '../../mail/uniform-time.ts'
import { type AccountChangeDeps, endUserSessions } from '../../sessions/end-sessions.ts'
import { requireEmailAddress } from '../../users/email-address.ts'
import { findUserByEmail, type User, updateUser } from '../../users/store.ts'
/** Mails a link that verifies the email address, unless one was sent a moment ago: then that one goes on working. */
export async function sendVerification(
  trx: Trx,
  auth: MailDeps,
  { id: userId, email }: Pick<User, 'id' | 'email'>,
): Promise<void> {
  if (!(await mayMail(trx, auth, 'verify_email', email))) return
  await mailVerification(trx, auth, email, await newEmailToken(trx, auth, { userId, purpose: 'verify_email' }))
}

/** Sends the link again where an account waits for it; says nothing about whether one does. */
export async function resendVerification(auth: MailDeps & { db: Db }, text: string): Promise<void> {
  const email = requireEmailAddress(text, '/email')
  await auth.db.transaction().execute(async (trx) => {
    const user = await findUserByEmail(trx, email)
    const isAllowed = await mayMail(trx, auth, 'verify_email', email)
    const waits = user !== undefined && user.emailVerifiedAt === null && user.disabledAt === null
    const userId = waits ? user.id : newId('user')
    // A registration counts toward the cap only where the address has no verified account, so the cap must not show.
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
    if (user.passwordContested) await dropContestedPassword(trx, auth, user)
  })
}

/**
 * The reader of the mail owns the address, but the stored password may be another person's: a second mail lets the owner
 * set one. The registered name goes as well.
 */
async function dropContestedPassword(trx: Trx, auth: AccountChangeDeps, { id: userId, email }: User): Promise<void> {
  await updateUser(trx, userId, { passwordHash: null, passwordContested: false, name: null }, auth.clock.now())
  await endUserSessions(trx, auth, { userId, except: undefined }, 'credential_changed')
  // No cap: it is sent once, and only after a link that was capped itself.
  await mailFirstPassword(trx, auth, email, await newEmailToken(trx, auth, { userId, purpose: 'reset_password' }))
}
