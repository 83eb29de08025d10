import assert from 'node:assert/strict'
import process from 'node:process'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { startService } from '../../../test/harness.ts'
import { createPlaten, PlatenError, type SessionTokens } from '../src/index.ts'
import { type Fault, startFaultProxy } from './fault-proxy.ts'

const REFRESH = '/v1/api/auth/refresh'

/** Returns the tokens of a new account, with an access token that counts as expired. */
const expired = ({ accessToken, refreshToken }: { accessToken: string; refreshToken: string }): SessionTokens => ({
  accessToken,
  refreshToken,
  expiresAt: 0,
})

test('a sign-in authenticates the following requests, and logout ends that', async (t) => {
  const service = await startService(t)
  const { email, password, userId } = await service.signUp()
  const platen = createPlaten({ url: service.origin })
  const signedIn = await platen.auth.login({ email, password })
  assert.equal(signedIn.status, 'authenticated')
  assert.equal((await platen.me.get()).id, userId)
  await platen.auth.logout()
  assert.equal(await platen.session.tokens(), undefined)
  await assert.rejects(platen.me.get(), { code: 'authentication_required', status: 401 })
})

test('concurrent requests share one refresh, and the store gets the new tokens', async (t) => {
  const service = await startService(t)
  const proxy = await startFaultProxy(t, service.origin)
  let stored: SessionTokens | undefined = expired(await service.signUp())
  const first = stored
  const store = {
    load: () => stored,
    save: (tokens: SessionTokens | undefined) => {
      stored = tokens
    },
  }
  const platen = createPlaten({ url: proxy.url, auth: { session: store } })
  await Promise.all(Array.from({ length: 8 }, () => platen.me.get()))
  assert.equal(proxy.to(REFRESH).length, 1)
  assert.ok(stored !== undefined && stored.refreshToken !== first.refreshToken)
  await platen.me.get()
  assert.equal(proxy.to(REFRESH).length, 1)
})

test('an access token with a short life is used before it is refreshed', async (t) => {
  const service = await startService(t, { env: { PLATEN_ACCESS_TOKEN_SECONDS: '20' } })
  const proxy = await startFaultProxy(t, service.origin)
  const { email, password } = await service.signUp()
  const platen = createPlaten({ url: proxy.url })
  await platen.auth.login({ email, password })
  await platen.me.get()
  assert.equal(proxy.to(REFRESH).length, 0)
})

test('a refused access token is refreshed once, and the request is repeated', async (t) => {
  const service = await startService(t)
  const proxy = await startFaultProxy(t, service.origin)
  const { refreshToken } = await service.signUp()
  const platen = createPlaten({ url: proxy.url })
  await platen.session.use({ accessToken: 'not.a.token', refreshToken, expiresAt: Date.now() + 600_000 })
  await Promise.all([platen.me.get(), platen.me.get(), platen.designs.list()])
  assert.equal(proxy.to(REFRESH).length, 1)
})

test('a refresh whose response was lost is repeated with the same token', async (t) => {
  const service = await startService(t)
  const proxy = await startFaultProxy(t, service.origin, ({ path }, count) =>
    path === REFRESH && count === 1 ? 'lose' : 'pass',
  )
  const account = await service.signUp()
  const platen = createPlaten({ url: proxy.url })
  await platen.session.use(expired(account))
  assert.equal((await platen.me.get()).id, account.userId)
  assert.equal(proxy.to(REFRESH).length, 2)
  const again = await service.request('POST', '/api/auth/refresh', {
    body: { refreshToken: (await platen.session.tokens())?.refreshToken },
  })
  assert.equal(again.status, 200)
})

test('tabs that share a store continue with the tokens of the tab that refreshed', async (t) => {
  const service = await startService(t)
  const proxy = await startFaultProxy(t, service.origin)
  let stored: SessionTokens | undefined = expired(await service.signUp())
  const store = {
    load: () => stored,
    save: (tokens: SessionTokens | undefined) => {
      stored = tokens
    },
    // Outside browsers, stores share no lock without a name.
    lockName: 'tabs',
  }
  const tabs = [1, 2, 3].map(() => createPlaten({ url: proxy.url, auth: { session: store } }))
  await Promise.all(tabs.map((tab) => tab.session.tokens()))
  await Promise.all(tabs.map((tab) => tab.me.get()))
  assert.equal(proxy.to(REFRESH).length, 1)
})

