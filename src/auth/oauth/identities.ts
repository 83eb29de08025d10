import type { Config } from '../../config/index.ts'
import type { Trx } from '../../platform/db/index.ts'
import type { Caller, Client } from '../caller.ts'
import type { KeyDerivation } from '../keys/secrets.ts'
import { mailSecurityNotice } from '../mail/notices.ts'
import { authProblems } from '../problems.ts'
import { type AccountChangeDeps, endUserSessions } from '../sessions/end-sessions.ts'
import { lockCaller } from '../sessions/lock-caller.ts'
import { isSessionOpen } from '../sessions/store.ts'
import { requireAnotherSignInMethod } from '../users/sign-in-methods.ts'
import { lockUser, type User } from '../users/store.ts'
import { type BegunFlow, beginFlow, type FlowDeps, type FlowRequest } from './flow.ts'
import { type Providers, titleOf } from './open-providers.ts'
import type { Profile } from './providers/provider.ts'
import { deleteIdentity, type FlowCaller, insertIdentity, listIdentities, lockIdentity } from './store.ts'
/** The dependencies of functions that change linked identities. */
export type IdentityDeps = AccountChangeDeps & {
  providers: Providers
  config: Pick<Config, 'registration'>
  keys: KeyDerivation
}

/** Begins to link a provider to the caller's account. @throws `provider_already_linked`, and those of `beginFlow` */
export async function beginLink(
  auth: FlowDeps,
  { userId, sessionId }: Caller,
  provider: string,
  goal: Pick<FlowRequest, 'redirectUri' | 'state'>,
): Promise<BegunFlow> {
  if ((await listIdentities(auth.db, userId)).some((identity) => identity.provider === provider)) {
    throw authProblems.provider_already_linked()
  }
  return beginFlow(auth, provider, { ...goal, by: { caller: { userId, sessionId }, purpose: 'link' } })
}

/**
 * Links an identity to the account whose session began the flow.
 *
 * @throws `invalid_state` if that session has ended; `provider_already_linked`; `identity_taken`
 */
export async function finishLink(
  auth: IdentityDeps,
  client: Client,
  { provider, caller }: { provider: string; caller: FlowCaller },
  { subject, label }: Profile,
): Promise<void> {
  const { userId, sessionId } = caller
  await auth.db.transaction().execute(async (trx) => {
    const at = auth.clock.now()
    await lockIdentity(trx, { provider, subject })
    const user = await lockFlowCaller(trx, caller, at)
    if (await isLinked(trx, userId, provider)) throw authProblems.provider_already_linked()
    if (!(await insertIdentity(trx, { provider, subject }, { userId, label, at }))) throw authProblems.identity_taken()
    await endUserSessions(trx, auth, { userId, except: sessionId }, 'credential_changed')
    await auth.audit.record(trx, { type: 'identity_linked', userId, sessionId, client, method: provider })
    const title = titleOf(auth.providers, provider)
    await mailSecurityNotice(trx, auth, user.email, {
      subject: `${title} was linked to your account`,
      what: `From now on you can sign in to your account with ${title}. Other devices were signed out.`,
    })
  })
}

/**
 * Unlinks a provider from the caller's account.
 *
 * @throws `identity_not_found`, `last_way_in`, `credential_not_accepted`
 */
export async function unlink(auth: IdentityDeps, caller: Caller, provider: string): Promise<void> {
  await auth.db.transaction().execute(async (trx) => {
    const { user, sessionId } = await lockCaller(trx, auth, caller)
    const { id: userId } = user
    if (!(await isLinked(trx, userId, provider))) throw authProblems.identity_not_found()
    await requireAnotherSignInMethod(trx, userId, { provider })
    await deleteIdentity(trx, { userId, provider })
    await endUserSessions(trx, auth, { userId, except: sessionId }, 'credential_changed')
    await auth.audit.record(trx, {
      type: 'identity_unlinked',
      userId,
      sessionId,
      client: caller.client,
      method: provider,
    })
    const title = titleOf(auth.providers, provider)
    await mailSecurityNotice(trx, auth, user.email, {
      subject: `${title} was unlinked from your account`,
      what: `You can no longer sign in to your account with ${title}. Other devices were signed out.`,
    })
  })
}

/**
 * Locks the account whose session began a flow.
 *
 * @throws `invalid_state` if the session has ended
 */
export async function lockFlowCaller(trx: Trx, { userId, sessionId }: FlowCaller, at: Date): Promise<User> {
  const user = await lockUser(trx, userId, 'update')
  if (user === undefined || user.disabledAt !== null || !(await isSessionOpen(trx, sessionId, at))) {
    throw authProblems.invalid_state()
  }
  return user
}

async function isLinked(trx: Trx, userId: string, provider: string): Promise<boolean> {
  return (await listIdentities(trx, userId)).some((identity) => identity.provider === provider)
}
