import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { ADDRESS } from '../../../src/orders/factory.ts'
import { LOOPBACK } from '../../../src/webhooks/factory.ts'
import { startWebhooks } from '../../../src/webhooks/index.ts'
import { startWebhookReceiver } from '../../fakes/webhook-receiver.ts'
import type { TestService } from '../../harness.ts'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectAccessible } from '../../lib/browser/watched-page.ts'
import { openConsole } from '../../lib/pages/console.ts'
import { makeDesign, operate } from '../../lib/pages/ordering.ts'
import { heading, startShop } from '../../lib/pages/shop.ts'

/** The paths of all pages of the console, as they are declared. */
const PAGES = globSync('web/console/src/**/page.ts').map((file) => {
  const [, path] = /path: '([^']+)'/.exec(readFileSync(file, 'utf8')) ?? []
  assert.ok(path !== undefined, file)
  return path
})

/** Pages that need a permission beyond reading what operators read. */
const REFUSED = ['/catalogue', '/people', '/settings', '/system', '/orders/new']

/** Buttons that only show, save or copy something. Any other button of a page must not be there. */
const HARMLESS = [
  /^(Find|Account of )/,
  /^(Open|Copy|Filters|Previous|Next|Not possible now)$/,
  /^Sorted: /,
  /^(Pick lists?|Pick lists of this view|Print file|Receipt|Check the receipt|Compare|Download|Download print files .*)$/,
]

/** Buttons for keys of one's own, which never may more than their owner, as the page of the account in the shop has. */
const OF_OWN_KEYS = /^New API key$/

/** Operations by which a program reads, although it sends a `POST`. */
const READING = [
  'createAssetLink',
  'createDesignLink',
  'createEventStreamTicket',
  'createOrderLink',
  'downloadPrintFiles',
  'preflightDesign',
]

/** The permission that `changeOrdersInBulk` needs depends on its content, so these are sent in full. */
const BULK_CHANGES = [
  { action: 'start_production' },
  { action: 'ship', carrier: 'DHL' },
  { action: 'deliver' },
  { action: 'hold', reason: 'Which colour?' },
  { action: 'release' },
]

/** Starts a shop with an order in production, another one on hold, a batch, a customer, an endpoint and a delivery. */
async function startWithWork(t: TestContext) {
  const receiver = await startWebhookReceiver(t)
  const shop = await startShop(t, { env: { ...LOOPBACK, PLATEN_REQUEST_LOG: 'on' } })
  const { service } = shop
  startWebhooks(service.services.webhooks)
  const reader = await service.signUp({ role: 'operator' })
  const send = async (method: string, path: string, token: string, body?: object) => {
    const answer = await service.request(method, path, { token, ...(body === undefined ? {} : { body }) })
    assert.ok(answer.status < 300, answer.text)
    return answer.body
  }
  const endpoint = await send('POST', '/webhook-endpoints', reader.accessToken, { url: `${receiver.url}/hook` })
  await send('POST', `/webhook-endpoints/${endpoint.id}/test`, reader.accessToken, {})
  await receiver.until(1)
  const deliveries = await send('GET', `/webhook-endpoints/${endpoint.id}/deliveries`, reader.accessToken)
  const customer = await service.signUp()
  const designId = await makeDesign(shop, { token: customer.accessToken, name: 'Mug' })
  const basket = { items: [{ designId, quantity: 3 }], shippingAddress: ADDRESS }
  const orders = [
    await send('POST', '/orders', customer.accessToken, basket),
    await send('POST', '/orders', customer.accessToken, basket),
  ]
  const [shipped, held] = orders
  const run = await operate(shop)
  for (const { id } of orders) await run(id, 'payments', { method: 'manual' })
  await run(held.id, 'hold', { reason: 'Which colour?' })
  await run(shipped.id, 'start-production')
  await run(shipped.id, 'shipments', { carrier: 'DHL', items: [{ itemId: shipped.items[0].id, quantity: 1 }] })
  await run(shipped.id, 'notes', { text: 'Call before delivery.' })
  const batch = await send('POST', '/production/batches', reader.accessToken, {
    name: 'Monday',
    orderIds: orders.map(({ id }) => id),
  })
  const { data: events } = await send('GET', '/events?limit=1', customer.accessToken)
  const admin = await service.signUp({ role: 'admin' })
  await send('PATCH', `/users/${reader.userId}`, admin.accessToken, { staffRole: 'read_only' })
  await service.services.requestLog?.flush()
  const { data: requests } = await send('GET', '/system/requests?limit=1', reader.accessToken)
  const paths = [
    ...[`/orders/${shipped.id}`, `/orders/${held.id}`, `/production/${shipped.id}`, `/production/${held.id}`],
    ...[`/batches/${batch.id}`, `/customers/${shipped.customerId}`],
    ...[`/developers/webhooks/${endpoint.id}`, '/developers/events', `/developers/events/${events[0].id}`],
    ...['/developers/requests', `/developers/requests/${requests[0].id}`],
    ...[`/developers/webhooks/${endpoint.id}/deliveries/${deliveries.data[0].id}`, '/developers/api-keys'],
  ]
  const read = () => Promise.all(orders.map(({ id }) => send('GET', `/orders/${id}`, admin.accessToken)))
  return { shop, reader, paths, read }
}

