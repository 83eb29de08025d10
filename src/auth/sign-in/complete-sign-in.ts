import { addSeconds } from '../../platform/clock.ts'
import type { Trx } from '../../platform/db/index.ts'
import type { Audit } from '../audit/audit.ts'
import type { Client } from '../caller.ts'
import { hashSecret, newSecret } from '../keys/secrets.ts'
import { type MailDeps, mailNewDevice } from '../mail/mails.ts'
import { countUnusedCodes } from '../mfa/factors/store.ts'
import { insertPendingSignIn } from '../pending-sign-ins/store.ts'
import { authProblems } from '../problems.ts'
import { type OpenSessionDeps, openSession } from '../sessions/open-session.ts'
import type { OpenedSession } from '../sessions/store.ts'
import type { DeviceCookies } from '../throttle/device-cookies.ts'
import { noteFirstSignIn, type User } from '../users/store.ts'

export type CompleteSignInDeps = OpenSessionDeps & MailDeps & { audit: Audit; devices: DeviceCookies }

/** Time for which a sign-in waits for the second factor. */
export const PENDING_SIGN_IN_SECONDS = 300

/** How the current request verified the user. */
export interface Verification {
  /** `password`, `passkey` or the name of a provider. It is recorded in security events. */
  signInMethod: string
  /** The `amr` claim of the access token (RFC 8176). */
  methods: readonly string[]
  /**
   * Whether the verification counts as two factors: a second factor was verified, or a passkey that verifies the user.
   */
  isMultiFactor: boolean
}

export type SignInResult = SignedIn | SecondFactorDue

export interface SignedIn extends OpenedSession {
  status: 'authenticated'
  user: User
  /** Value of the cookie that makes the client a known device of the account. */
  deviceCookie: string
}

export interface SecondFactorDue {
  status: 'mfa_required'
  mfaToken: string
  /** Second factors that the account has: `totp`, `sms`, `webauthn`, `recovery_code`. */
  methods: string[]
}

/**
 * Completes the sign-in of a verified user, or requires the second factor of the account. Sign-ins with a password, a
 * provider, a passkey and a second factor all open their sessions in this function.
 *
 * @param user a user that was locked against changes until the transaction ends
 * @throws `invalid_credentials` for an account that is disabled, deleted or not verified
 */
export async function completeSignIn(
  trx: Trx,
  auth: CompleteSignInDeps,
  client: Client,
  { user, verification }: { user: User; verification: Verification },
): Promise<SignInResult> {
  if (user.disabledAt !== null || user.emailVerifiedAt === null) throw invalidCredentials()
  if (user.mfaMethods.length > 0 && !verification.isMultiFactor)
    return requireSecondFactor(trx, auth, client, user, verification)
  return admit(trx, auth, client, user, verification)
}

async function admit(
  trx: Trx,
  auth: CompleteSignInDeps,
  client: Client,
  user: User,
  { signInMethod, methods }: Verification,
): Promise<SignedIn> {
  const isKnownDevice = auth.devices.read(client, user) !== undefined
  const details = { knownDevice: isKnownDevice, amr: methods.join(' ') }
  const event = { type: 'sign_in', method: signInMethod, details } as const
  const limited = user.role === 'customer' ? 'sign_in' : undefined
  const opened = await openSession(trx, auth, { user, methods: [...methods], client, event, limited })
  if (user.firstSignInAt === null) await noteFirstSignIn(trx, user.id, auth.clock.now())
  else if (!isKnownDevice) await mailNewDevice(trx, auth, user, client)
  return { status: 'authenticated', ...opened, user, deviceCookie: auth.devices.make(user) }
}

async function requireSecondFactor(
  trx: Trx,
  auth: CompleteSignInDeps,
  client: Client,
  user: User,
  { signInMethod, methods }: Verification,
): Promise<SecondFactorDue> {
  const now = auth.clock.now()
  const mfaToken = newSecret()
  await insertPendingSignIn(trx, {
    tokenHash: hashSecret(mfaToken),
    userId: user.id,
    signInMethod,
    methods: [...methods],
    createdAt: now,
    expiresAt: addSeconds(now, PENDING_SIGN_IN_SECONDS),
  })
  await auth.audit.record(trx, { type: 'second_factor_required', userId: user.id, client, method: signInMethod })
  const hasCodes = (await countUnusedCodes(trx, user.id)) > 0
  return {
    status: 'mfa_required',
    mfaToken,
    methods: hasCodes ? [...user.mfaMethods, 'recovery_code'] : [...user.mfaMethods],
  }
}

/** Returns the error of a failed sign-in. It does not reveal the reason. */
export function invalidCredentials() {
  return authProblems.invalid_credentials({ headers: { 'WWW-Authenticate': 'Bearer realm="platen"' } })
}
