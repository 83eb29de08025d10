import type { Trx } from '../../platform/db/index.ts'
import { newId } from '../../platform/ids.ts'
import type { AuthContext } from '../context.ts'
import { newEmailToken, useEmailToken } from '../mail/email-token.ts'
import { mailVerification, mayMail } from '../mail/mails.ts'
import { evenForNobody } from '../mail/neutral.ts'
import { requireEmailAddress } from './email-address.ts'
import { findUserByEmail, type User, updateUser } from './store.ts'

type Verifying = Pick<AuthContext, 'clock' | 'config'>

/** Mails a link that proves the address, unless one was sent a moment ago: then that one goes on working. */
export async function sendVerification(
  trx: Trx,
  auth: Verifying,
  { id: userId, email }: Pick<User, 'id' | 'email'>,
): Promise<void> {
  if (!(await mayMail(trx, auth, 'verify_email', email))) return
  await mailVerification(trx, auth, email, await newEmailToken(trx, auth, { userId, purpose: 'verify_email' }))
}

/** Sends the link again where an account waits for it; says nothing about whether one does. */
export async function resendVerification(auth: AuthContext, address: string): Promise<void> {
  const email = requireEmailAddress(address, '/email')
  await auth.db.transaction().execute(async (trx) => {
    const user = await findUserByEmail(trx, email)
    if (!(await mayMail(trx, auth, 'verify_email', email))) return
    const waits = user !== undefined && user.emailVerifiedAt === null && user.disabledAt === null
    const userId = waits ? user.id : newId('user')
    await evenForNobody(trx, waits, async () => {
      await mailVerification(trx, auth, email, await newEmailToken(trx, auth, { userId, purpose: 'verify_email' }))
    })
  })
}

/** @throws `invalid_token` */
export async function verifyEmail(auth: AuthContext, token: string): Promise<void> {
  await auth.db.transaction().execute(async (trx) => {
    const { id } = await useEmailToken(trx, auth, { token, purpose: 'verify_email' })
    await updateUser(trx, id, { emailVerifiedAt: auth.clock.now() }, auth.clock.now())
  })
}
