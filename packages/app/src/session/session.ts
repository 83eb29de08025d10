import { PlatenError, type SignInResult } from '@platen/client'
import type { Account, Claim, SessionState, SignInStep } from './account.ts'
import { onSignedOut, platen } from './platen.ts'
import { readStored, store } from './stored.ts'
import { passGuestCart } from './stored-cart.ts'

/**
 * The session of the browser. Which kind it has is stored, so that a page of a visitor without a session need not ask
 * the service for one.
 */
export interface ShopSession {
  state(): SessionState
  onChange(listener: () => void): () => void
  /** Starts a session without an account, unless there is a session. */
  ensure(): Promise<void>
  /** Signs in with a request. The work of a guest comes along. */
  signIn(send: () => Promise<SignInResult>): Promise<SignInStep>
  /** Sends a request that ends the session. */
  leave(send: () => Promise<unknown>): Promise<void>
  /** Reads the account again, for example after a change of the name. */
  reload(): Promise<void>
  /** Waits until the account is known that the page began with. Fails without a connection. */
  begin(): Promise<void>
  /** Goes on without a session after the service has ended it. */
  goOnWithout(): void
  /** Notes that the service refused the session. */
  noteEnd(): void
}

/** Tells other tabs that the session is another one. Tokens do not pass here. */
const news = new BroadcastChannel('platen shop session')

let state: SessionState = { account: initialAccount(), ended: undefined }
/** Access token of the guest whose designs the sign-in under way takes along. It is in memory only. */
let guestToken: string | undefined
let starting: Promise<void> | undefined
const listeners = new Set<() => void>()

function initialAccount(): Account {
  const kind = readStored('platen.session')
  if (kind === 'guest') return { kind }
  return { kind: kind === 'user' ? 'unknown' : 'none' }
}

function set(next: Partial<SessionState>): void {
  state = { ...state, ...next }
  const { kind } = state.account
  if (kind !== 'unknown') store('platen.session', kind === 'none' ? undefined : kind)
  for (const listener of listeners) listener()
}

async function loadUser(): Promise<void> {
  try {
    set({ account: { kind: 'user', user: await platen.me.get() }, ended: undefined })
  } catch (error) {
    // Another tab may have started as a guest meanwhile.
    if (error instanceof PlatenError && error.status === 403) set({ account: { kind: 'guest' }, ended: undefined })
    else if (error instanceof PlatenError && error.status === 401) set({ account: { kind: 'none' } })
    else throw error
  }
}

/** Tabs that start at the same time share one guest. The cookie keeps only one, and the other's designs would be lost. */
function start(): Promise<void> {
  // Only secure pages have locks, and the cookie of a session.
  return navigator.locks.request('platen shop session', async () => {
    if (readStored('platen.session') === 'guest') {
      set({ account: { kind: 'guest' }, ended: undefined })
      return
    }
    // Mails about orders are in the language of the page.
    await platen.auth.createGuest({ headers: { 'accept-language': document.documentElement.lang } })
    // The cart of an earlier guest has designs that this one cannot order.
    passOn(undefined)
    set({ account: { kind: 'guest' }, ended: undefined })
    news.postMessage('changed')
  })
}

/** Keeps the token of a guest for the time of a sign-in, which replaces the session. */
async function rememberGuest(): Promise<void> {
  if (state.account.kind !== 'guest') return
  // A token that is about to expire would be useless after a second factor.
  await platen.session.refresh().catch(() => undefined)
  guestToken = (await platen.session.tokens())?.accessToken ?? guestToken
}

async function claimGuest(): Promise<Claim> {
  const token = guestToken
  guestToken = undefined
  if (token === undefined) return { kind: 'nothing' }
  try {
    const { designs } = await platen.auth.claimGuest({ guestToken: token })
    return designs === 0 ? { kind: 'nothing' } : { kind: 'moved', designs, leftOut: 0 }
  } catch (error) {
    return { kind: 'failed', error }
  }
}

/** Gives what the browser keeps for the guest to the account that now has the designs. Without one, it is forgotten. */
function passOn(to: string | undefined): number {
  const leftOut = passGuestCart(to)
  const address = readStored('platen.address.guest')
  if (address !== undefined && to !== undefined) store(`platen.address.${to}`, address)
  store('platen.address.guest', undefined)
  return leftOut
}

async function goOn(result: SignInResult): Promise<SignInStep> {
  if (result.status === 'mfa_required') {
    return { kind: 'second-factor', mfaToken: result.mfaToken, methods: result.methods }
  }
  const claim = await claimGuest()
  await loadUser()
  const { account } = state
  const leftOut = passOn(claim.kind === 'moved' && account.kind === 'user' ? account.user.customerId : undefined)
  news.postMessage('changed')
  return { kind: 'done', claim: claim.kind === 'moved' ? { ...claim, leftOut } : claim }
}

async function leave(send: () => Promise<unknown>): Promise<void> {
  await send()
  // The next person at this browser must not find out where this one lives.
  if (state.account.kind === 'user') store(`platen.address.${state.account.user.customerId}`, undefined)
  store('platen.rows', undefined)
  set({ account: { kind: 'none' }, ended: undefined })
  news.postMessage('ended')
}

const first = state.account.kind === 'unknown' ? loadUser() : Promise.resolve()

export const session: ShopSession = {
  state: () => state,
  onChange: (listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  ensure: async () => {
    if (state.account.kind === 'unknown') await loadUser()
    if (state.account.kind !== 'none') return
    starting ??= start().finally(() => {
      starting = undefined
    })
    await starting
  },
  signIn: async (send) => {
    await rememberGuest()
    return goOn(await send())
  },
  leave,
  reload: loadUser,
  begin: () => first,
  goOnWithout: () => set({ account: { kind: 'none' }, ended: undefined }),
  noteEnd: () => {
    const { kind } = state.account
    if (kind === 'guest' || kind === 'user') set({ ended: kind })
  },
}

onSignedOut(session.noteEnd)

news.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  if (data === 'ended') {
    void platen.session.forget()
    set({ account: { kind: 'none' }, ended: undefined })
    return
  }
  // The other tab has a newer access token, which the client takes over.
  platen.session
    .refresh()
    .then(follow)
    .catch(() => {
      // Without a connection, the page stays as it is, and its next request notices another session.
    })
})

/** Takes over what another tab has stored. A guest has no account to read. */
async function follow(): Promise<void> {
  if (readStored('platen.session') === 'guest') set({ account: { kind: 'guest' }, ended: undefined })
  else await loadUser()
}

first.catch(() => {
  // Without a connection, the first request that needs the account asks again.
})
