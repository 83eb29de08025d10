import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { verifyWebhook, WebhookVerificationError } from '../../../packages/client/src/webhooks.ts'
import { LOOPBACK } from '../../../src/webhooks/factory.ts'
import { startWebhooks } from '../../../src/webhooks/index.ts'
import { type Received, startWebhookReceiver } from '../../fakes/webhook-receiver.ts'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectAccessible, expectNoSidewaysScroll } from '../../lib/browser/watched-page.ts'
import { openConsole } from '../../lib/pages/console.ts'
import { button, heading, link, type Shop, startShop } from '../../lib/pages/shop.ts'

/** Starts a shop that sends webhooks, and a receiver for them. */
async function startSending(t: TestContext) {
  const receiver = await startWebhookReceiver(t)
  const shop = await startShop(t, { env: LOOPBACK })
  startWebhooks(shop.service.services.webhooks)
  return { shop, receiver }
}

const refusalOf = (one: Received, secret: string): Promise<string | undefined> =>
  verifyWebhook({ ...one, secret }).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof WebhookVerificationError) return error.code
      throw error
    },
  )

async function addEndpoint({ service }: Shop, token: string, url: string): Promise<{ id: string; secret: string }> {
  return (await service.request('POST', '/webhook-endpoints', { token, body: { url } })).body
}

test('an administrator replaces the secret of an endpoint, and the receiver verifies with the new one', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { shop, receiver } = await startSending(t)
  const admin = await shop.service.signUp({ role: 'admin' })
  const page = await openConsole(shop, admin, '/developers/webhooks')
  await heading(page, 'Webhooks').waitFor()
  await page.keyboard.press('n')
  const adding = page.getByRole('dialog', { name: 'Add an endpoint' })
  await adding.getByLabel('URL').fill(`${receiver.url}/hook`)
  await expectAccessible(page, 'the dialog of an endpoint')
  await adding.getByRole('button', { name: 'Add an endpoint' }).click()
  const shown = page.getByRole('dialog', { name: 'Your signing secret' })
  const first = (await shown.locator('code').textContent()) ?? ''
  await shown.getByRole('button', { name: 'I have stored it' }).click()
  await heading(page, new RegExp(receiver.url)).waitFor()

  await button(page, 'Rotate the secret').click()
  const rotating = page.getByRole('dialog', { name: 'Rotate the secret' })
  await rotating.getByRole('button', { name: 'Rotate the secret' }).click()
  await shown.getByText(/^The old secret ends on .* both signatures\.$/).waitFor()
  // Only the button closes the dialog, because the secret is shown once.
  await page.keyboard.press('Escape')
  await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("refused"))')
  await shown.getByRole('button', { name: 'Copy' }).click()
  await shown.getByText('The browser did not allow copying.', { exact: false }).waitFor()
  assert.deepEqual(await shown.getByRole('button').allTextContents(), ['Copy', 'I have stored it'])
  await shown.getByRole('button', { name: 'I have stored it' }).click()
  const overlap = page.getByText('Old secret also signs until')
  await overlap.waitFor()
  await button(page, 'Rotate the secret').click()
  await rotating.getByText('Another rotation ends it at once.', { exact: false }).waitFor()
  await rotating.getByRole('button', { name: /The old secret ends$/ }).click()
  await page.getByRole('option', { name: 'At once' }).click()
  await rotating.getByRole('button', { name: 'Rotate the secret' }).click()
  const second = (await shown.locator('code').textContent()) ?? ''
  await shown.getByText('The old secret has ended.', { exact: false }).waitFor()
  await expectAccessible(page, 'a new secret')
  await shown.getByRole('button', { name: 'I have stored it' }).click()
  await overlap.waitFor({ state: 'detached' })
  await button(page, 'Send a test event').click()
  await receiver.until(1)
  const [sent] = receiver.received
  assert.ok(sent !== undefined)
  assert.equal(await refusalOf(sent, second), undefined)
  assert.equal(await refusalOf(sent, first), 'signature_mismatch')
  await page
    .getByRole('row', { name: /webhook.test/ })
    .getByText('Delivered')
    .waitFor()
  await page.getByText(/^The endpoint has received the test event: 20\d/).waitFor()

  await button(page, 'Disable').click()
  await button(page, 'Enable').waitFor()
  assert.ok(await button(page, 'Send a test event').isDisabled())
  await button(page, 'Delete').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('No webhook endpoints yet').waitFor()
})