test('an ended session forgets its tokens and says so once', async (t) => {
  const service = await startService(t)
  const account = await service.signUp()
  const reasons: string[] = []
  const platen = createPlaten({ url: service.origin, onSignedOut: ({ code }) => reasons.push(code) })
  await platen.session.use(expired(account))
  await service.request('POST', '/api/auth/logout', { token: account.accessToken })
  await assert.rejects(
    platen.me.get(),
    (error) => error instanceof PlatenError && error.code === 'invalid_refresh_token',
  )
  assert.equal(await platen.session.tokens(), undefined)
  await assert.rejects(platen.me.get(), { code: 'authentication_required' })
  assert.deepEqual(reasons, ['invalid_refresh_token'])
})

test('an aborted request leaves the shared refresh to the others', async (t) => {
  const service = await startService(t)
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const proxy = await startFaultProxy(t, service.origin, async ({ path }): Promise<Fault> => {
    if (path === REFRESH) await held
    return 'pass'
  })
  const account = await service.signUp()
  const platen = createPlaten({ url: proxy.url })
  await platen.session.use(expired(account))
  const control = new AbortController()
  const aborted = platen.me.get({ signal: control.signal })
  const other = platen.me.get()
  while (proxy.to(REFRESH).length === 0) await delay(5)
  control.abort(new Error('left the page'))
  await assert.rejects(Promise.resolve(aborted), /left the page/)
  release()
  assert.equal((await other).id, account.userId)
})

test('only sign-ins send the cookie of the device, and only if the client is told to', async (t) => {
  const service = await startService(t)
  const { email, password } = await service.signUp()
  for (const deviceCookies of [true, false]) {
    const sent: unknown[] = []
    const record: typeof fetch = (url, init) => {
      sent.push(init?.credentials)
      return fetch(url, init)
    }
    const platen = createPlaten({ url: service.origin, deviceCookies, fetch: record })
    await platen.auth.login({ email, password })
    await platen.me.get()
    assert.deepEqual(sent, [deviceCookies ? 'include' : undefined, undefined])
  }
})

test('logging out of a session that has ended succeeds', async (t) => {
  const service = await startService(t)
  const account = await service.signUp()
  const platen = createPlaten({ url: service.origin })
  await platen.session.use(expired(account))
  await service.request('POST', '/api/auth/logout', { token: account.accessToken })
  await platen.auth.logout()
  await platen.auth.logout()
  assert.equal(await platen.session.tokens(), undefined)
})

test('stores of different users do not wait for each other', async (t) => {
  const service = await startService(t)
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  t.after(() => release())
  const proxy = await startFaultProxy(t, service.origin, async ({ path }, count): Promise<Fault> => {
    if (path === REFRESH && count === 1) await held
    return 'pass'
  })
  const accounts = await Promise.all([1, 2].map(() => service.signUp()))
  const [slow, fast] = accounts.map((account) =>
    createPlaten({ url: proxy.url, auth: { session: memoryStore(expired(account)) } }),
  )
  assert.ok(slow !== undefined && fast !== undefined)
  const waiting = slow.me.get({ timeoutMs: 500 })
  const refused = assert.rejects(Promise.resolve(waiting), { name: 'PlatenConnectionError', code: 'timeout' })
  while (proxy.to(REFRESH).length === 0) await delay(5)
  assert.equal((await fast.me.get()).id, accounts[1]?.userId)
  await refused
})

function memoryStore(first: SessionTokens | undefined) {
  let stored = first
  return {
    load: (): SessionTokens | null | undefined | Promise<SessionTokens | null | undefined> => stored,
    save: (tokens: SessionTokens | undefined): void => {
      stored = tokens
    },
    stored: () => stored,
  }
}

test('a store may return null, and one with another form is an error that names the mistake', async (t) => {
  const service = await startService(t)
  const platen = (load: () => SessionTokens | null) =>
    createPlaten({ url: service.origin, auth: { session: { load, save: () => undefined } } })
  assert.deepEqual((await platen(() => JSON.parse('null')).products.list()).data, [])
  const text = platen(() => JSON.parse('"accessToken"')).products.list()
  await assert.rejects(Promise.resolve(text), { name: 'TypeError', message: /load\(\) of the store/ })
})

test('tokens that the program sets while the store loads are kept', async (t) => {
  const service = await startService(t)
  const [first, second] = [await service.signUp(), await service.signUp()]
  const { promise: loaded, resolve } = Promise.withResolvers<SessionTokens>()
  const store = { ...memoryStore(undefined), load: () => loaded }
  const platen = createPlaten({ url: service.origin, auth: { session: store } })
  const early = platen.session.tokens()
  await platen.session.use({ ...expired(second), expiresAt: Date.now() + 60_000 })
  resolve({ ...expired(first), expiresAt: Date.now() + 60_000 })
  await early
  assert.equal((await platen.me.get()).id, second.userId)
})

