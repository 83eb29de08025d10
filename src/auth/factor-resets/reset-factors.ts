import { addSeconds } from '../../platform/clock.ts'
import type { Trx } from '../../platform/db/index.ts'
import { enqueue } from '../../platform/jobs/jobs.ts'
import { lockAdministrator } from '../accounts/lock-administrator.ts'
import { requiredAccount } from '../accounts/require-account.ts'
import { hasEventSince } from '../audit/store.ts'
import type { Caller, Client } from '../caller.ts'
import { newId } from '../ids.ts'
import { hashSecret, newSecret } from '../keys/secrets.ts'
import { mailSecurityNotice } from '../mail/notices.ts'
import { authProblems } from '../problems.ts'
import { type AccountChangeDeps, endUserSessions } from '../sessions/end-sessions.ts'
import { limitOperation } from '../throttle/limit-operation.ts'
import { refreshMfaMethods } from '../users/mfa-methods.ts'
import { findUser, listAdministratorContacts, lockUser, type User } from '../users/store.ts'
import { mailConfirmationWanted, mailResetStarted } from './mails.ts'
import {
  deleteFactors,
  endReset,
  type FactorReset,
  findByStopToken,
  findFactorReset,
  insertFactorReset,
  lockOpenReset,
} from './store.ts'

/** Name of the job that completes one request after the waiting time. */
export const COMPLETE_RESET_JOB = 'auth.complete_factor_reset'

/** Time in which the owner of the account can stop a request that no second administrator confirms. */
const WAITING_SECONDS = 24 * 3600

/**
 * Requests the removal of all second factors of a user who has lost them. A second administrator confirms, or the
 * request is completed after 24 hours. The user gets a mail with a link that stops it.
 *
 * @throws `user_not_found`, `factor_reset_of_self`, `mfa_not_enabled`, `factor_reset_exists`, `rate_limited`, and the
 *   errors of `lockAdministrator`
 */
export async function startFactorReset(
  trx: Trx,
  auth: AccountChangeDeps,
  caller: Caller,
  userId: string,
): Promise<FactorReset> {
  const { actor, sessionId } = await lockAdministrator(trx, auth, caller)
  if (actor.id === userId) throw authProblems.factor_reset_of_self()
  const user = requiredAccount(await lockUser(trx, userId, 'update'))
  if (user.mfaMethods.length === 0) throw authProblems.mfa_not_enabled()
  const startedAt = auth.clock.now()
  await limitOperation(trx, { userId: actor.id, operation: 'reset_factors' }, startedAt)
  const [token, dueAt] = [newSecret(), addSeconds(startedAt, WAITING_SECONDS)]
  const wanted = { id: newId('factorReset'), userId, startedBy: actor.id, startedAt, dueAt }
  const reset = await insertFactorReset(trx, { ...wanted, stopTokenHash: hashSecret(token) })
  if (reset === undefined) throw authProblems.factor_reset_exists()
  await enqueue(trx, COMPLETE_RESET_JOB, { id: reset.id }, { key: `${COMPLETE_RESET_JOB}/${reset.id}`, runAt: dueAt })
  await mailResetStarted(trx, auth, user, { token, dueAt })
  for (const { id, email } of await listAdministratorContacts(trx))
    if (id !== actor.id && id !== userId)
      await mailConfirmationWanted(trx, auth, email, { resetId: reset.id, userId, dueAt })
  const event = { userId, actor: actor.id, sessionId, client: caller.client, details: { reset: reset.id } }
  await auth.audit.record(trx, { type: 'factor_reset_started', ...event })
  return reset
}

/**
 * Confirms a request as a second administrator, which completes it.
 *
 * @throws `factor_reset_not_found`, `second_administrator_required`, `factor_reset_of_self`, and the errors of
 *   `lockAdministrator`
 */
export async function confirmFactorReset(auth: AccountChangeDeps, caller: Caller, id: string): Promise<FactorReset> {
  return auth.db.transaction().execute(async (trx) => {
    const { actor, sessionId } = await lockAdministrator(trx, auth, caller)
    const { reset, user } = await lockReset(trx, id)
    if (reset.userId === actor.id) throw authProblems.factor_reset_of_self()
    if (reset.startedBy === actor.id) throw authProblems.second_administrator_required()
    await requireLongRole(trx, auth, actor)
    return complete(trx, auth, { reset, user }, { confirmedBy: actor.id, sessionId, client: caller.client })
  })
}

