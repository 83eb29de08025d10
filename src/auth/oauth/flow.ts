import type { Config } from '../../config/index.ts'
import { addSeconds, type Clock } from '../../platform/clock.ts'
import { seal, unsealWithAny } from '../../platform/cryptography/sealed-box.ts'
import type { Db } from '../../platform/db/index.ts'
import { hashSecret, type KeyDerivation, newSecret } from '../keys/secrets.ts'
import { authProblems } from '../problems.ts'
import { type FlowCookie, readBrowserCookie } from './browser-cookie.ts'
import type { Providers } from './open-providers.ts'
import { providerProblems } from './problems.ts'
import type { FlowSecrets, Provider } from './providers/provider.ts'
import { type Flow, type FlowCaller, insertFlow, takeFlow } from './store.ts'

export interface FlowDeps {
  db: Db
  clock: Clock
  keys: KeyDerivation
  providers: Providers
  config: Pick<Config, 'origin' | 'redirectUris'>
}

/** Time within which a user must authenticate at the provider. */
const FLOW_SECONDS = 600

export const SEALING_PURPOSE = 'platen oauth flows 1'

export interface FlowRequest {
  /** Where the browser is redirected at the end, with a code or an error. If undefined, the callback returns JSON. */
  redirectUri?: string
  /** A value that the service returns to the client unread. */
  state?: string
  /** An S256 challenge (RFC 7636). If it is set, only a client that has the verifier can redeem the code. */
  codeChallenge?: string
  /** The caller who links an identity or steps up. If undefined, the flow signs a user in. */
  by?: { caller: FlowCaller; purpose: 'link' | 'step_up' }
}

type FlowPurpose = 'sign_in' | 'link' | 'step_up'

export interface BegunFlow {
  authorizationUrl: string
  cookie: FlowCookie
}

/**
 * Begins a flow.
 *
 * @throws `provider_not_configured`, `redirect_uri_not_allowed`, `provider_unavailable`
 */
export async function beginFlow(auth: FlowDeps, name: string, wanted: FlowRequest): Promise<BegunFlow> {
  const provider = requireProvider(auth, name)
  const { redirectUri = null, state: clientState = null, codeChallenge = null, by } = wanted
  if (redirectUri !== null) requireAllowed(auth, redirectUri)
  // All three values have 43 characters, which is also a valid length for a verifier (RFC 7636).
  const secrets = { state: newSecret(), verifier: newSecret(), nonce: newSecret() }
  const purpose = by?.purpose ?? 'sign_in'
  const authorizationUrl = await provider.authorizationUrl(secrets, { authenticatesAgain: purpose === 'step_up' })
  const stateHash = hashSecret(secrets.state)
  const browser = newSecret()
  await insertFlow(auth.db, {
    stateHash,
    provider: name,
    browserHash: hashSecret(browser),
    sealed: sealSecrets(auth, stateHash, { ...secrets, purpose }),
    redirectUri,
    clientState,
    codeChallenge,
    caller: by?.caller,
    expiresAt: addSeconds(auth.clock.now(), FLOW_SECONDS),
  })
  return { authorizationUrl, cookie: { stateHash, value: browser, maxAgeSeconds: FLOW_SECONDS } }
}

/** The page of the shop at which a flow ends. Every installation has it, so no setting names it. */
const SHOP_PAGE = '/sign-in/provider'

/** URLs are compared exactly, because prefixes and patterns open redirects to other sites (RFC 9700, section 4.1.3). */
function requireAllowed({ config }: Pick<FlowDeps, 'config'>, redirectUri: string): void {
  if (redirectUri === `${config.origin}${SHOP_PAGE}` || config.redirectUris.includes(redirectUri)) return
  throw authProblems.redirect_uri_not_allowed()
}

/** A flow that was consumed because its callback arrived in the browser that began it. */
export interface ReturnedFlow extends Flow {
  purpose: FlowPurpose
  secrets: FlowSecrets
  begunAt: Date
}

/**
 * Consumes the flow that a callback belongs to.
 *
 * @param cookies the `Cookie` header of the callback
 * @throws `invalid_state` if the state is unknown, expired or used, or belongs to another browser or provider
 */
export async function resumeFlow(
  auth: FlowDeps,
  { provider, state, cookies }: { provider: string; state: string | undefined; cookies: string | undefined },
): Promise<ReturnedFlow> {
  const stateHash = hashSecret(state ?? '')
  const browser = readBrowserCookie(auth, cookies, stateHash)
  if (state === undefined || browser === undefined) throw authProblems.invalid_state()
  const flow = await takeFlow(auth.db, { stateHash, provider, browserHash: hashSecret(browser) }, auth.clock.now())
  if (flow === undefined) throw authProblems.invalid_state()
  const { purpose, ...secrets } = unsealSecrets(auth, flow)
  return { ...flow, purpose, secrets: { state, ...secrets }, begunAt: addSeconds(flow.expiresAt, -FLOW_SECONDS) }
}

/** Finds a provider by name. @throws `provider_not_configured` */
export function requireProvider({ providers }: FlowDeps, name: string): Provider {
  const provider = providers.get(name)
  if (provider === undefined) throw providerProblems.provider_not_configured()
  return provider
}

type Sealed = Pick<FlowSecrets, 'verifier' | 'nonce'> & { purpose: FlowPurpose }

function sealSecrets(auth: FlowDeps, stateHash: string, { verifier, nonce, purpose }: Sealed): Buffer {
  return seal(auth.keys.derive(SEALING_PURPOSE), Buffer.from(`${verifier} ${nonce} ${purpose}`), stateHash)
}

function unsealSecrets(auth: FlowDeps, { sealed, stateHash, caller }: Flow): Sealed {
  const opened = unsealWithAny(auth.keys.deriveAll(SEALING_PURPOSE), sealed, stateHash).toString()
  const [verifier = '', nonce = '', purpose] = opened.split(' ')
  // The previous release, which may use the same database during an upgrade, has no step-up and stores no purpose.
  if (purpose === undefined) return { verifier, nonce, purpose: caller === undefined ? 'sign_in' : 'link' }
  return { verifier, nonce, purpose: purpose as FlowPurpose }
}
