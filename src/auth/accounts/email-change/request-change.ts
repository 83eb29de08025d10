import type { Caller } from '../../caller.ts'
import { newEmailToken } from '../../mail/email-token.ts'
import { mailEmailChange, mailEmailTaken, mayChangeEmail, mayMail } from '../../mail/mails.ts'
import { mailEmailChangeRequested } from '../../mail/notices.ts'
import { authProblems } from '../../problems.ts'
import type { AccountChangeDeps } from '../../sessions/end-sessions.ts'
import { lockCaller } from '../../sessions/lock-caller.ts'
import { requireEmailAddress } from '../../users/email-address.ts'
import { findUserByEmail } from '../../users/store.ts'
import { isTakenBy } from './taken.ts'
/**
 * Mails a token to the new email address and a notice to the current one, which stays valid until the token is
 * confirmed. If another account has the new email address, a mail tells its owner, and the caller gets the usual
 * response. If the limit of either mail is reached, no mail is sent and nothing changes.
 *
 * @throws `credential_not_accepted`, `email_unchanged`
 */
export async function requestEmailChange(auth: AccountChangeDeps, caller: Caller, text: string): Promise<void> {
  const newEmail = requireEmailAddress(text, '/newEmail')
  await auth.db.transaction().execute(async (trx) => {
    const { user, sessionId } = await lockCaller(trx, auth, caller)
    const { id: userId } = user
    if (user.email === newEmail) throw authProblems.email_unchanged()
    if (!(await mayChangeEmail(trx, auth, userId)) || !(await mayMail(trx, auth, 'change_email', newEmail))) return
    const isTaken = isTakenBy(await findUserByEmail(trx, newEmail))
    // A token is created even if it is not mailed, because it replaces earlier tokens. Otherwise the caller could
    // confirm an earlier token and learn that the new email address is taken.
    const token = await newEmailToken(trx, auth, { userId, purpose: 'change_email', change: { newEmail, sessionId } })
    await (isTaken ? mailEmailTaken(trx, auth, newEmail) : mailEmailChange(trx, auth, newEmail, token))
    await mailEmailChangeRequested(trx, auth, user.email)
    await auth.audit.record(trx, { type: 'email_change_requested', userId, sessionId, client: caller.client })
  })
}
