import type { Trx } from '../../platform/db/index.ts'
import { newId } from '../../platform/ids.ts'
import type { AuthContext } from '../context.ts'
import { newEmailToken } from '../mail/email-token.ts'
import { mailAccountExists, mailVerification, mayMail } from '../mail/mails.ts'
import { requireGoodPassword } from '../passwords/policy.ts'
import { requireEmailAddress } from './email-address.ts'
import { insertUser, lockUserByEmail, type User, updateUser } from './store.ts'

export interface Registration {
  email: string
  password: string
  name?: string
}

/**
 * Registers a customer, who can sign in once the address is verified. A known address is answered the same, and its
 * owner told by mail.
 *
 * @throws `password_rejected`, `sign_in_busy`
 */
export async function register(auth: AuthContext, { email: given, password, name }: Registration): Promise<void> {
  const email = requireEmailAddress(given, '/email')
  const wanted = { email, name: name ?? null }
  await requireGoodPassword(password, wanted, '/password')
  const passwordHash = await auth.hasher.hash(password)
  await auth.db.transaction().execute(async (trx) => {
    const at = auth.clock.now()
    const id = newId('user')
    const isNew = await insertUser(trx, { id, ...wanted, role: 'customer', passwordHash, emailVerifiedAt: null, at })
    const user = isNew ? { id, email, emailVerifiedAt: null } : await lockUserByEmail(trx, email)
    if (user === undefined) return
    if (user.emailVerifiedAt === null) await mailFor(trx, auth, user, { passwordHash, name: wanted.name })
    else if (await mayMail(trx, auth, 'account_exists', email)) await mailAccountExists(trx, auth, email)
  })
}

/**
 * Whoever follows the newest link gets the password that was registered with it: somebody else's earlier or later
 * registration of the same address does not slip a password in behind a link that is already in the mailbox.
 * Within the sending cap the registration therefore changes nothing at all.
 */
async function mailFor(
  trx: Trx,
  auth: AuthContext,
  { id: userId, email }: Pick<User, 'id' | 'email'>,
  registered: { passwordHash: string; name: string | null },
): Promise<void> {
  if (!(await mayMail(trx, auth, 'verify_email', email))) return
  await updateUser(trx, userId, registered, auth.clock.now())
  await mailVerification(trx, auth, email, await newEmailToken(trx, auth, { userId, purpose: 'verify_email' }))
}
