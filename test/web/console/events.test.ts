import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADDRESS } from '../../../src/orders/factory.ts'
import { emit } from '../../../src/platform/outbox/index.ts'
import { newId } from '../../../test/ids.ts'
import { untilEventsVisible } from '../../harness.ts'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectAccessible, expectNoSidewaysScroll } from '../../lib/browser/watched-page.ts'
import { openConsole } from '../../lib/pages/console.ts'
import { makeDesign } from '../../lib/pages/ordering.ts'
import { button, heading, link, type Shop, startShop } from '../../lib/pages/shop.ts'

/** Places an order. Returns its id. */
async function placeOrder(shop: Shop): Promise<string> {
  const { accessToken: token } = await shop.service.signUp()
  const designId = await makeDesign(shop, { token, name: 'Mug' })
  const body = { items: [{ designId, quantity: 1 }], shippingAddress: ADDRESS }
  return (await shop.service.request('POST', '/orders', { token, body })).body.id
}

/** Records events of an order without an order. */
async function writeEvents({ service: { db } }: Shop, type: string, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const subject = newId('order')
    const event = { type, subject, ownerId: newId('user'), data: { id: subject, erased: true }, at: new Date() }
    await db.transaction().execute((trx) => emit(trx, event))
  }
}

test('an operator finds an event of an order, and reads and copies what programs get', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t, { permissions: ['clipboard-read', 'clipboard-write'] })
  const { service, url } = shop
  const id = await placeOrder(shop)
  await writeEvents(shop, 'order.shipped', 60)
  await untilEventsVisible(service.db)
  const operator = await service.signUp({ role: 'operator' })
  const page = await openConsole(shop, operator, '/developers/webhooks')
  await link(page, 'Event log').click()
  await heading(page, 'Event log').waitFor()
  const rows = page.getByRole('table', { name: 'Event log' }).getByRole('row')
  await rows.nth(50).waitFor()
  await expectAccessible(page, 'the log of events')
  // The events of the order are on the second page, and further back than a filter needs to go.
  await button(page, 'Next').click()
  await page.getByRole('row', { name: /order\.created/ }).waitFor()
  await page.getByLabel('Event', { exact: true }).selectOption('order.created')
  await page
    .getByRole('row', { name: /order\.shipped/ })
    .first()
    .waitFor({ state: 'detached' })
  await page.getByRole('searchbox', { name: 'Record' }).fill(id)
  await page.waitForURL(`${url}/console/developers/events?type=order.created&subject=${id}`)
  await page.getByLabel('To').fill('2020-01-01')
  await page.getByText('No events here').waitFor()
  await page.getByLabel('To').fill('')
  await link(page, 'order.created').click()
  await heading(page, 'order.created').waitFor()

  const { body: events } = await service.request('GET', `/events?subject=${id}`, { token: operator.accessToken })
  await button(page, 'Copy').click()
  await page.getByText('Copied').waitFor()
  assert.deepEqual(JSON.parse(await page.evaluate('navigator.clipboard.readText()')), events.data[0])
  await page.locator('pre').getByText(`"id": "${id}"`).first().waitFor()
  await expectAccessible(page, 'an event')
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page, 'an event')
  await page.getByRole('navigation', { name: 'Path' }).getByRole('link').click()
  // The way back leads to the table as it was.
  await link(page, 'order.created').waitFor()
  await expectNoSidewaysScroll(page, 'the log of events')
  await page.setViewportSize({ width: 1280, height: 800 })
  await link(page, id).click()
  await page.waitForURL(`${url}/console/orders/${id}`)
})

test('new events are counted where the filters want them, and move no row', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t, { locale: 'de-DE' })
  const { service } = shop
  await writeEvents(shop, 'order.created', 1)
  await untilEventsVisible(service.db)
  const operator = await service.signUp({ role: 'operator' })
  const page = await shop.open(`${shop.url}/console/developers/events?type=order.created`)
  await page.getByLabel('E-Mail-Adresse').fill(operator.email)
  await page.getByLabel('Passwort', { exact: true }).fill(operator.password)
  await button(page, 'Anmelden').click()
  await heading(page, 'Ereignisprotokoll').waitFor()
  const rows = page.getByRole('row', { name: /order\.created/ })
  await rows.first().waitFor()
  const first = await rows.first().textContent()
  await writeEvents(shop, 'order.shipped', 3)
  await writeEvents(shop, 'order.created', 2)
  await button(page, '2 neue Ereignisse. Anzeigen').waitFor()
  assert.deepEqual([await rows.count(), await rows.first().textContent()], [1, first])
  await expectAccessible(page, 'new events')
  await button(page, '2 neue Ereignisse. Anzeigen').click()
  await rows.nth(2).waitFor()
  await button(page, /neue Ereignisse/).waitFor({ state: 'detached' })
  await link(page, 'order.created').first().click()
  await button(page, 'Kopieren').waitFor()
  await expectAccessible(page, 'an event in German')
})
