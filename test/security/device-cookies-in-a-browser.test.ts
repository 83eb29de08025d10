import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { launchBrowser, noBrowser } from '../lib/browser.ts'
import { startOnLocalhost } from '../lib/localhost-service.ts'

/** Serves an empty page, and returns its origin. */
async function startShopPage(t: TestContext): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Shop</title>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://localhost:${(server.address() as AddressInfo).port}`
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

test('BF-7: a page of a listed origin signs in from a known device while the account is blocked', {
  skip: noBrowser,
}, async (t) => {
  const origin = await startShopPage(t)
  const service = await startOnLocalhost(t, { PLATEN_CORS_ORIGINS: origin })
  const { email, password } = await service.signUp()
  const context = await (await launchBrowser(t)).newContext()
  const page = await context.newPage()
  await page.goto(origin)
  const call = { url: `${service.config.origin}/v1/api/auth/login`, body: { email, password } }
  assert.equal(await logIn(page, { ...call, credentials: 'include' }), 200)
  const [cookie] = await context.cookies(service.config.origin)
  assert.deepEqual([cookie?.name, cookie?.httpOnly, cookie?.sameSite], ['platen_device', true, 'Strict'])

  const wrong = { email, password: 'the wrong harbour' }
  for (let n = 0; n < 5; n += 1) await service.request('POST', '/api/auth/login', { body: wrong })
  assert.equal(await logIn(page, { ...call, credentials: 'omit' }), 429)
  assert.equal(await logIn(page, { ...call, credentials: 'include' }), 200)
})
