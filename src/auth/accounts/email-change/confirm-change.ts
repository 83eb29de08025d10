import type { Trx } from '../../../platform/db/index.ts'
import type { Client } from '../../caller.ts'
import { useEmailToken } from '../../mail/email-token.ts'
import { mailEmailChanged } from '../../mail/mails.ts'
import { dropEmailTokens } from '../../mail/store.ts'
import { authProblems } from '../../problems.ts'
import { type AccountChangeDeps, endUserSessions } from '../../sessions/end-sessions.ts'
import { isOpenOrLoggedOut } from '../../sessions/store.ts'
import { leaveEmailAddress, takeEmailAddress } from '../../users/former-use.ts'
import { deleteUnverifiedUser, findUserByEmail, lockUserByEmail, type User, updateUser } from '../../users/store.ts'
import { isTakenBy } from './taken.ts'

/** Limit of retries when registrations take the new email address during the transaction. */
const TRIES = 5

const DUPLICATE = '23505'

/**
 * Completes the change of an email address with the mailed token. The session that requested the change continues; all
 * other sessions end and all other mailed tokens become invalid. If the session that requested the change was revoked,
 * the token is invalid.
 *
 * @throws `invalid_token`, `email_taken`
 */
export async function confirmEmailChange(auth: AccountChangeDeps, client: Client, token: string): Promise<void> {
  for (let triesLeft = TRIES; ; triesLeft -= 1) {
    try {
      await auth.db.transaction().execute((trx) => confirm(trx, auth, client, token))
      return
    } catch (error) {
      if ((error as { code?: unknown }).code !== DUPLICATE || triesLeft === 0) throw error
    }
  }
}

async function confirm(trx: Trx, auth: AccountChangeDeps, client: Client, token: string): Promise<void> {
  const { user, change } = await useEmailToken(trx, auth, { token, purpose: 'change_email' })
  if (user.disabledAt !== null || change === undefined) throw authProblems.invalid_token()
  const { newEmail, sessionId } = change
  if (!(await isOpenOrLoggedOut(trx, sessionId))) throw authProblems.invalid_token()
  const { id: userId, email: oldEmail } = user
  await releaseEmail(trx, auth, newEmail, user)
  const now = auth.clock.now()
  await updateUser(trx, userId, { email: newEmail, emailVerifiedAt: now }, now)
  await dropEmailTokens(trx, userId)
  await endUserSessions(trx, auth, { userId, except: sessionId }, 'credential_changed')
  await mailEmailChanged(trx, auth, oldEmail)
  await leaveEmailAddress(trx, auth, user)
  await takeEmailAddress(trx, auth, { id: userId, email: newEmail })
  await auth.audit.record(trx, { type: 'email_changed', userId, client })
}

/**
 * Deletes the account that has this email address if the account is unverified; a verified one is left alone.
 *
 * @throws `email_taken` if the account may keep the email address
 */
async function releaseEmail(trx: Trx, auth: AccountChangeDeps, email: string, { id: actor }: User): Promise<void> {
  // Checked without a lock first: two owners who swap their email addresses would otherwise deadlock.
  if (isTakenBy(await findUserByEmail(trx, email))) throw authProblems.email_taken()
  const other = await lockUserByEmail(trx, email)
  if (other === undefined) return
  if (isTakenBy(other)) throw authProblems.email_taken()
  await deleteUnverifiedUser(trx, other.id)
  await auth.audit.record(trx, { type: 'account_deleted', userId: other.id, actor, client: null })
}
