import type { Config } from '../../../config/index.ts'
import type { Db, Trx } from '../../../platform/db/index.ts'
import { noteNewcomer } from '../../../platform/newcomers.ts'
import type { Audit } from '../../audit/audit.ts'
import type { Client } from '../../caller.ts'
import { newId } from '../../ids.ts'
import { networkGroup } from '../../keys/network-group.ts'
import type { KeyDerivation } from '../../keys/secrets.ts'
import { newEmailToken } from '../../mail/email-token.ts'
import { type MailDeps, mailAccountExists, mailVerification, mayMail } from '../../mail/mails.ts'
import { inUniformTime } from '../../mail/uniform-time.ts'
import type { PasswordHasher } from '../../passwords/hasher.ts'
import { type PolicyDeps, requireGoodPassword } from '../../passwords/policy.ts'
import { authProblems } from '../../problems.ts'
import { requireEmailAddress } from '../../users/email-address.ts'
import { findUserByEmail, insertUser, lockUserByEmail, type User, updateUser } from '../../users/store.ts'

export type RegisterDeps = MailDeps &
  PolicyDeps & {
    db: Db
    audit: Audit
    hasher: PasswordHasher
    keys: KeyDerivation
    config: Pick<Config, 'registration'>
  }

export interface Registration {
  email: string
  password: string
  name?: string
}

/** Limit of retries when another request registers the same email address, or erases its account, at the same time. */
const TRIES = 5

/** Undoes a try to register, because the account of the email address was added, changed or erased meanwhile. */
class AccountChanged extends Error {}

/**
 * Registers a customer, who can sign in once the email address is verified. If an account has the email address, the
 * response is the same, and its owner gets a mail.
 *
 * A second registration of an unverified email address must use the password of the first. Otherwise the service cannot
 * tell which registrant owns the email address, and verification of the address removes the password. A password that
 * was imported counts as different.
 *
 * @throws `registration_closed`, `password_rejected`, `sign_in_busy`
 */
export async function register(
  auth: RegisterDeps,
  client: Client,
  { email: given, password, name }: Registration,
): Promise<void> {
  if (auth.config.registration !== 'open') throw authProblems.registration_closed()
  const email = requireEmailAddress(given, '/email')
  const wanted = { email, name: name ?? null }
  await requireGoodPassword(auth, password, wanted, '/password')
  for (let tries = 0; tries < TRIES; tries += 1) {
    try {
      return await registerOnce(auth, { ...wanted, password, client })
    } catch (error) {
      if (!(error instanceof AccountChanged)) throw error
    }
  }
  throw new Error(`the account of the email address changed ${TRIES} times during one registration`)
}

interface Attempt {
  email: string
  name: string | null
  password: string
  client: Client
}

/** Registers the account once. @throws {AccountChanged} */
async function registerOnce(auth: RegisterDeps, wanted: Attempt): Promise<void> {
  const { email, name, password, client } = wanted
  const before = await findUserByEmail(auth.db, email)
  // One hash is computed whether an account exists or not, so that the response time does not reveal it.
  const own = before && hashToCompare(auth, before)
  const { hash: passwordHash, matches } = await auth.hasher.hashAndCompare(own, password, client)
  await auth.db.transaction().execute(async (trx) => {
    const at = auth.clock.now()
    const id = newId('user')
    const isNew = await insertUser(trx, { id, email, name, role: 'customer', passwordHash, emailVerifiedAt: null, at })
    // The hash has the salt of the account that was erased. If that account was imported, the salt may be a short one.
    if (isNew && own !== undefined) throw new AccountChanged()
    if (isNew) await noteNewcomer(trx, id, networkGroup(auth.keys, client.ip))
    const user = await lockUserByEmail(trx, email)
    if (user === undefined || (!isNew && user.passwordHash !== (before?.passwordHash ?? null)))
      throw new AccountChanged()
    const event = isNew ? ({ type: 'sign_up' } as const) : ({ type: 'sign_up_repeated', result: 'failure' } as const)
    await auth.audit.record(trx, { ...event, userId: user.id, actor: null, client })
    await mailRegistrationResult(trx, auth, user, { isOwn: isNew || matches, name })
  })
}

/**
 * Returns the hash that the given password is verified against. Any anonymous caller can cause this verification.
 * Therefore it does not use the hash of a verified account, because that would allow guessing, nor an imported hash,
 * because its different cost would show in the response time.
 */
function hashToCompare({ hasher }: RegisterDeps, { emailVerifiedAt, passwordHash }: User): string | undefined {
  return emailVerifiedAt === null && hasher.isOwn(passwordHash) ? passwordHash : undefined
}

/**
 * Mails a verification token to an unverified account, or a notice to a verified one. For a verified account, the same
 * queries run and are rolled back, so that the response time does not reveal that the account is verified.
 */
async function mailRegistrationResult(
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
