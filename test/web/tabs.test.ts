import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Page, Route } from 'playwright-core'
import { PATIENCE_MS } from '../../packages/client/src/credentials/tabs.ts'
import { noBrowser, stretchTimers } from '../lib/browser/browser.ts'
import { button, heading, link, signIn, startDesign, startShop } from '../lib/pages/shop.ts'

/** Has the access token of a tab expire, and sends a request through the client of its editor. */
function useExpired(page: Page): Promise<string | undefined> {
  return page.locator('platen-editor').evaluate(async (element) => {
    interface Client {
      session: { tokens(): Promise<{ accessToken: string; expiresAt: number } | undefined> }
      designs: { list(): Promise<object> }
    }
    const { client } = element as unknown as { client: Client }
    const held = await client.session.tokens()
    if (held !== undefined) held.expiresAt = 0
    await client.designs.list()
    return (await client.session.tokens())?.accessToken
  })
}

test('two tabs share one refresh', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, url, context } = await startShop(t)
  await stretchTimers(context, [PATIENCE_MS], 10_000)
  const refreshes: string[] = []
  context.on('request', (request) => {
    if (request.url().includes('/api/auth/refresh')) refreshes.push(request.url())
  })
  const first = await open(url)
  await startDesign(first, 'Mug')
  const second = await open(first.url())
  await second.locator('platen-editor').waitFor()
  assert.equal(refreshes.length, 0)
  const [one, other] = await Promise.all([useExpired(first), useExpired(second)])
  assert.equal(one, other)
  assert.equal(refreshes.length, 1)
})

test('another tab follows a sign-in and a sign-out', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, url, service } = await startShop(t)
  const account = await service.signUp()
  const first = await open(url)
  await startDesign(first, 'Mug')
  await link(first, 'Back to my designs').click()
  await link(first, /^Mug, /).waitFor()
  const second = await open(`${url}/sign-in`)
  await signIn(second, account)
  await heading(second, 'My designs').waitFor()
  await link(first, 'Account').waitFor()
  await link(first, /^Mug, /).waitFor()
  await link(second, 'Account').click()
  await button(second, 'Sign out').click()
  await link(first, 'Sign in').first().waitFor()
  await first.getByRole('heading', { name: 'No designs yet' }).waitFor()
})

test('a tab that cannot read the account stays usable, and follows the next sign-in', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, url, service, expectErrors } = await startShop(t)
  expectErrors(/status of 418/)
  const first = await open(url)
  await link(first, 'Sign in').first().waitFor()
  // The client repeats no request with this status.
  const refuse = (route: Route): Promise<void> => route.fulfill({ status: 418, json: {} })
  await first.route(/\/me$/, refuse)
  const refused = first.waitForResponse(/\/me$/)
  const second = await open(`${url}/sign-in?next=/designs`)
  await signIn(second, await service.signUp())
  await heading(second, 'My designs').waitFor()
  await (await refused).finished()
  await first.unroute(/\/me$/, refuse)
  await second.evaluate("new BroadcastChannel('platen shop session').postMessage('changed')")
  await link(first, 'Account').waitFor()
})

test('two tabs that start at the same time share one guest', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, url, context } = await startShop(t)
  let guests = 0
  // Both tabs ask before the first response arrives.
  await context.route('**/v1/api/auth/guest**', async (route) => {
    guests += 1
    await delay(500)
    await route.continue()
  })
  const tabs = await Promise.all([open(url), open(url)])
  await Promise.all(tabs.map((tab) => startDesign(tab, 'Mug')))
  assert.equal(guests, 1)
  for (const tab of tabs) await tab.locator('platen-editor').waitFor()
})
