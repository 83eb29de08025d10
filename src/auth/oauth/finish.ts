import type { FastifyRequest } from 'fastify'
import { Problem } from '../../platform/problem.ts'
import type { AuthContext } from '../context.ts'
import { authProblems } from '../problems.ts'
import { clientOf } from '../sessions/client.ts'
import { type Entered, enter } from '../sign-in/enter.ts'
import { type ReturnedFlow, requireProvider } from './flow.ts'
import { newCode } from './hand-over.ts'
import { type Identified, identify } from './identify.ts'
import { finishLink } from './identities.ts'
import { callbackUrl, type Profile, type ProviderName } from './providers/provider.ts'
import { answerInvalid } from './providers/requests.ts'

/** `amr` of somebody whom a provider has signed in: how it did so is not known here. */
const METHODS = ['fed']

/** What the callback answers. */
export type Finished = Entered | { status: 'linked'; provider: ProviderName } | { status: 'redirect'; location: string }

/**
 * Ends a flow: signs in, hands over a code, or links. Where the browser is to be sent on, refusals go there, too, as
 * our code of the problem; nothing that the provider wrote does.
 *
 * @param query of the callback as it came, with `?`
 * @throws `provider_answer_invalid`, `access_denied`, `provider_unavailable`, `provider_email_unverified`,
 *   `account_exists`, `invalid_credentials`, and those of `finishLink`
 */
export async function finishFlow(
  auth: AuthContext,
  request: FastifyRequest,
  flow: ReturnedFlow,
  query: string,
): Promise<Finished> {
  try {
    const profile = await readProfile(auth, flow, query)
    if (flow.link === undefined) return await signIn(auth, request, flow, profile)
    await finishLink(auth, request, { provider: flow.provider, target: flow.link }, profile)
    return { status: 'linked', provider: flow.provider }
  } catch (error) {
    if (!(error instanceof Problem) || flow.redirectUri === null) throw error
    return backToClient(flow.redirectUri, flow.clientState, { error: error.code })
  }
}

async function readProfile(auth: AuthContext, flow: ReturnedFlow, query: string): Promise<Profile> {
  const provider = requireProvider(auth, flow.provider)
  const callback = new URL(callbackUrl(auth.config, flow.provider) + query)
  const error = callback.searchParams.get('error')
  if (error === 'access_denied') throw authProblems.access_denied()
  if (error !== null) throw answerInvalid()
  return provider.readProfile(callback, flow.secrets)
}

async function signIn(
  auth: AuthContext,
  request: FastifyRequest,
  flow: ReturnedFlow,
  profile: Profile,
): Promise<Finished> {
  const { provider, redirectUri, clientState, codeChallenge } = flow
  const outcome = await auth.db.transaction().execute(async (trx): Promise<Finished | Identified> => {
    const found = await identify(trx, auth, request, provider, profile)
    if (!('user' in found)) return found
    const { user } = found
    if (redirectUri === null) {
      return enter(trx, auth, request, { user, proof: { way: provider, methods: METHODS, isMultiFactor: false } })
    }
    const code = await newCode(trx, auth, { userId: user.id, provider, methods: METHODS, codeChallenge })
    return backToClient(redirectUri, clientState, { code })
  })
  if ('status' in outcome) return outcome
  if ('addressOf' in outcome) {
    const event = { type: 'sign_in_failed', result: 'failure', userId: outcome.addressOf.id, actor: null } as const
    await auth.audit.record(auth.db, { ...event, client: clientOf(request), method: provider })
  }
  throw authProblems.account_exists()
}

/** The address was allowed exactly as it is written, so it is not rewritten, only continued. */
function backToClient(redirectUri: string, clientState: string | null, result: { code: string } | { error: string }) {
  const parameters = new URLSearchParams(result)
  if (clientState !== null) parameters.set('state', clientState)
  const location = `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${parameters}`
  return { status: 'redirect', location } as const
}