test('a refresh that is refused does not undo a sign-in in the meantime, here or in another tab', async (t) => {
  const service = await startService(t)
  const [ended, other] = [await service.signUp(), await service.signUp()]
  await service.request('POST', '/api/auth/logout', { token: ended.accessToken })
  const fresh = { ...expired(other), expiresAt: Date.now() + 60_000 }
  for (const place of ['here', 'another tab']) {
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const proxy = await startFaultProxy(t, service.origin, async ({ path }): Promise<Fault> => {
      if (path === REFRESH) await held
      return 'pass'
    })
    const store = memoryStore(expired(ended))
    const reasons: string[] = []
    const onSignedOut = ({ code }: { code: string }) => reasons.push(code)
    const platen = createPlaten({ url: proxy.url, auth: { session: store }, onSignedOut })
    const late = platen.me.get().catch(() => undefined)
    while (proxy.to(REFRESH).length === 0) await delay(5)
    if (place === 'here') await platen.session.use(fresh)
    else store.save(fresh)
    release()
    await late
    assert.equal((await platen.me.get()).id, other.userId, place)
    assert.deepEqual([store.stored()?.refreshToken, reasons], [fresh.refreshToken, []], place)
  }
})

test('a step-up keeps the refresh token that another tab has got', async (t) => {
  const service = await startService(t)
  const account = await service.signUp()
  const store = memoryStore({ ...expired(account), expiresAt: Date.now() + 600_000 })
  const [tab, other] = [1, 2].map(() => createPlaten({ url: service.origin, auth: { session: store } }))
  await tab?.session.tokens()
  await other?.session.refresh()
  const refreshed = store.stored()?.refreshToken
  await tab?.auth.stepUp({ password: account.password })
  assert.notEqual(refreshed, account.refreshToken)
  assert.equal(store.stored()?.refreshToken, refreshed)
  assert.equal((await tab?.me.get())?.id, account.userId)
})

test('a step-up during a refresh keeps the new refresh token', async (t) => {
  const service = await startService(t)
  const account = await service.signUp()
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const proxy = await startFaultProxy(t, service.origin, async ({ path }): Promise<Fault> => {
    if (path === REFRESH) await held
    return 'pass'
  })
  const platen = createPlaten({ url: proxy.url })
  await platen.session.use({ ...expired(account), expiresAt: Date.now() + 600_000 })
  const refreshing = platen.session.refresh()
  await platen.auth.stepUp({ password: account.password })
  release()
  await refreshing
  assert.notEqual((await platen.session.tokens())?.refreshToken, account.refreshToken)
  assert.equal((await platen.me.get()).id, account.userId)
})

test('logging out of a session that has ended is not reported as a lost session', async (t) => {
  const service = await startService(t)
  const account = await service.signUp()
  const reasons: string[] = []
  const platen = createPlaten({ url: service.origin, onSignedOut: ({ code }) => reasons.push(code) })
  await platen.session.use({ ...expired(account), expiresAt: Date.now() + 60_000 })
  await service.request('POST', '/api/auth/logout', { token: account.accessToken })
  await platen.auth.logout()
  assert.deepEqual(reasons, [])
})

test('a token function whose result has no token is an error, and is called again', async (t) => {
  const service = await startService(t)
  const { accessToken, userId } = await service.signUp()
  const results: unknown[] = [{ error: 'unavailable' }, '', { token: accessToken }]
  const platen = createPlaten({ url: service.origin, auth: { token: async () => results.shift() as string } })
  for (let n = 0; n < 2; n += 1)
    await assert.rejects(Promise.resolve(platen.me.get()), { name: 'TypeError', message: /must return a token/ })
  assert.equal((await platen.me.get()).id, userId)
})

test('a token function that does not return is limited by the timeout', async () => {
  const platen = createPlaten({
    url: 'http://127.0.0.1:1',
    auth: { token: () => new Promise(() => undefined) },
    timeoutMs: 100,
  })
  await assert.rejects(Promise.resolve(platen.me.get()), { code: 'timeout', message: /no credential in time/ })
})

test('an aborted request whose credential fails later ends no program', async () => {
  const platen = createPlaten({
    url: 'http://127.0.0.1:1',
    auth: { token: async () => Promise.reject(new Error('backend')) },
  })
  const unhandled: unknown[] = []
  const note = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', note)
  const reason = new Error('left the page')
  await assert.rejects(Promise.resolve(platen.me.get({ signal: AbortSignal.abort(reason) })), reason)
  const control = new AbortController()
  const aborted = platen.me.get({ signal: control.signal })
  control.abort(reason)
  await assert.rejects(Promise.resolve(aborted), reason)
  await delay(20)
  process.off('unhandledRejection', note)
  assert.deepEqual(unhandled, [])
})
