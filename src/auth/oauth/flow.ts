import type { Config } from '../../config/index.ts'
import { addSeconds, type Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/index.ts'
import { seal, unseal } from '../../platform/sealed-box.ts'
import { hashSecret, type KeyDerivation, newSecret } from '../keys/secrets.ts'
import { authProblems } from '../problems.ts'
import { makeBrowserCookie, readBrowserCookie } from './browser-cookie.ts'
import type { FlowSecrets, Provider, ProviderName } from './providers/provider.ts'
import type { Providers } from './providers/providers.ts'
import { type Flow, type FlowCaller, insertFlow, takeFlow } from './store.ts'

export interface FlowDeps {
  db: Db
  clock: Clock
  keys: KeyDerivation
  providers: Providers
  config: Pick<Config, 'origin' | 'redirectUris'>
}

/** How long a person may take at the provider. */
const FLOW_SECONDS = 600

const SEALING_PURPOSE = 'platen oauth flows 1'

/** Options of a flow. */
export interface FlowRequest {
  /** Where to send the browser in the end, with a code or an error. Without, the callback answers itself. */
  redirectUri?: string
  /** Given back to the client as it was. */
  state?: string
  /** S256 (RFC 7636): who redeems the code must know what it was made of. */
  codeChallenge?: string
  /** Who links or steps up. Without, the flow signs in. */
  by?: { caller: FlowCaller; purpose: 'link' | 'step_up' }
}

type FlowPurpose = 'sign_in' | 'link' | 'step_up'

export interface BegunFlow {
  authorizationUrl: string
  /** `Set-Cookie` value. */
  cookie: string
}

/**
 * Prepares a visit to a provider.
 *
 * @throws `provider_not_configured`, `redirect_uri_not_allowed`, `provider_unavailable`
 */
export async function beginFlow(auth: FlowDeps, name: ProviderName, wanted: FlowRequest): Promise<BegunFlow> {
  const provider = requireProvider(auth, name)
  const { redirectUri = null, state: clientState = null, codeChallenge = null, by } = wanted
  if (redirectUri !== null && !auth.config.redirectUris.includes(redirectUri)) {
    throw authProblems.redirect_uri_not_allowed()
  }
  // Their length is also valid for a verifier of RFC 7636.
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
  return { authorizationUrl, cookie: makeBrowserCookie(auth, stateHash, browser, FLOW_SECONDS) }
}

/** A flow that has come back, in the browser that began it. It is used up. */
export interface ReturnedFlow extends Flow {
  purpose: FlowPurpose
  secrets: FlowSecrets
  begunAt: Date
}

/**
 * @param cookies the `Cookie` header with which the browser came back
 * @throws `invalid_state` for one that is unknown, over, used, another browser's or another provider's
 */
export async function resumeFlow(
  auth: FlowDeps,
  { provider, state, cookies }: { provider: ProviderName; state: string | undefined; cookies: string | undefined },
): Promise<ReturnedFlow> {
  const stateHash = hashSecret(state ?? '')
  const browser = readBrowserCookie(auth, cookies, stateHash)
  if (state === undefined || browser === undefined) throw authProblems.invalid_state()
  const flow = await takeFlow(auth.db, { stateHash, provider, browserHash: hashSecret(browser) }, auth.clock.now())
  if (flow === undefined) throw authProblems.invalid_state()
  const { purpose, ...secrets } = unsealSecrets(auth, flow)
  return { ...flow, purpose, secrets: { state, ...secrets }, begunAt: addSeconds(flow.expiresAt, -FLOW_SECONDS) }
}

/** @throws `provider_not_configured` */
export function requireProvider({ providers }: FlowDeps, name: ProviderName): Provider {
  const provider = providers[name]
  if (provider === undefined) throw authProblems.provider_not_configured()
  return provider
}

type Sealed = Pick<FlowSecrets, 'verifier' | 'nonce'> & { purpose: FlowPurpose }

function sealSecrets(auth: FlowDeps, stateHash: string, { verifier, nonce, purpose }: Sealed): Buffer {
  return seal(auth.keys.derive(SEALING_PURPOSE), Buffer.from(`${verifier} ${nonce} ${purpose}`), stateHash)
}

function unsealSecrets(auth: FlowDeps, { sealed, stateHash, caller }: Flow): Sealed {
  const opened = unseal(auth.keys.derive(SEALING_PURPOSE), sealed, stateHash).toString()
  const [verifier = '', nonce = '', purpose] = opened.split(' ')
  // The previous release, which may serve the same database during an upgrade, seals no purpose and cannot step up.
  if (purpose === undefined) return { verifier, nonce, purpose: caller === undefined ? 'sign_in' : 'link' }
  return { verifier, nonce, purpose: purpose as FlowPurpose }
}
