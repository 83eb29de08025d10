import { addSeconds } from '../../platform/clock.ts'
import type { Caller, Client } from '../caller.ts'
import { authProblems, codeProblems } from '../problems.ts'
import { setAuthenticated } from '../sessions/store.ts'
import { limitOperation } from '../throttle/limit-operation.ts'
import { findUser, type User } from '../users/store.ts'
import { type BegunFlow, beginFlow, type FlowDeps, type FlowRequest, type ReturnedFlow } from './flow.ts'
import { type IdentityDeps, lockFlowCaller } from './identities.ts'
import { titleOf } from './open-providers.ts'
import { PROVIDER_METHODS, type Profile } from './providers/provider.ts'
import { responseInvalid } from './providers/requests.ts'
import { type FlowCaller, listIdentities, lockIdentity, noteIdentityUsed } from './store.ts'

/** Maximum time that the clock of a provider may be behind the clock of the service. */
const CLOCK_TOLERANCE_SECONDS = 60

/**
 * Begins to authenticate the caller again at a linked provider.
 *
 * @throws `identity_not_found`, `invalid_code` for an account with a second factor, `rate_limited`, and the errors of
 * `beginFlow`
 */
export async function beginStepUp(
  auth: FlowDeps,
  { userId, sessionId }: Caller,
  provider: string,
  goal: Pick<FlowRequest, 'redirectUri' | 'state'>,
): Promise<BegunFlow> {
  const user = await findUser(auth.db, userId)
  if (user !== undefined) requireNoFactor(auth, user, provider)
  const identities = await listIdentities(auth.db, userId)
  if (!identities.some((identity) => identity.provider === provider)) throw authProblems.identity_not_found()
  await limitOperation(auth.db, { userId, operation: 'confirm' }, auth.clock.now())
  return beginFlow(auth, provider, { ...goal, by: { caller: { userId, sessionId }, purpose: 'step_up' } })
}

/**
 * Records the new authentication in the session that began the step-up.
 *
 * @throws `invalid_state` if the session has ended; `identity_not_found` if the user authenticated with an identity
 * that is not linked to the account; `invalid_code` if the account has a second factor; `provider_answer_invalid` if
 * the provider relied on an earlier sign-in
 */
export async function finishStepUp(
  auth: IdentityDeps,
  client: Client,
  { provider, caller, begunAt }: Pick<ReturnedFlow, 'provider' | 'begunAt'> & { caller: FlowCaller },
  { subject, label, authenticatedAt }: Profile,
): Promise<void> {
  const { userId, sessionId } = caller
  if (authenticatedAt !== undefined && authenticatedAt < addSeconds(begunAt, -CLOCK_TOLERANCE_SECONDS)) {
    throw responseInvalid()
  }
  await auth.db.transaction().execute(async (trx) => {
    const at = auth.clock.now()
    await lockIdentity(trx, { provider, subject })
    requireNoFactor(auth, await lockFlowCaller(trx, caller, at), provider)
    if (!(await noteIdentityUsed(trx, { provider, subject }, { userId, label, at }))) {
      const detail = `This ${titleOf(auth.providers, provider)} account is not linked to the account of the session.`
      throw authProblems.identity_not_found(detail)
    }
    if ((await setAuthenticated(trx, sessionId, PROVIDER_METHODS, at)) === undefined) throw authProblems.invalid_state()
    await auth.audit.record(trx, { type: 'step_up', userId, sessionId, client, method: provider })
  })
}

/**
 * Rejects accounts with a second factor. An attacker who uses a device with the session may also be signed in at the
 * provider there, so the provider cannot replace the factor.
 */
function requireNoFactor({ providers }: Pick<IdentityDeps, 'providers'>, { mfaMethods }: User, provider: string): void {
  if (mfaMethods.length === 0) return
  const detail = `${titleOf(providers, provider)} is not enough for this account. Use one of: ${mfaMethods.join(', ')}, recovery_code.`
  throw codeProblems.invalid_code({ detail })
}
