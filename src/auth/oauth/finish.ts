import { Problem } from '../../platform/problem.ts'
import type { Client } from '../caller.ts'
import { authProblems } from '../problems.ts'
import { type CompleteSignInDeps, completeSignIn, type SignInResult } from '../sign-in/complete-sign-in.ts'
import type { User } from '../users/store.ts'
import { type FlowDeps, type ReturnedFlow, requireProvider } from './flow.ts'
import { identify } from './identify.ts'
import { finishLink, type IdentityDeps } from './identities.ts'
import { callbackUrl, PROVIDER_METHODS, type Profile } from './providers/provider.ts'
import { responseInvalid } from './providers/requests.ts'
import { newCode } from './redeem-code.ts'
import { finishStepUp } from './step-up.ts'

export type FinishDeps = FlowDeps & CompleteSignInDeps & IdentityDeps

export type FlowResult =
  | SignInResult
  | { status: 'linked'; provider: string }
  | { status: 'stepped_up'; provider: string }
  | { status: 'redirect'; location: string }

/**
 * Ends a flow: completes the sign-in, issues a code, links the identity, or records the step-up. If the flow has a
 * redirect URI, the browser is redirected there after an error, too, with the code of the problem. Text of the provider
 * is never passed on.
 *
 * @param query query of the callback as received, with `?`
 * @throws `provider_answer_invalid`, `access_denied`, `provider_unavailable`, `provider_email_unverified`,
 * `account_exists`, `invalid_credentials`, and the errors of `finishLink` and `finishStepUp`
 */
export async function finishFlow(
  auth: FinishDeps,
  client: Client,
  flow: ReturnedFlow,
  query: string,
): Promise<FlowResult> {
  let outcome: FlowResult | EmailTaken
  try {
    outcome = await conclude(auth, client, flow, query)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return refuse(auth, client, flow, error, null)
  }
  if ('status' in outcome) return outcome
  return refuse(auth, client, flow, authProblems.account_exists(), outcome.ownerOfEmail.id)
}

interface EmailTaken {
  ownerOfEmail: User
}

async function conclude(
  auth: FinishDeps,
  client: Client,
  flow: ReturnedFlow,
  query: string,
): Promise<FlowResult | EmailTaken> {
  const profile = await readProfile(auth, flow, query)
  const { provider, caller, purpose } = flow
  if (caller === undefined) return signIn(auth, client, flow, profile)
  if (purpose === 'step_up') {
    await finishStepUp(auth, client, { ...flow, caller }, profile)
  } else {
    await finishLink(auth, client, { provider, caller }, profile)
  }
  const done = { status: purpose === 'step_up' ? 'stepped_up' : 'linked', provider } as const
  return flow.redirectUri === null ? done : backToClient(flow.redirectUri, flow.clientState, done)
}

/**
 * Records a failed flow and reports the problem to the client.
 *
 * @param userId the account that the flow was for; null if it is unknown
 */
async function refuse(
  auth: FinishDeps,
  client: Client,
  { caller, purpose, provider, redirectUri, clientState }: ReturnedFlow,
  problem: Problem,
  userId: string | null,
): Promise<FlowResult> {
  if (purpose !== 'link' && problem.status < 500) {
    const type = purpose === 'step_up' ? 'step_up_failed' : 'sign_in_failed'
    const { sessionId = null } = caller ?? {}
    const event = { type, result: 'failure', userId: caller?.userId ?? userId, actor: null, sessionId } as const
    await auth.audit.record(auth.db, { ...event, method: provider, client, details: { code: problem.code } })
  }
  if (redirectUri === null) throw problem
  return backToClient(redirectUri, clientState, { error: problem.code })
}

async function readProfile(auth: FinishDeps, flow: ReturnedFlow, query: string): Promise<Profile> {
  const provider = requireProvider(auth, flow.provider)
  const callback = new URL(callbackUrl(auth.config, flow.provider) + query)
  const error = callback.searchParams.get('error')
  if (error === 'access_denied') throw authProblems.access_denied()
  if (error !== null) throw responseInvalid()
  return provider.readProfile(callback, flow.secrets)
}

async function signIn(
  auth: FinishDeps,
  client: Client,
  { provider, redirectUri, clientState, codeChallenge }: ReturnedFlow,
  profile: Profile,
): Promise<FlowResult | EmailTaken> {
  return auth.db.transaction().execute(async (trx) => {
    const found = await identify(trx, auth, client, provider, profile)
    if ('ownerOfEmail' in found) return found
    const { user } = found
    if (redirectUri === null) {
      return completeSignIn(trx, auth, client, {
        user,
        verification: { signInMethod: provider, methods: PROVIDER_METHODS, isMultiFactor: false },
      })
    }
    const code = await newCode(trx, auth, { userId: user.id, provider, methods: PROVIDER_METHODS, codeChallenge })
    return backToClient(redirectUri, clientState, { code })
  })
}

/** The redirect URI was compared exactly, so parameters are appended without normalizing it. */
function backToClient(
  redirectUri: string,
  clientState: string | null,
  result: { code: string } | { error: string } | { status: 'linked' | 'stepped_up'; provider: string },
) {
  const parameters = new URLSearchParams(result)
  if (clientState !== null) parameters.set('state', clientState)
  const location = `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${parameters}`
  return { status: 'redirect', location } as const
}