/**
 * An administrator can make another account of the same person an administrator. Such an account confirms nothing before
 * the waiting time, which would complete the request anyway, has passed.
 *
 * @throws `second_administrator_required`
 */
async function requireLongRole(trx: Trx, { clock }: AccountChangeDeps, { id }: User): Promise<void> {
  const since = addSeconds(clock.now(), -WAITING_SECONDS)
  const types = ['user_access_changed', 'invitation_accepted'] as const
  if (!(await hasEventSince(trx, { userId: id, types }, since))) return
  const detail = 'Your role has changed in the last 24 hours. Another administrator must confirm.'
  throw authProblems.second_administrator_required({ detail })
}

/** Stops a request. @throws `factor_reset_not_found`, and the errors of `lockAdministrator` */
export async function stopFactorReset(auth: AccountChangeDeps, caller: Caller, id: string): Promise<FactorReset> {
  return auth.db.transaction().execute(async (trx) => {
    const { actor, sessionId } = await lockAdministrator(trx, auth, caller)
    const { reset } = await lockReset(trx, id)
    return stop(trx, auth, reset, { actor: actor.id, sessionId, client: caller.client })
  })
}

/** Stops a request with the token that its user got by mail. @throws `invalid_token` */
export async function stopByToken(auth: AccountChangeDeps, client: Client, token: string): Promise<void> {
  const found = await findByStopToken(auth.db, hashSecret(token))
  if (found === undefined) throw authProblems.invalid_token()
  await auth.db.transaction().execute(async (trx) => {
    await lockUser(trx, found.userId, 'update')
    const reset = await lockOpenReset(trx, found.id)
    if (reset === undefined) throw authProblems.invalid_token()
    await stop(trx, auth, reset, { actor: reset.userId, sessionId: null, client })
  })
}

/** Completes a request whose waiting time is over, unless its administrator has lost the role since. */
export async function completeDueReset(auth: AccountChangeDeps, id: string): Promise<void> {
  const found = await findFactorReset(auth.db, id)
  if (found === undefined) return
  await auth.db.transaction().execute(async (trx) => {
    const user = await lockUser(trx, found.userId, 'update')
    const reset = await lockOpenReset(trx, id)
    if (user === undefined || reset === undefined || reset.dueAt > auth.clock.now()) return
    const starter = await findUser(trx, reset.startedBy)
    const isStillAdmin = starter?.role === 'admin' && starter.disabledAt === null
    if (isStillAdmin) await complete(trx, auth, { reset, user }, { confirmedBy: null, sessionId: null, client: null })
    else await stop(trx, auth, reset, { actor: 'system', sessionId: null, client: null })
  })
}

async function lockReset(trx: Trx, id: string): Promise<{ reset: FactorReset; user: User }> {
  const found = await findFactorReset(trx, id)
  const user = found && (await lockUser(trx, found.userId, 'update'))
  const reset = await lockOpenReset(trx, id)
  if (user === undefined || reset === undefined) throw authProblems.factor_reset_not_found()
  return { reset, user }
}

async function complete(
  trx: Trx,
  auth: AccountChangeDeps,
  { reset, user }: { reset: FactorReset; user: User },
  { confirmedBy, ...by }: { confirmedBy: string | null; sessionId: string | null; client: Client | null },
): Promise<FactorReset> {
  await deleteFactors(trx, user.id)
  await refreshMfaMethods(trx, user.id)
  const sessions = await endUserSessions(trx, auth, { userId: user.id, except: undefined }, 'credential_changed')
  const details = { reset: reset.id, startedBy: reset.startedBy, sessions }
  await auth.audit.record(trx, {
    type: 'factors_reset',
    userId: user.id,
    actor: confirmedBy ?? 'system',
    ...by,
    details,
  })
  await mailSecurityNotice(trx, auth, user.email, {
    subject: 'Your second factors were removed',
    what: 'All second factors of your account were removed and all devices were signed out. Sign in with your password and set up a new second factor.',
  })
  return endReset(trx, reset.id, { completedAt: auth.clock.now(), confirmedBy })
}

async function stop(
  trx: Trx,
  auth: AccountChangeDeps,
  { id, userId }: FactorReset,
  by: { actor: string; sessionId: string | null; client: Client | null },
): Promise<FactorReset> {
  await auth.audit.record(trx, { type: 'factor_reset_stopped', userId, ...by, details: { reset: id } })
  return endReset(trx, id, { stoppedAt: auth.clock.now() })
}
