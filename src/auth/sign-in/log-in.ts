import type { Config } from '../../config/index.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import { sendVerification } from '../accounts/registration/verification.ts'
import type { Client } from '../caller.ts'
import type { HashingClient, PasswordHasher } from '../passwords/hasher.ts'
import { authProblems } from '../problems.ts'
import { accountBucket, deviceBucket, ipBucket } from '../throttle/buckets.ts'
import { type FailureDeps, recordFailedVerification } from '../throttle/record-failure.ts'
import type { Attempt, Throttle } from '../throttle/throttle.ts'
import { requireEmailAddress } from '../users/email-address.ts'
import { findUserByEmail, lockUser, replaceHash, type User } from '../users/store.ts'
import { type CompleteSignInDeps, completeSignIn, invalidCredentials, type SignInResult } from './complete-sign-in.ts'

export type LogInDeps = CompleteSignInDeps &
  FailureDeps & { db: Db; throttle: Throttle; hasher: PasswordHasher; config: Pick<Config, 'login'> }

const BY_PASSWORD = { signInMethod: 'password', methods: ['pwd'], isMultiFactor: false } as const

/**
 * Signs in with email address and password.
 *
 * @throws `login_blocked`, `sign_in_busy`, `invalid_credentials`; `email_not_verified`, after which the verification
 * mail is sent again
 */
export async function logIn(
  auth: LogInDeps,
  client: Client,
  { email: given, password }: { email: string; password: string },
): Promise<SignInResult> {
  const email = requireEmailAddress(given, '/email')
  const rules = auth.config.login
  const deviceId = await findDevice(auth, client, email)
  const ownBucket = deviceId === undefined ? accountBucket(email, rules) : deviceBucket(deviceId, email, rules)
  const outcome = await auth.throttle.run([ownBucket, ipBucket(client.ip, rules)], async (attempt) => {
    const by = { ip: client.ip, account: deviceId === undefined ? undefined : email }
    const user = await verifyPassword(auth, { client, by }, attempt, email, password)
    if (user.emailVerifiedAt === null) return resendVerificationIfAllowed(auth, attempt, user)
    return auth.db.transaction().execute(async (trx) => {
      const unchanged = await lockUnchanged(trx, user)
      const result = await completeSignIn(trx, auth, client, { user: unchanged, verification: BY_PASSWORD })
      await attempt.succeed(trx)
      return result
    })
  })
  if (outcome === 'unverified') throw authProblems.email_not_verified()
  return outcome
}

/**
 * Finds the id of the client's device. Only clients with a device cookie cause the query, so other clients cannot learn
 * from the response time whether an account exists.
 */
async function findDevice({ db, devices }: LogInDeps, client: Client, email: string) {
  if (client.deviceCookie === undefined) return undefined
  const user = await findUserByEmail(db, email)
  return user && devices.readForPassword(client, user)
}

/** Verifies a password. If its hash is outdated, replaces the hash. */
async function verifyPassword(
  auth: LogInDeps,
  { client, by }: { client: Client; by: HashingClient },
  attempt: Attempt,
  email: string,
  password: string,
): Promise<User> {
  const user = await findUserByEmail(auth.db, email)
  const { matches, isOutdated } = await auth.hasher.verify(user?.passwordHash, password, by)
  if (user === undefined || user.passwordHash === null || user.disabledAt !== null || !matches) {
    const failure = { type: 'sign_in_failed', user, email, client, method: 'password' } as const
    await attempt.fail(user?.id ?? null, (trx, begun) => recordFailedVerification(trx, auth, failure, begun))
    throw invalidCredentials()
  }
  if (!isOutdated) return user
  const renewed = await auth.hasher.hash(password, by)
  const { id, passwordHash } = user
  await auth.db.transaction().execute((trx) => replaceHash(trx, id, passwordHash, renewed))
  return { ...user, passwordHash: renewed }
}

async function resendVerificationIfAllowed(auth: LogInDeps, attempt: Attempt, verified: User): Promise<'unverified'> {
  await auth.db.transaction().execute(async (trx) => {
    const user = await lockUnchanged(trx, verified)
    await sendVerification(trx, auth, user)
    await attempt.succeed(trx)
  })
  return 'unverified'
}

/** Locks the user. Fails if the password or the state of the account changed since the password was verified. */
async function lockUnchanged(trx: Trx, verified: User): Promise<User> {
  const user = await lockUser(trx, verified.id, 'update')
  if (user === undefined || user.disabledAt !== null || user.passwordHash !== verified.passwordHash)
    throw invalidCredentials()
  return user
}
