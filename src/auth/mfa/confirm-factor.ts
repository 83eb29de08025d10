import type { Clock } from '../../platform/clock.ts'
import type { Trx } from '../../platform/db/index.ts'
import type { Caller } from '../caller.ts'
import { isId } from '../ids.ts'
import type { KeyDerivation } from '../keys/secrets.ts'
import { mailSecurityNotice } from '../mail/notices.ts'
import { authProblems, codeProblems, credentialNotAccepted } from '../problems.ts'
import type { AccountChangeDeps } from '../sessions/end-sessions.ts'
import { lockCaller } from '../sessions/lock-caller.ts'
import { findUser, type User } from '../users/store.ts'
import { factorsChanged } from './factors/factors-changed.ts'
import { deleteFactor, type Factor, findEnabledFactor, findFactor, setConfirmed } from './factors/store.ts'
import { stepOf, unsealSecret, withoutBlanks } from './factors/totp.ts'
import { takeSmsCode } from './sms/codes.ts'
import { type TryCodeDeps, tryCode } from './verification/try-code.ts'

export type ConfirmFactorDeps = TryCodeDeps & AccountChangeDeps & { keys: KeyDerivation }

/**
 * Enables a second factor after verifying its first code. The caller's other sessions end.
 *
 * @returns new recovery codes if this is the first factor of the account; otherwise undefined
 * @throws `factor_not_found`, `factor_exists` if it is already enabled, `invalid_code`, `login_blocked`
 */
export async function confirmFactor(
  auth: ConfirmFactorDeps,
  caller: Caller,
  { factorId, code }: { factorId: string; code: string },
): Promise<{ recoveryCodes: string[] | undefined }> {
  const { userId, sessionId } = caller
  const owner = await findUser(auth.db, userId)
  if (owner === undefined) throw credentialNotAccepted()
  const { method } = requirePending(auth, await findFactor(auth.db, { id: checked(factorId), userId }))
  const confirmed = await tryCode(auth, caller.client, {
    owner,
    failure: { type: 'second_factor_failed', method, sessionId },
    verify: async (trx) => {
      const { user } = await lockCaller(trx, auth, caller)
      const factor = requirePending(auth, await findFactor(trx, { id: factorId, userId }))
      const verified = await firstCode(trx, auth, user, factor, code)
      return verified && { user, factor, ...verified }
    },
    work: async (trx, { user, factor, step }) => {
      const replaced = factor.method === 'sms' ? await findEnabledFactor(trx, { userId, method: 'sms' }) : undefined
      if (replaced !== undefined) await deleteFactor(trx, { id: replaced.id, userId })
      const now = auth.clock.now()
      if (!(await setConfirmed(trx, { id: factorId, userId, step }, now))) throw authProblems.factor_not_found()
      const recoveryCodes = await factorsChanged(trx, auth, { userId, sessionId })
      await recordConfirmation(trx, auth, caller, { user, factor, isChange: replaced !== undefined })
      return { recoveryCodes }
    },
  })
  if (confirmed === undefined) throw wrongCode()
  return confirmed
}

/**
 * Verifies the first code of a factor.
 *
 * @returns the time step of a TOTP code, or null for a code from a text message; undefined if the code is wrong
 */
async function firstCode(
  trx: Trx,
  auth: ConfirmFactorDeps,
  { id: userId }: User,
  { id, secretEncrypted }: Factor,
  code: string,
): Promise<{ step: number | null } | undefined> {
  if (secretEncrypted === null) {
    const given = { userId, purpose: 'enroll', boundTo: id, code: withoutBlanks(code) } as const
    return (await takeSmsCode(trx, auth, given)) ? { step: null } : undefined
  }
  const step = stepOf(unsealSecret(auth, id, secretEncrypted), code, auth.clock.now())
  return step === undefined ? undefined : { step }
}

async function recordConfirmation(
  trx: Trx,
  auth: ConfirmFactorDeps,
  caller: Caller,
  { user, factor: { id, method }, isChange }: { user: User; factor: Factor; isChange: boolean },
): Promise<void> {
  const { sessionId } = caller
  const event = { userId: user.id, sessionId, client: caller.client, method, details: { factor: id } }
  await auth.audit.record(trx, { type: 'factor_verified', ...event })
  if (isChange) {
    await auth.audit.record(trx, { type: 'phone_changed', ...event })
    await mailSecurityNotice(trx, auth, user.email, {
      subject: 'The telephone number of your account was changed',
      what: 'Codes for signing in to your account now go to another telephone number. Other devices were signed out.',
    })
    return
  }
  await mailSecurityNotice(trx, auth, user.email, {
    subject: 'A second factor was added to your account',
    what: `${NAMES[method]} was added to your account: sign-in now requires its code. Other devices were signed out.`,
  })
}

const NAMES = { totp: 'An authenticator app', sms: 'A telephone number' } as const

function requirePending({ clock }: { clock: Clock }, factor: Factor | undefined): Factor {
  if (factor === undefined) throw authProblems.factor_not_found()
  if (factor.confirmedAt !== null) throw authProblems.factor_exists('This second factor is enabled already.')
  if (factor.pendingUntil <= clock.now()) throw authProblems.factor_not_found()
  return factor
}

function checked(factorId: string): string {
  if (!isId('factor', factorId)) throw authProblems.factor_not_found()
  return factorId
}

function wrongCode() {
  const detail = 'The code is not the current one, or it was already used.'
  return codeProblems.invalid_code({ errors: [{ code: 'invalid_code', pointer: '/code', detail }] })
}
