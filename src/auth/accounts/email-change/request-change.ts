import type { Caller } from '../../caller.ts'
import { newEmailToken } from '../../mail/email-token.ts'
import { mailEmailChange, mailEmailChangeRequested, mailEmailTaken, mayChangeEmail, mayMail } from '../../mail/mails.ts'
import { authProblems } from '../../problems.ts'
import type { AccountChangeDeps } from '../../sessions/end-sessions.ts'
import { lockCaller } from '../../sessions/lock-caller.ts'
import { requireEmailAddress } from '../../users/email-address.ts'
import { findUserByEmail } from '../../users/store.ts'
import { isTakenBy } from './taken.ts'
/**
 * Mails a link to the address that the caller's account is to have, and a notice to the one it has, which stays valid
 * until the link is followed. Where the new address has an account, that one's owner is told instead; the caller is not,
 * and neither is told when the sending caps allow no mail: then nothing changes.
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
    // Also if it is not sent: an earlier link that goes on working would reveal to the caller that the address is taken.
    const token = await newEmailToken(trx, auth, { userId, purpose: 'change_email', change: { newEmail, sessionId } })
    await (isTaken ? mailEmailTaken(trx, auth, newEmail) : mailEmailChange(trx, auth, newEmail, token))
    await mailEmailChangeRequested(trx, auth, user.email)
    await auth.audit.record(trx, { type: 'email_change_requested', userId, sessionId, client: caller.client })
  })
}
