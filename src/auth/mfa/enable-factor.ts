import { addSeconds } from '../../platform/clock.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import { httpProblems } from '../../platform/http/core/problems.ts'
import type { Audit } from '../audit/audit.ts'
import type { Caller } from '../caller.ts'
import { newId } from '../ids.ts'
import { authProblems } from '../problems.ts'
import { lockCaller } from '../sessions/lock-caller.ts'
import { limitOperation } from '../throttle/limit-operation.ts'
import type { User } from '../users/store.ts'
import { type FactorMethod, findEnabledFactor, type NewFactor, replacePendingFactor } from './factors/store.ts'
import { enrolmentOf, newTotpSecret, sealSecret } from './factors/totp.ts'
import { parsePhoneNumber, type SmsDeps, sendSmsCode } from './sms/codes.ts'
import type { SmsSettings } from './sms/phone-number.ts'

export type EnableFactorDeps = SmsDeps & { db: Db; audit: Audit }

const PENDING_SECONDS = 600

export interface PendingFactor {
  factorId: string
  method: FactorMethod
  expiresAt: Date
  /** The data for the authenticator app, which is shown only once. Undefined for a telephone number. */
  enrolment: ReturnType<typeof enrolmentOf> | undefined
}

/**
 * Begins to add a second factor to the caller's account. The factor has no effect until `confirmFactor` accepts its
 * first code. An unconfirmed factor of the same method is replaced.
 *
 * @throws `factor_exists`, `validation_failed`, and the errors of `sendSmsCode`
 */
export async function enableFactor(
  auth: EnableFactorDeps,
  caller: Caller,
  { method = 'totp', phoneNumber }: { method?: FactorMethod; phoneNumber?: string },
): Promise<PendingFactor> {
  const number = numberFor(auth, method, phoneNumber)
  return auth.db.transaction().execute(async (trx) => {
    const { user, sessionId } = await lockCaller(trx, auth, caller)
    await requireNew(trx, user, method, number)
    const at = auth.clock.now()
    await limitOperation(trx, { userId: user.id, operation: 'change_credentials' }, at)
    const factor = { id: newId('factor'), userId: user.id, at, pendingUntil: addSeconds(at, PENDING_SECONDS) }
    const added = number === null ? await addTotp(trx, auth, user, factor) : await addSms(trx, factor, number)
    const details = { factor: factor.id }
    const event = { userId: user.id, sessionId, client: caller.client, method, details }
    await auth.audit.record(trx, { type: 'factor_added', ...event })
    if (number !== null) {
      const message = { user, phoneNumber: number, purpose: 'enroll', boundTo: factor.id } as const
      await sendSmsCode(trx, auth, caller.client, message)
    }
    return { factorId: factor.id, method, expiresAt: factor.pendingUntil, enrolment: added }
  })
}

type Begun = Pick<NewFactor, 'id' | 'userId' | 'at' | 'pendingUntil'>

async function addTotp(trx: Trx, auth: Pick<EnableFactorDeps, 'keys' | 'config'>, { email }: User, factor: Begun) {
  const secret = newTotpSecret()
  const secretEncrypted = sealSecret(auth, factor.id, secret)
  await replacePendingFactor(trx, { ...factor, method: 'totp', secretEncrypted, phoneNumber: null })
  return enrolmentOf(secret, { issuer: auth.config.shopName, account: email })
}

async function addSms(trx: Trx, factor: Begun, phoneNumber: string): Promise<undefined> {
  await replacePendingFactor(trx, { ...factor, method: 'sms', secretEncrypted: null, phoneNumber })
}

/**
 * Rejects a factor that the account already has. A new telephone number may replace the current one. A second
 * authenticator app is rejected, because the service could not tell which app a code comes from.
 */
async function requireNew(trx: Trx, user: User, method: FactorMethod, number: string | null): Promise<void> {
  const present = await findEnabledFactor(trx, { userId: user.id, method })
  if (present !== undefined && present.phoneNumber === number) throw authProblems.factor_exists()
}

function numberFor(auth: SmsSettings, method: FactorMethod, phoneNumber: string | undefined): string | null {
  const pointer = '/phoneNumber'
  if (method === 'sms' && phoneNumber !== undefined) return parsePhoneNumber(auth, phoneNumber, pointer)
  if (method === 'totp' && phoneNumber === undefined) return null
  const error =
    method === 'sms'
      ? { code: 'required', pointer, detail: 'This member is required.' }
      : { code: 'unknown_field', pointer, detail: 'An authenticator app has no telephone number.' }
  throw httpProblems.validation_failed({ detail: 'The body does not match its schema.', errors: [error] })
}