/** Goes to a page within the console, as links do. */
async function go(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await heading(page).first().waitFor()
  await page.getByText('Loading…').first().waitFor({ state: 'detached' })
}

async function enabledButtons(page: Page): Promise<string[]> {
  const names = []
  for (const one of await page.getByRole('button').all()) {
    if (!(await one.isEnabled())) continue
    names.push((await one.getAttribute('aria-label')) ?? ((await one.textContent()) ?? '').trim())
  }
  return names
}

test('a person who may only read finds nothing to change on any page of the console', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { shop, reader, paths, read } = await startWithWork(t)
  const { url, service } = shop
  const before = await read()
  const page = await openConsole(shop, reader, '/orders')
  const request = await page.waitForRequest((one) => one.headers()['authorization'] !== undefined)
  await heading(page, 'Orders').waitFor()

  const offered: string[] = []
  for (const path of [...PAGES.filter((one) => !REFUSED.includes(one)), ...paths]) {
    await go(page, `${url}/console${path}`)
    assert.equal(await page.getByRole('alert').count(), 0, path)
    const allowed = path.endsWith('/api-keys') ? [...HARMLESS, OF_OWN_KEYS] : HARMLESS
    const other = (await enabledButtons(page)).filter((name) => !allowed.some((pattern) => pattern.test(name)))
    offered.push(...other.map((name) => `${path}: ${name}`))
    assert.equal(await page.getByRole('textbox', { name: 'New note' }).count(), 0, path)
  }
  assert.deepEqual(offered, [])
  for (const path of REFUSED) {
    await page.goto(`${url}/console${path}`)
    await heading(page, 'Your role has no access to this page').waitFor()
  }
  await expectAccessible(page, 'a page that the role may not see')

  const token = request.headers()['authorization']?.replace('Bearer ', '') ?? ''
  assert.deepEqual(await changesLetIn(service, token), ['changeOrdersInBulk', ...READING])
  for (const change of BULK_CHANGES) {
    const body = { ...change, orders: before.map(({ id }) => ({ id })) }
    const { status } = await service.request('POST', '/production/bulk', { token, body })
    assert.equal(status, 403, change.action)
  }
  assert.deepEqual(await read(), before)
})

interface Described {
  operationId: string
  'x-platen-permission'?: string | string[]
  'x-platen-role'?: string
}

/** Sends every operation that can change something of the shop. Returns the ids of those that the service lets in. */
async function changesLetIn({ request }: Pick<TestService, 'request'>, token: string): Promise<string[]> {
  const { body } = await request('GET', '/openapi.json')
  const operations = Object.entries<Record<string, Described>>(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ method: method.toUpperCase(), path, ...described })),
  )
  const changing = operations.filter(
    (one) => one.method !== 'GET' && (one['x-platen-permission'] ?? one['x-platen-role']) !== undefined,
  )
  assert.ok(changing.length > 70, `${changing.length} operations`)
  const letIn = []
  for (const { method, path, operationId } of changing) {
    const content = method === 'DELETE' ? {} : { body: {} }
    const { status } = await request(method, path.replace(/\{\w+\}/g, 'unknown'), { token, ...content })
    if (status !== 403) letIn.push(operationId)
  }
  return letIn.sort()
}
