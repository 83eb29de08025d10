import { PlatenError } from '../errors.ts'
import type { RefreshRequest, TokenPair } from '../generated/types.ts'
import { share } from '../request/wait.ts'
import { type Credentials, takesNoCredential, usableUntil } from './credentials.ts'
import { whenAlone } from './lock.ts'

/** The tokens of a session. Treat them as secrets. */
export interface SessionTokens {
  accessToken: string
  /** Undefined if the refresh token is in a cookie. */
  refreshToken?: string | undefined
  /** Time until which the access token is used, in milliseconds since 1970: a little before its end. */
  expiresAt: number
}

/** Keeps the tokens of a session beyond the life of the client, such as in `localStorage`. */
export interface TokenStore {
  load(): Promise<SessionTokens | undefined> | SessionTokens | undefined
  /** @param tokens undefined when the session has ended */
  save(tokens: SessionTokens | undefined): Promise<void> | void
}

export interface Session {
  /** The present tokens; undefined if the client is not signed in, or does not know yet. */
  tokens(): Promise<SessionTokens | undefined>
  /** Continues a session, for example one that another program has opened. */
  use(tokens: SessionTokens): Promise<void>
  /** Forgets the tokens. The session itself ends with `auth.logout`. */
  forget(): Promise<void>
  /** Gets a new access token, for example after a step-up with a provider. Concurrent calls share one request. */
  refresh(signal?: AbortSignal): Promise<void>
}

export interface SessionSettings {
  store: TokenStore | undefined
  keepsSessionInCookie: boolean
  /** Names the lock between the tabs of a browser that share the store. */
  lockName: string
  sendRefresh(body: RefreshRequest | undefined): Promise<TokenPair>
  /** Called when the service has ended the session. */
  onSignedOut: ((reason: PlatenError) => void) | undefined
}

export type SessionCredentials = Credentials & { session: Session; adopt(response: unknown): Promise<void> }

/** Time before the end of an access token at which the client gets a new one. */
const MARGIN_SECONDS = 30

export function sessionCredentials(settings: SessionSettings): SessionCredentials {
  const { store, keepsSessionInCookie, lockName, sendRefresh, onSignedOut } = settings
  let held: SessionTokens | undefined
  let loading: Promise<void> | undefined
  let refreshing: Promise<void> | undefined
  let hasEnded = false

  const load = (): Promise<void> => {
    loading ??= (async () => {
      held ??= await store?.load()
    })().catch((error: unknown) => {
      // The next request tries again.
      loading = undefined
      throw error
    })
    return loading
  }
  const keep = async (tokens: SessionTokens | undefined): Promise<void> => {
    held = tokens
    hasEnded = tokens === undefined
    await store?.save(tokens)
  }
  const canRefresh = (): boolean => (keepsSessionInCookie ? !hasEnded : held?.refreshToken !== undefined)

  /** Refreshes unless another tab has done so. The lock ensures that tabs do not use one token at different times. */
  const refreshOnce = async (): Promise<void> => {
    const stored = await store?.load()
    if (stored !== undefined && stored.refreshToken !== held?.refreshToken) {
      held = stored
      if (isFresh(stored)) return
    }
    const used = held?.refreshToken
    try {
      const pair = await sendRefresh(used === undefined ? undefined : { refreshToken: used })
      // A sign-in in the meantime has opened another session.
      if (held?.refreshToken === used) await keep(toTokens(pair, held))
    } catch (error) {
      if (error instanceof PlatenError && error.status === 401 && held?.refreshToken === used) {
        const wasSignedIn = held !== undefined
        await keep(undefined)
        if (wasSignedIn) onSignedOut?.(error)
      }
      throw error
    }
  }
  const refresh = (signal: AbortSignal | undefined): Promise<void> => {
    refreshing ??= whenAlone(store === undefined ? undefined : lockName, refreshOnce).finally(() => {
      refreshing = undefined
    })
    return share(refreshing, signal)
  }

  return {
    token: async (request) => {
      if (takesNoCredential(request)) return undefined
      await load()
      if (held !== undefined && isFresh(held)) return held.accessToken
      const isNeeded = !request.operation.isPublic || request.headers.has('Platen-Customer')
      if (isNeeded && canRefresh()) await refresh(request.options.signal)
      return isNeeded ? held?.accessToken : undefined
    },
    renew: async (refused, signal) => {
      if (held?.accessToken === refused && canRefresh()) await refresh(signal)
      return held !== undefined && held.accessToken !== refused
    },
    adopt: async (response) => {
      if (isTokenResponse(response)) await keep(toTokens(response, held))
    },
    session: {
      tokens: async () => {
        await load()
        return held
      },
      use: keep,
      forget: () => keep(undefined),
      refresh: async (signal) => {
        await load()
        await refresh(signal)
      },
    },
  }
}

const isFresh = ({ expiresAt }: SessionTokens): boolean => expiresAt > Date.now()

/** A step-up returns an access token of the same session, without a refresh token. */
function toTokens(
  { accessToken, refreshToken, expiresIn }: TokenResponse,
  before: SessionTokens | undefined,
): SessionTokens {
  const expiresAt = usableUntil(expiresIn, MARGIN_SECONDS)
  return { accessToken, refreshToken: refreshToken ?? before?.refreshToken, expiresAt }
}

interface TokenResponse {
  accessToken: string
  refreshToken?: string
  expiresIn: number
}

function isTokenResponse(response: unknown): response is TokenResponse {
  return typeof response === 'object' && response !== null && 'accessToken' in response && 'expiresIn' in response
}
