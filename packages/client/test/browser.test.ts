import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { build } from 'esbuild'
import sharp from 'sharp'
import { CARD } from '../../../src/designs/factory.ts'
import { startService } from '../../../test/harness.ts'
import { noBrowser, stretchTimers } from '../../../test/lib/browser/browser.ts'
import { openProfiles } from '../../../test/lib/browser/shared-browser.ts'
import { PATIENCE_MS } from '../src/credentials/tabs.ts'
import type * as Client from '../src/index.ts'
import { startFaultProxy } from './fault-proxy.ts'

/** The client as a module of a page. */
async function bundleClient(): Promise<string> {
  const entryPoints = [join(import.meta.dirname, '../src/index.ts')]
  const { outputFiles } = await build({ entryPoints, bundle: true, format: 'esm', platform: 'browser', write: false })
  return outputFiles[0]?.text ?? ''
}

/** Serves an empty page, the client and a file. The page has another origin than the service. */
async function servePage(t: TestContext, files: Record<string, string | Uint8Array>): Promise<string> {
  const server = createServer((request, response) => {
    const file = files[request.url ?? '']
    const type = request.url?.endsWith('.js') === true ? 'text/javascript' : 'text/html'
    response.writeHead(file === undefined ? 404 : 200, { 'content-type': type }).end(file)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://localhost:${(server.address() as AddressInfo).port}`
}

async function start(t: TestContext) {
  const photo = new Uint8Array(
    await sharp(randomBytes(1000 * 1000 * 3), { raw: { width: 1000, height: 1000, channels: 3 } })
      .png()
      .toBuffer(),
  )
  const pageOrigin = await servePage(t, { '/': '<!doctype html>', '/client.js': await bundleClient(), '/photo': photo })
  const service = await startService(t, { env: { PLATEN_CORS_ORIGINS: pageOrigin } })
  const { accessToken: admin } = await service.signUp({ role: 'admin' })
  const { body: product } = await service.request('POST', '/products', { token: admin, body: CARD })
  const { email, password } = await service.signUp()
  const page = await (await openProfiles(t)).newPage()
  await page.goto(pageOrigin)
  const design = { productId: product.id, variantId: product.variants[0].id }
  const input = { url: service.origin, account: { email, password }, design }
  return { service, page, pageOrigin, photo, input }
}

/** The members of a page that the functions below use. */
interface InPage {
  location: { origin: string }
  Worker: new (
    url: string,
    options: { type: 'module' },
  ) => { onmessage: (event: { data: unknown }) => void; onerror: (event: { message: string }) => void }
}

type Input = Awaited<ReturnType<typeof start>>['input']

/** Runs in the page: signs in, uploads, designs, follows events, aborts. */
async function journey(input: Input) {
  const module = '/client.js'
  const { createPlaten, PlatenError } = (await import(module)) as typeof Client
  const platen = createPlaten({ url: input.url, deviceCookies: true })
  await platen.auth.login(input.account)
  const photo = await (await fetch('/photo')).blob()
  const reports: Client.UploadProgress[] = []
  const asset = await platen.assets.upload(photo, { contentType: 'image/png', onProgress: (one) => reports.push(one) })
  const { data: design, etag } = await platen.designs.create(input.design).withResponse()
  let opened = (): void => undefined
  const isOpen = new Promise<void>((resolve) => {
    opened = resolve
  })
  const next = platen.events.stream({}, { onOpen: opened }).next()
  await isOpen
  await platen.designs.archive(design.id)
  const { value: event } = await next
  const names: string[] = []
  for await (const { id } of platen.designs.list({ limit: 1 })) names.push(id)
  const missing: unknown = await platen.designs.get('dsn_none').catch((error: unknown) => error)
  const control = new AbortController()
  const upload = platen.assets.upload(photo, {
    signal: control.signal,
    onProgress: () => control.abort(),
  })
  const aborted: unknown = await upload.catch((error: unknown) => error)
  const preview = await platen.designs.preview(design.id, { width: 100 })
  return {
    asset: asset.widthPx,
    reports,
    etag,
    event: event.type === 'design.archived' && event.subject === design.id,
    names: names.length,
    code: missing instanceof PlatenError ? [missing.code, missing.requestId !== undefined] : [],
    aborted: aborted instanceof DOMException ? aborted.name : String(aborted),
    preview: preview.headers.get('content-type'),
  }
}

test('a page of another origin signs in, uploads with progress, follows events and aborts', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { page, input, photo } = await start(t)
  const result = await page.evaluate(journey, input)
  assert.equal(result.asset, 1000)
  assert.ok(result.reports.length > 0)
  assert.deepEqual(result.reports.at(-1), { loadedBytes: photo.length, totalBytes: photo.length })
  assert.match(result.etag ?? '', /^"/)
  assert.deepEqual([result.event, result.names, result.preview], [true, 1, 'image/webp'])
  assert.deepEqual(result.code, ['design_not_found', true])
  assert.equal(result.aborted, 'AbortError')
})

/** Runs in the page: asks a service, and returns the message of the failure. */
async function failToConnect(url: string): Promise<string> {
  const module = '/client.js'
  const { createPlaten } = (await import(module)) as typeof Client
  const error: unknown = await createPlaten({ url })
    .products.list()
    .catch((reason: unknown) => reason)
  return String(error)
}

test('a page whose origin the service does not know fails after two attempts, with a hint at the setting', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const pageOrigin = await servePage(t, { '/': '<!doctype html>', '/client.js': await bundleClient() })
  const service = await startService(t)
  const proxy = await startFaultProxy(t, service.origin)
  const page = await (await openProfiles(t)).newPage()
  await page.goto(pageOrigin)
  const message = await page.evaluate(failToConnect, proxy.url)
  assert.ok(message.includes(`the connection to ${proxy.url}/v1/products failed`), message)
  assert.match(message, /the origin of this page may be missing in its PLATEN_CORS_ORIGINS\.$/)
  assert.equal(proxy.to('/v1/products').length, 2)
})

test('a worker of a page of another origin uses the client', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { page, input } = await start(t)
  const count = await page.evaluate((given) => {
    const { location, Worker } = globalThis as unknown as InPage
    const code = `import { createPlaten } from '${location.origin}/client.js'
      const platen = createPlaten({ url: '${given.url}' })
      await platen.auth.login(${JSON.stringify(given.account)})
      const found = []
      for await (const { id } of platen.products.list()) found.push(id)
      postMessage(found.length)`
    const worker = new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })), { type: 'module' })
    return new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data)
      worker.onerror = ({ message }) => reject(new Error(message))
    })
  }, input)
  assert.equal(count, 1)
})

