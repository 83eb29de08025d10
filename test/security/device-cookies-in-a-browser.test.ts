import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { Cookie, Page } from 'playwright-core'
import { type Certificate, makeCertificate } from '../fakes/certificate.ts'
import type { TestService } from '../harness.ts'
import { noBrowser } from '../lib/browser/browser.ts'
import { startOnLocalhost, startOverTls } from '../lib/browser/localhost-service.ts'
import { openProfiles } from '../lib/browser/shared-browser.ts'

const PAGE = '<title>Shop</title>'

/** Serves an empty page, and returns its port. */
async function startShopPage(t: TestContext, tls?: Certificate): Promise<number> {
  const respond = (_request: unknown, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE)
  }
  const server = tls === undefined ? createServer(respond) : createHttpsServer(tls, respond)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

interface Call {
  url: string
  credentials: 'include' | 'omit'
  body: { email: string; password: string }
}

/** Signs in from a page, and returns the status that the page sees. */
function logIn(page: Page, call: Call): Promise<number> {
  return page.evaluate(async ({ url, credentials, body }) => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(url, { method: 'POST', credentials, headers, body: JSON.stringify(body) })
    await response.json()
    return response.status
  }, call)
}

/**
 * Signs in on a page, blocks the account from elsewhere, and checks that only the known device signs in. Returns how it
 * signed in, and the cookie that the browser got.
 */
async function requireKnownDevice(page: Page, service: TestService): Promise<{ call: Call; cookie: Cookie }> {
  const { email, password } = await service.signUp()
  const url = `${service.config.origin}/v1/api/auth/login`
  const call: Call = { url, credentials: 'include', body: { email, password } }
  assert.equal(await logIn(page, call), 200)
  const [cookie] = await page.context().cookies(service.config.origin)
  assert.ok(cookie !== undefined)
  const wrong = { email, password: 'the wrong harbour' }
  for (let n = 0; n < 5; n += 1) await service.request('POST', '/api/auth/login', { body: wrong })
  assert.equal(await logIn(page, { ...call, credentials: 'omit' }), 429)
  assert.equal(await logIn(page, call), 200)
  return { call, cookie }
}

test('BF-7: a page of a listed origin signs in from a known device while the account is blocked', {
  skip: noBrowser,
}, async (t) => {
  const origin = `http://localhost:${await startShopPage(t)}`
  const service = await startOnLocalhost(t, { PLATEN_CORS_ORIGINS: origin })
  const page = await (await openProfiles(t)).newPage()
  await page.goto(origin)
  const { cookie } = await requireKnownDevice(page, service)
  assert.deepEqual([cookie.name, cookie.httpOnly, cookie.sameSite], ['platen_device', true, 'Strict'])
})

test('BF-7: a page of another site gets a cookie that the browser sends for this site alone', {
  skip: noBrowser,
}, async (t) => {
  const hosts = ['print.localhost', 'shop.localhost', 'other.localhost']
  const tls = makeCertificate(hosts)
  const port = await startShopPage(t, tls)
  const [shop, other] = [`https://shop.localhost:${port}`, `https://other.localhost:${port}`]
  const env = { PLATEN_CORS_ORIGINS: `${shop},${other}` }
  const service = await startOverTls(t, { host: 'print.localhost', tls, env })
  const page = await (await openProfiles(t)).newPage({ ignoreHTTPSErrors: true })
  await page.goto(shop)
  const { call, cookie } = await requireKnownDevice(page, service)
  assert.deepEqual([cookie.name, cookie.httpOnly, cookie.sameSite], ['__Host-platen_device', true, 'None'])
  assert.equal(cookie.partitionKey, 'https://shop.localhost')
  await page.goto(other)
  assert.equal(await logIn(page, call), 429)
})
