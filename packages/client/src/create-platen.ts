import { ANONYMOUS, type Credentials, fixedToken } from './credentials/credentials.ts'
import { type Session, type SessionCredentials, sessionCredentials, type TokenStore } from './credentials/session.ts'
import { type TokenSource, tokenSource } from './credentials/token-source.ts'
import type { PlatenError } from './errors.ts'
import type { Resources } from './generated/resources.ts'
import type { RefreshRequest, TokenPair } from './generated/types.ts'
import { invoke } from './invoke.ts'
import { OPERATIONS, requireOperation } from './operations.ts'
import { prepare } from './request/prepare.ts'
import { isInBrowser } from './request/reach.ts'
import { type SendContext, send } from './request/send.ts'
import type { Fetch } from './request/transport.ts'

/** How requests are authenticated. Without this member, the client keeps a session in memory after a sign-in. */
export type PlatenAuth =
  /** An API key, for servers. Never put one into a page. */
  | { apiKey: string }
  /** A token that does not change, or a function that fetches one, such as a customer token. */
  | { token: string | TokenSource }
  /** A session: `'cookie'` for pages of the service, or a store for its tokens. */
  | { session: 'cookie' | TokenStore }

export interface PlatenOptions {
  /** `PLATEN_PUBLIC_URL` of the installation, such as `https://print.example.com`. */
  url: string
  auth?: PlatenAuth | undefined
  /** The customer for whom operators and their API keys act: `cus_...` or `ext:...`. */
  customer?: string | undefined
  /** Milliseconds for one attempt of a request. Default: 60 000. 0 means no limit. Uploads have no limit by default. */
  timeoutMs?: number | undefined
  /** Maximum number of repetitions of a request. Default: 3. */
  maxRetries?: number | undefined
  /** Called when the service has ended the session, so that the user must sign in again. */
  onSignedOut?: ((reason: PlatenError) => void) | undefined
  /** Whether a page of another origin sends the cookie that recognizes the browser at a sign-in. */
  deviceCookies?: boolean | undefined
  /** Replaces the `fetch` of the platform. */
  fetch?: typeof fetch | undefined
}

/** The client: a member for each resource, and the session. */
export type Platen = Resources & {
  readonly session: Session
}

const DEFAULT_TIMEOUT_MS = 60_000
const DEFAULT_RETRIES = 3

/**
 * The service repeats the response to a refresh for ten seconds. Attempts are short, so that one whose response was lost
 * is repeated within this time.
 */
const REFRESH_TIMEOUT_MS = 4_000
const REFRESH_RETRIES = 2

/** Creates a client of one installation. */
export function createPlaten(options: PlatenOptions): Platen {
  const baseUrl = baseUrlOf(options.url)
  const fetchNow: Fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init))
  const limits = {
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    maxRetries: options.maxRetries ?? DEFAULT_RETRIES,
  }
  const cookies = {
    keepsSessionInCookie: sessionOf(options.auth) === 'cookie',
    sendsDeviceCookie: options.deviceCookies === true,
  }
  const reach = { hasResponded: false }
  const transport = { fetch: fetchNow, hasOwnFetch: options.fetch !== undefined, reach, ...cookies }
  const own = ownSession(options, { baseUrl, ...transport })
  const context: SendContext = { ...transport, credentials: credentialsOf(options.auth) ?? own, ...limits }
  const client = { baseUrl, context, own, defaults: { customer: options.customer } }

  const resources: Record<string, Record<string, unknown>> = {}
  for (const operation of OPERATIONS.values()) {
    const [resource = '', method = ''] = operation.name.split('.')
    resources[resource] ??= {}
    resources[resource][method] = (...args: unknown[]) => invoke(client, operation, args)
  }
  return { ...resources, session: own.session } as unknown as Platen
}

function sessionOf(auth: PlatenAuth | undefined): 'cookie' | TokenStore | undefined {
  return auth !== undefined && 'session' in auth ? auth.session : undefined
}

function credentialsOf(auth: PlatenAuth | undefined): Credentials | undefined {
  if (auth === undefined || 'session' in auth) return undefined
  if ('apiKey' in auth) return fixedToken(requireCredential('apiKey', auth.apiKey))
  return typeof auth.token === 'function' ? tokenSource(auth.token) : fixedToken(requireCredential('token', auth.token))
}

/** A variable that is not set would otherwise make a client without a credential, whose requests are refused later. */
function requireCredential(name: 'apiKey' | 'token', value: unknown): string {
  const text = typeof value === 'string' ? value.trim() : ''
  if (text === '') {
    throw new TypeError(`auth.${name} is ${String(value).trim() || 'empty'}. Leave out auth for a client without one.`)
  }
  // `fetch` would print the credential in its error.
  if (!/^[\x21-\x7e]+$/.test(text)) throw new TypeError(`auth.${name} contains a character that no credential has.`)
  return text
}

function ownSession(
  { auth, onSignedOut }: PlatenOptions,
  use: Omit<SendContext, 'credentials' | 'timeoutMs' | 'maxRetries'> & { baseUrl: string },
): SessionCredentials {
  const session = sessionOf(auth)
  const limits = { timeoutMs: REFRESH_TIMEOUT_MS, maxRetries: REFRESH_RETRIES }
  const sendRefresh = async (body: RefreshRequest | undefined): Promise<TokenPair> => {
    const request = prepare(use.baseUrl, requireOperation('auth.refresh'), [body], { customer: undefined })
    const { data } = await send({ ...use, ...limits, credentials: ANONYMOUS }, request)
    return data as TokenPair
  }
  return sessionCredentials({
    store: typeof session === 'object' ? session : undefined,
    keepsSessionInCookie: use.keepsSessionInCookie,
    // Programs without pages have a client with a store for each user, who need not wait for each other.
    lockName: isInBrowser() ? `platen ${use.baseUrl}` : undefined,
    sendRefresh,
    onSignedOut,
  })
}

/** Accepts the URL with and without `/v1`. */
function baseUrlOf(url: unknown): string {
  if (typeof url !== 'string' || !/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new TypeError(`url must be a URL such as https://print.example.com, and is ${JSON.stringify(url)}.`)
  }
  return `${url.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1`
}