test('an operator reads why a delivery failed, and retries it until it arrives', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { shop, receiver } = await startSending(t)
  const operator = await shop.service.signUp({ role: 'operator' })
  const { id } = await addEndpoint(shop, operator.accessToken, `${receiver.url}/hook`)
  receiver.behave((response) => response.writeHead(500).end('The disk is full'))
  const page = await openConsole(shop, operator, `/developers/webhooks/${id}`)
  await button(page, 'Send a test event').click()
  const row = page.getByRole('row', { name: /webhook.test/ })
  await row.getByText('Failed').waitFor()
  await page.getByText('The test event failed: 500.').waitFor()
  await page.getByRole('navigation', { name: 'Views of deliveries' }).getByRole('link', { name: 'Failed' }).click()
  await expectAccessible(page, 'an endpoint')
  await link(page, 'webhook.test').click()
  await heading(page, /webhook\.test/).waitFor()
  await page.getByText('Response body').click()
  await page.getByText('The disk is full').waitFor()
  await page.getByText('Request body').click()
  await page.getByText('"type": "webhook.test"').waitFor()
  await expectAccessible(page, 'a failed delivery')
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page, 'a failed delivery')

  receiver.behave((response) => response.writeHead(204).end())
  await button(page, 'Retry').click()
  await heading(page, /Delivered/).waitFor()
  assert.deepEqual(
    receiver.received.map(({ headers }) => headers['webhook-id']),
    Array(2).fill(receiver.received[0]?.headers['webhook-id']),
  )
  // The way back leads to the table as it was.
  await page.getByRole('navigation', { name: 'Path' }).getByRole('link').click()
  await page.getByText('No deliveries here').waitFor()
  assert.match(page.url(), /\?status=failed$/)
  await expectNoSidewaysScroll(page, 'an endpoint')

  await button(page, 'Replay events').click()
  const replay = page.getByRole('dialog', { name: 'Replay events' })
  assert.ok(await replay.getByRole('button', { name: 'Replay events' }).isDisabled())
  await replay.getByLabel('From').fill('2020-01-01T00:00')
  await replay.getByLabel('To').fill('2020-01-02T00:00')
  await expectAccessible(page, 'the dialog of a replay')
  await replay.getByRole('button', { name: 'Replay events' }).click()
  await page.getByText('No events in this range').waitFor()
})

test('an API key is made, used, revoked and refused', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { service } = shop
  const page = await openConsole(shop, await service.signUp({ role: 'operator' }), '/developers/api-keys')
  await heading(page, 'API keys').waitFor()
  await button(page, 'New API key').click()
  const dialog = page.getByRole('dialog', { name: 'New API key' })
  await dialog.getByLabel('Name of the key').fill('Warehouse')
  await dialog.getByText('Read orders').click()
  await expectAccessible(page, 'the dialog of a key')
  await dialog.getByRole('button', { name: 'Create the key' }).click()
  const shown = page.getByRole('dialog', { name: 'Your new API key' })
  const token = (await shown.locator('code').textContent()) ?? ''
  await shown.getByRole('button', { name: 'I have stored it' }).click()
  const read = async () => (await service.request('GET', '/production/orders', { token })).status
  assert.equal(await read(), 200)
  await page.getByRole('row', { name: /Warehouse/ }).waitFor()
  await expectAccessible(page, 'the keys')
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page, 'the keys')

  await button(page, /^Revoke.*Warehouse/).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
  await page.getByRole('row', { name: /Warehouse/ }).waitFor({ state: 'detached' })
  assert.equal(await read(), 401)
})

test('a role without the permission neither sees the page nor may use what it does', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { service } = shop
  const packer = await service.signUp({ role: 'operator', staffRole: 'packing' })
  const page = await openConsole(shop, packer, '/developers/webhooks')
  await heading(page, 'Your role has no access to this page').waitFor()
  assert.equal(await link(page, 'Developers').count(), 0)
  const token = packer.accessToken
  assert.equal((await service.request('GET', '/webhook-endpoints', { token })).status, 403)

  const reader = await service.signUp({ role: 'operator', staffRole: 'read_only' })
  const body = { url: 'https://example.com/hook' }
  assert.equal((await service.request('POST', '/webhook-endpoints', { token: reader.accessToken, body })).status, 403)
  await page.context().clearCookies()
  await page.evaluate('localStorage.clear()')
  const hers = await openConsole(shop, reader, '/developers/webhooks')
  await heading(hers, 'Webhooks').waitFor()
  assert.equal(await button(hers, 'Add an endpoint').count(), 0)
})

test('each page for developers leads into the documentation', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t, { env: { PLATEN_REQUEST_LOG: 'on' } })
  const page = await openConsole(shop, await shop.service.signUp({ role: 'admin' }), '/developers/webhooks')
  const pages = [
    ['Webhooks', 'Guide to webhooks'],
    ['Event log', 'Types of events'],
    ['Requests', 'Errors of the API'],
    ['API keys', 'Permissions of keys'],
  ] as const
  for (const [title, guide] of pages) {
    await link(page, title).click()
    await heading(page, title).waitFor()
    for (const name of [guide, 'Reference of the API']) {
      const target = await link(page, name).getAttribute('href')
      const { pathname, hash } = new URL(target ?? '', shop.url)
      const response = await fetch(`${shop.url}${pathname}`)
      assert.equal(response.status, 200, `${title}: ${target}`)
      if (hash !== '') assert.ok((await response.text()).includes(`id="${hash.slice(1)}"`), `${title}: ${target}`)
    }
  }
})
