import { Problem } from '../../platform/problem.ts'
import type { Client } from '../caller.ts'
import { authProblems } from '../problems.ts'
import type { AccountChangeDeps } from '../sessions/end-sessions.ts'
import { type CompleteSignInDeps, completeSignIn, type SignInResult } from '../sign-in/complete-sign-in.ts'
import type { User } from '../users/store.ts'
import { type FlowDeps, type ReturnedFlow, requireProvider } from './flow.ts'
import { identify } from './identify.ts'
import { finishLink } from './identities.ts'
import { callbackUrl, type Profile, type ProviderName } from './providers/provider.ts'
import { answerInvalid } from './providers/requests.ts'
import { newCode } from './redeem-code.ts'

export type FinishDeps = FlowDeps & CompleteSignInDeps & AccountChangeDeps

/** `amr` of a sign-in at a provider, which does not say how it verified the person. */
const METHODS = ['fed']

/** The result of a callback. */
export type Finished =
  | SignInResult
  | { status: 'linked'; provider: ProviderName }
  | { status: 'redirect'; location: string }

/**
 * Ends a flow: signs in, hands over a code, or links. Where the browser is to be sent on, refusals go there, too, as
 * our code of the problem; nothing that the provider wrote does.
 *
 * @param query of the callback as it came, with `?`
 * @throws `provider_answer_invalid`, `access_denied`, `provider_unavailable`, `provider_email_unverified`,
 *   `account_exists`, `invalid_credentials`, and those of `finishLink`
 */
export async function finishFlow(
  auth: FinishDeps,
  client: Client,
  flow: ReturnedFlow,
  query: string,
): Promise<Finished> {
  let outcome: Finished | EmailTaken
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
): Promise<Finished | EmailTaken> {
  const profile = await readProfile(auth, flow, query)
  if (flow.link === undefined) return signIn(auth, client, flow, profile)
  await finishLink(auth, client, { provider: flow.provider, target: flow.link }, profile)
  return { status: 'linked', provider: flow.provider }
}

/** @param userId whose account it was about, where that is known */
async function refuse(
  auth: FinishDeps,
  client: Client,
  { link, provider, redirectUri, clientState }: ReturnedFlow,
  problem: Problem,
  userId: string | null,
): Promise<Finished> {
  if (link === undefined && problem.status < 500) {
    const event = { type: 'sign_in_failed', result: 'failure', userId, actor: null, method: provider } as const
    await auth.audit.record(auth.db, { ...event, client, details: { code: problem.code } })
  }
  if (redirectUri === null) throw problem
  return backToClient(redirectUri, clientState, { error: problem.code })
}

async function readProfile(auth: FinishDeps, flow: ReturnedFlow, query: string): Promise<Profile> {
  const provider = requireProvider(auth, flow.provider)
  const callback = new URL(callbackUrl(auth.config, flow.provider) + query)
  const error = callback.searchParams.get('error')
  if (error === 'access_denied') throw authProblems.access_denied()
  if (error !== null) throw answerInvalid()
  return provider.readProfile(callback, flow.secrets)
}

async function signIn(
  auth: FinishDeps,
  client: Client,
  { provider, redirectUri, clientState, codeChallenge }: ReturnedFlow,
  profile: Profile,
): Promise<Finished | EmailTaken> {
  return auth.db.transaction().execute(async (trx) => {
    const found = await identify(trx, auth, client, provider, profile)
    if ('ownerOfEmail' in found) return found
    const { user } = found
    if (redirectUri === null) {
      return completeSignIn(trx, auth, client, {
        user,
        verification: { signInMethod: provider, methods: METHODS, isMultiFactor: false },
      })
    }
    const code = await newCode(trx, auth, { userId: user.id, provider, methods: METHODS, codeChallenge })
    return backToClient(redirectUri, clientState, { code })
  })
}

/** The redirect URI was compared exactly, so parameters are appended without normalizing it. */
function backToClient(redirectUri: string, clientState: string | null, result: { code: string } | { error: string }) {
  const parameters = new URLSearchParams(result)
  if (clientState !== null) parameters.set('state', clientState)
  const location = `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${parameters}`
  return { status: 'redirect', location } as const
}