/** Runs in a page of the service that was loaded before or after the sign-in. */
async function useCookieSession({ url, account }: { url: string; account?: { email: string; password: string } }) {
  const module = '/client.js'
  const { createPlaten } = (await import(module)) as typeof Client
  const platen = createPlaten({ url, auth: { session: 'cookie' } })
  if (account !== undefined) await platen.auth.login(account)
  const [me] = await Promise.all([platen.me.get(), platen.me.get(), platen.designs.list()])
  const tokens = await platen.session.tokens()
  const { cookie } = (globalThis as unknown as { document: { cookie: string } }).document
  return { email: me.email, refreshToken: tokens?.refreshToken, cookie }
}

/** Runs in a page of the service: ends the session, and asks for the account again. */
async function endCookieSession(url: string) {
  const module = '/client.js'
  const { createPlaten } = (await import(module)) as typeof Client
  const platen = createPlaten({ url, auth: { session: 'cookie' } })
  await platen.auth.logout()
  const again = createPlaten({ url, auth: { session: 'cookie' } })
  return platen.me
    .get()
    .catch(({ code }) => [code])
    .then(async (first) => [first, await again.me.get().catch(({ code }) => [code])])
}

/** Starts a service behind a proxy, and a browser whose pages of the service can import the client. */
async function startOwnPages(t: TestContext, env: Record<string, string> = {}) {
  let origin = ''
  const proxy = await startFaultProxy(t, () => origin)
  const url = proxy.url.replace('127.0.0.1', 'localhost')
  const service = await startService(t, { env: { ...env, PLATEN_PUBLIC_URL: url } })
  origin = service.origin
  const context = await (await openProfiles(t)).newContext()
  const body = await bundleClient()
  await context.route(`${url}/client.js`, (route) => route.fulfill({ contentType: 'text/javascript', body }))
  const openPage = async () => {
    const page = await context.newPage()
    await page.goto(`${url}/problems`)
    return page
  }
  return { proxy, url, service, context, openPage }
}

test('a page of the service keeps its session in a cookie that scripts cannot read', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { proxy, url, service, openPage } = await startOwnPages(t)
  const { email, password } = await service.signUp()
  const page = await openPage()
  const first = await page.evaluate(useCookieSession, { url, account: { email, password } })
  assert.deepEqual(first, { email, refreshToken: undefined, cookie: '' })
  await page.reload()
  assert.equal((await page.evaluate(useCookieSession, { url })).email, email)
  assert.equal(proxy.to('/v1/api/auth/refresh').length, 1)
  await page.reload()
  const ended = await page.evaluate(endCookieSession, url)
  assert.deepEqual(ended, [['authentication_required'], ['invalid_refresh_token']])
})

/** Runs in a page of the service: signs in, or continues the session, and keeps the client for the functions below. */
async function keepClient({ url, account }: { url: string; account?: { email: string; password: string } }) {
  const module = '/client.js'
  const { createPlaten } = (await import(module)) as typeof Client
  const platen = createPlaten({ url, auth: { session: 'cookie' } })
  if (account !== undefined) await platen.auth.login(account)
  await platen.me.get()
  Object.assign(globalThis, { platen })
}

/** Runs in a page of the service after `keepClient`: has the access token expire, and uses the client. */
async function useExpired() {
  const { platen } = globalThis as unknown as { platen: Client.Platen }
  const held = await platen.session.tokens()
  if (held !== undefined) held.expiresAt = 0
  await Promise.all([platen.me.get(), platen.designs.list()])
  return (await platen.session.tokens())?.accessToken
}

test('tabs of the service share one refresh, and a new tab needs none', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { proxy, url, service, context, openPage } = await startOwnPages(t)
  await stretchTimers(context, [PATIENCE_MS], 10_000)
  const { email, password } = await service.signUp()
  const [first, second] = [await openPage(), await openPage()]
  const refreshes = () => proxy.to('/v1/api/auth/refresh').length
  await first.evaluate(keepClient, { url, account: { email, password } })
  await second.evaluate(keepClient, { url })
  assert.equal(refreshes(), 0)
  const tokens = await Promise.all([first.evaluate(useExpired), second.evaluate(useExpired)])
  assert.equal(tokens[0], tokens[1])
  assert.equal(refreshes(), 1)
  await first.close()
  await second.close()
  await (await openPage()).evaluate(keepClient, { url })
  assert.equal(refreshes(), 2)
})
