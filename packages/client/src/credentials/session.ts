import { PlatenError } from '../errors.ts'
import type { RefreshRequest, TokenPair } from '../generated/types.ts'
import { share } from '../request/wait.ts'
import { type Credentials, takesNoCredential, usableUntil } from './credentials.ts'
import { whenAlone } from './lock.ts'
import type { SessionTokens } from './session-tokens.ts'
import { joinTabs } from './tabs.ts'

/** Keeps the tokens of a session beyond the life of the client, such as in `localStorage`. */
export interface TokenStore {
  load(): Promise<SessionTokens | null | undefined> | SessionTokens | null | undefined
  /** @param tokens undefined when the session has ended */
  save(tokens: SessionTokens | undefined): Promise<void> | void
  /** Name of the lock under which the tabs of a browser refresh the tokens. Default: one for all stores of this URL. */
  lockName?: string | undefined
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
  lockName: string | undefined
  sendRefresh(body: RefreshRequest | undefined): Promise<TokenPair>
  /** Called when the service has ended the session. */
  onSignedOut: ((reason: PlatenError) => void) | undefined
}

export interface SessionCredentials extends Credentials {
  session: Session
  /** Keeps the tokens of a response, if it has some. */
  adopt(response: unknown): Promise<void>
  /** Ends the session by a request. That the session had ended already is no news then. */
  leave<T>(logOut: () => Promise<T>): Promise<T>
}

/** Time before the end of an access token at which the client gets a new one. */
const MARGIN_SECONDS = 30

export function sessionCredentials(settings: SessionSettings): SessionCredentials {
  const { store, keepsSessionInCookie, sendRefresh, onSignedOut } = settings
  const lockName = store === undefined && !keepsSessionInCookie ? undefined : (store?.lockName ?? settings.lockName)
  let held: SessionTokens | undefined
  /** Grows with each change of the session, so that work in the background does not undo a sign-in or a logout. */
  let version = 0
  let loading: Promise<void> | undefined
  let refreshing: Promise<void> | undefined
  let hasEnded = false
  let isLeaving = false

  const tabs =
    keepsSessionInCookie && lockName !== undefined
      ? joinTabs(lockName, () => (held !== undefined && isFresh(held) ? held : undefined))
      : undefined
  const readStore = async (): Promise<SessionTokens | undefined> => requireTokens(await store?.load())
  const load = (): Promise<void> => {
    loading ??= (async () => {
      const before = version
      const stored = await readStore()
      if (version === before) held ??= stored
    })().catch((error: unknown) => {
      // The next request tries again.
      loading = undefined
      throw error
    })
    return loading
  }
  const keep = async (tokens: SessionTokens | undefined): Promise<void> => {
    held = tokens
    version += 1
    hasEnded = tokens === undefined
    await store?.save(tokens)
  }
  const canRefresh = (): boolean => (keepsSessionInCookie ? !hasEnded : held?.refreshToken !== undefined)

  /** Takes the tokens of another tab that has refreshed or signed in. Returns whether there are some. */
  const takeOver = async (before: number): Promise<boolean> => {
    const shared = tabs === undefined ? await readStore() : await tabs.ask()
    if (version !== before || shared === undefined || isSame(shared, held)) return false
    held = shared
    return true
  }

  /** Refreshes unless another tab has done so. The lock ensures that tabs do not use one token at different times. */
  const refreshOnce = async (): Promise<void> => {
    const before = version
    if ((await takeOver(before)) && held !== undefined && isFresh(held)) return
    const used = held?.refreshToken
    try {
      const pair = await sendRefresh(used === undefined ? undefined : { refreshToken: used })
      if (version === before) {
        // A browser keeps the cookie of the last response, and so the session of the last sign-in, by itself.
        if (tabs !== undefined || !(await takeOver(before))) await keep(toTokens(pair, held))
      } else if (used !== undefined && held?.refreshToken === used) {
        // A step-up in the meantime kept the used refresh token. The next refresh returns a token with the step-up.
        await keep({ ...toTokens(pair, held), expiresAt: 0 })
      }
    } catch (error) {
      if (!(error instanceof PlatenError && error.status === 401) || version !== before) throw error
      if (await takeOver(before)) return
      const isNews = held !== undefined && !isLeaving
      await keep(undefined).finally(() => {
        if (isNews) onSignedOut?.(error)
      })
      throw error
    }
  }
  const refresh = (signal: AbortSignal | undefined): Promise<void> => {
    refreshing ??= whenAlone(lockName, refreshOnce).finally(() => {
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
      if (!isTokenResponse(response)) return
      // A step-up returns an access token of the same session, whose refresh token another tab may have replaced. The
      // next refresh then returns an access token with the step-up.
      const replaced = response.refreshToken === undefined && store !== undefined ? await readStore() : undefined
      const isReplaced = replaced !== undefined && replaced.refreshToken !== held?.refreshToken
      await keep(isReplaced ? { ...replaced, expiresAt: 0 } : toTokens(response, held))
    },
    leave: async (logOut) => {
      isLeaving = true
      try {
        const result = await logOut()
        await keep(undefined)
        return result
      } finally {
        isLeaving = false
      }
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

/** Checks what a store returns. Programs often return what `JSON.parse` makes of a text that they have stored. */
function requireTokens(stored: SessionTokens | null | undefined): SessionTokens | undefined {
  if (stored === undefined || stored === null) return undefined
  if (typeof stored.accessToken === 'string' && typeof stored.expiresAt === 'number') return stored
  throw new TypeError('load() of the store must return the tokens that save() got, or undefined')
}

/** Access tokens of one refresh token are the same session. Without refresh tokens, only the access tokens tell. */
function isSame(shared: SessionTokens, held: SessionTokens | undefined): boolean {
  if (shared.refreshToken !== undefined) return shared.refreshToken === held?.refreshToken
  return shared.accessToken === held?.accessToken
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
