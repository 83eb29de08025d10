import assert from 'node:assert/strict'
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
