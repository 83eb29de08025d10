import { platen } from '../../session/platen.ts'

/** What a visit to a provider is for, and where the customer goes on afterwards. */
export interface ProviderFlow {
  kind: 'sign-in' | 'link' | 'step-up'
  provider: string
  next: string
  /** Verifier of the code of a sign-in (RFC 7636). */
  verifier: string
}

/** The page to which providers lead back. The service knows it. */
const redirectUri = `${location.origin}/sign-in/provider`

const keyOf = (state: string): string => `platen.provider ${state}`

/** Leaves the page for a provider, which signs the customer in. */
export async function signInWith(provider: string, next: string): Promise<void> {
  const verifier = newSecret()
  const state = keep({ kind: 'sign-in', provider, next, verifier })
  const codeChallenge = await challengeOf(verifier)
  const query = new URLSearchParams({ redirectUri, state, codeChallenge })
  location.assign(`/v1/api/auth/${provider}?${query}`)
}

/** Leaves the page for a provider, with which the customer can sign in from then on. */
export async function linkWith(provider: string): Promise<void> {
  const state = keep({ kind: 'link', provider, next: location.pathname, verifier: '' })
  const { authorizationUrl } = await platen.auth.linkIdentity(provider, { redirectUri, state })
  location.assign(authorizationUrl)
}

/** Leaves the page for a provider, at which the customer confirms who they are. */
export async function stepUpWith(provider: string): Promise<void> {
  const state = keep({ kind: 'step-up', provider, next: location.pathname, verifier: '' })
  const { authorizationUrl } = await platen.auth.stepUpWithIdentity(provider, { redirectUri, state })
  location.assign(authorizationUrl)
}

/** Stores a visit in this tab. Only the page that began it knows its state, so another site cannot end it. */
function keep(flow: ProviderFlow): string {
  const state = newSecret()
  sessionStorage.setItem(keyOf(state), JSON.stringify(flow))
  return state
}

/** Returns the visit that the URL of the page ends, once. */
export function takeFlow(state: string | null): ProviderFlow | undefined {
  if (state === null) return undefined
  const stored = sessionStorage.getItem(keyOf(state))
  sessionStorage.removeItem(keyOf(state))
  return stored === null ? undefined : (JSON.parse(stored) as ProviderFlow)
}

function newSecret(): string {
  return toText(crypto.getRandomValues(new Uint8Array(32)))
}

async function challengeOf(verifier: string): Promise<string> {
  return toText(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))))
}

/** Encodes as base64url without padding. */
function toText(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
