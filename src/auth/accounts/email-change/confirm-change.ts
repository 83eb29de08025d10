import type { Trx } from '../../../platform/db/index.ts'
import type { Client } from '../../caller.ts'
import { useEmailToken } from '../../mail/email-token.ts'
import { mailEmailChanged } from '../../mail/mails.ts'
import { dropEmailTokens } from '../../mail/store.ts'
import { authProblems } from '../../problems.ts'
import { type AccountChangeDeps, endUserSessions } from '../../sessions/end-sessions.ts'
import { isSessionUnchallenged } from '../../sessions/store.ts'
import { deleteUnverifiedUser, findUserByEmail, lockUserByEmail, type User, updateUser } from '../../users/store.ts'
import { isTakenBy } from './taken.ts'

/** Another registration of the email address may come in between, but hardly this often. */
const TRIES = 5

/** SQLSTATE unique_violation. */
const DUPLICATE = '23505'

/**
 * Gives an account the address whose owner followed the link. The session that asked for the change stays, others end,
 * and so does every other mailed link. If that session was revoked, the change is void.
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
  if (!(await isSessionUnchallenged(trx, sessionId))) throw authProblems.invalid_token()
  const { id: userId, email: oldEmail } = user
  await makeRoom(trx, auth, newEmail, user)
  const now = auth.clock.now()
  await updateUser(trx, userId, { email: newEmail, emailVerifiedAt: now }, now)
  await dropEmailTokens(trx, userId)
  await endUserSessions(trx, auth, { userId, except: sessionId }, 'credential_changed')
  await mailEmailChanged(trx, auth, oldEmail)
  await auth.audit.record(trx, { type: 'email_changed', userId, client })
}

/** Removes an unverified account of that email address, which was never signed in to. */
async function makeRoom(trx: Trx, auth: AccountChangeDeps, email: string, { id: actor }: User): Promise<void> {
  // Read before it is locked: two owners who want each other's email address would deadlock.
  if (isTakenBy(await findUserByEmail(trx, email))) throw authProblems.email_taken()
  const other = await lockUserByEmail(trx, email)
  if (other === undefined) return
  if (isTakenBy(other)) throw authProblems.email_taken()
  await deleteUnverifiedUser(trx, other.id)
  await auth.audit.record(trx, { type: 'account_deleted', userId: other.id, actor, client: null })
}
