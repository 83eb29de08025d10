import type { Db, Trx } from '../../../platform/db/index.ts'
import { newId } from '../../../platform/ids.ts'
import type { Audit } from '../../audit/audit.ts'
import type { Client } from '../../caller.ts'
import { newEmailToken } from '../../mail/email-token.ts'
import { type MailDeps, mailAccountExists, mailVerification, mayMail } from '../../mail/mails.ts'
import { inUniformTime } from '../../mail/uniform-time.ts'
import type { PasswordHasher } from '../../passwords/hasher.ts'
import { type PolicyDeps, requireGoodPassword } from '../../passwords/policy.ts'
import type { KeyedSemaphore } from '../../throttle/keyed-semaphore.ts'
import { requireEmailAddress } from '../../users/email-address.ts'
import { findUserByEmail, insertUser, lockUserByEmail, type User, updateUser } from '../../users/store.ts'

export type RegisterDeps = MailDeps &
  PolicyDeps & {
    db: Db
    audit: Audit
    hasher: PasswordHasher
    /** Serializes the registrations of one email address. */
    registrations: KeyedSemaphore
  }
export interface Registration {
  email: string
  password: string
  name?: string
}

/** Another process may register the same address at the same moment; more often than this it does not. */
const TRIES = 5

/**
 * Registers a customer, who can sign in once the address is verified. A known address is answered the same, and its
 * owner told by mail.
 *
 * Whoever registers an address that waits for its verification must know the password it was registered with. Otherwise
 * nobody can tell which of the two is the owner, and none of the passwords survives the verification. Passwords that
 * were imported count as different ones.
 *
 * @throws `password_rejected`, `sign_in_busy`
 */
export async function register(
  auth: RegisterDeps,
  client: Client,
  { email: given, password, name }: Registration,
): Promise<void> {
  const email = requireEmailAddress(given, '/email')
  const wanted = { email, name: name ?? null }
  await requireGoodPassword(auth, password, wanted, '/password')
  const passwordHash = await auth.hasher.hash(password)
  // One after another for each address: the second of two at once then finds what the first one left to compare with.
  await auth.registrations.acquire(email, 1)
  try {
    for (let tries = 0; tries < TRIES; tries += 1) {
      if (await registerOnce(auth, { ...wanted, password, passwordHash, client })) return
    }
    throw new Error(`an address was registered ${TRIES} times while it was being registered`)
  } finally {
    auth.registrations.release(email)
  }
}

interface Wanted {
  email: string
  name: string | null
  password: string
  passwordHash: string
  client: Client
}

/** @returns false when the account changed while the password was being compared */
async function registerOnce(auth: RegisterDeps, wanted: Wanted): Promise<boolean> {
  const { email, name, password, passwordHash, client } = wanted
  const before = await findUserByEmail(auth.db, email)
  // Also where there is nothing to compare with, so that the time does not tell.
  const { matches } = await auth.hasher.verify(before && hashToCompare(auth, before), password)
  return auth.db.transaction().execute(async (trx) => {
    const at = auth.clock.now()
    const id = newId('user')
    const isNew = await insertUser(trx, { id, email, name, role: 'customer', passwordHash, emailVerifiedAt: null, at })
    const user = await lockUserByEmail(trx, email)
    if (user === undefined || (!isNew && user.passwordHash !== (before?.passwordHash ?? null))) return false
    const event = isNew ? ({ type: 'sign_up' } as const) : ({ type: 'sign_up_repeated', result: 'failure' } as const)
    // Nobody has shown yet that the address is theirs.
    await auth.audit.record(trx, { ...event, userId: user.id, actor: null, client })
    await answerByMail(trx, auth, user, { isOwn: isNew || matches, name })
    return true
  })
}

/**
 * Anybody can ask for this comparison as often as they like: it is never one with the password of an account in use, nor
 * one of a hash from elsewhere, which takes a time of its own.
 */
function hashToCompare({ hasher }: RegisterDeps, { emailVerifiedAt, passwordHash }: User): string | undefined {
  return emailVerifiedAt === null && hasher.isOwn(passwordHash) ? passwordHash : undefined
}

/** To an owner who has long been verified the same work is done in vain, and another mail sent. */
async function answerByMail(
  trx: Trx,
  auth: RegisterDeps,
  { id: userId, email, emailVerifiedAt, passwordContested }: User,
  { isOwn, name }: { isOwn: boolean; name: string | null },
): Promise<void> {
  const waits = emailVerifiedAt === null
  await inUniformTime(trx, waits, async () => {
    const change = isOwn && !passwordContested ? { name } : { passwordContested: true }
    await updateUser(trx, userId, change, auth.clock.now())
  })
  if (!(await mayMail(trx, auth, waits ? 'verify_email' : 'account_exists', email))) return
  let token = ''
  await inUniformTime(trx, waits, async () => {
    token = await newEmailToken(trx, auth, { userId, purpose: 'verify_email' })
  })
  await (waits ? mailVerification(trx, auth, email, token) : mailAccountExists(trx, auth, email))
}
