import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page, Route } from 'playwright-core'
import { ADDRESS } from '../../../src/orders/factory.ts'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectAccessible, expectNoSidewaysScroll, watchedBrowser } from '../../lib/browser/watched-page.ts'
import { openConsole } from '../../lib/pages/console.ts'
import { makeDesign, openSignedIn, operate } from '../../lib/pages/ordering.ts'
import { button, heading, type Shop, startShop } from '../../lib/pages/shop.ts'
import { until } from '../../lib/until.ts'

const EMAIL = 'parcels@example.com'

/** Places a paid order of two mugs. */
async function placeOrder(shop: Shop) {
  const { service } = shop
  const customer = await service.signUp()
  const { accessToken: token } = customer
  const designId = await makeDesign(shop, { token, name: 'Mug' })
  const body = { items: [{ designId, quantity: 2 }], shippingAddress: { ...ADDRESS, email: EMAIL } }
  const { body: order } = await service.request('POST', '/orders', { token, body })
  const run = await operate(shop)
  await run(order.id, 'payments', { method: 'manual' })
  return { customer, id: order.id as string, number: order.number as string, run }
}

const dialogOf = (page: Page, name: string): Locator => page.getByRole('dialog', { name, exact: true })

/** Tells whether a label shows the mark of required fields. */
const isMarked = (dialog: Locator, label: string) =>
  dialog
    .locator('label', { hasText: label })
    .evaluate((element) =>
      element.ownerDocument.defaultView?.getComputedStyle(element, '::after').content.includes('*'),
    )

test('a held order shows to whom the mail went, and its postal address is corrected before it ships', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  // The customer has a browser of their own.
  const theirs = await watchedBrowser(t)
  const shop = await startShop(t, { viewport: { width: 1280, height: 900 } })
  // The browser writes the refused postal code to its console.
  shop.expectErrors(/status of 422/)
  const { service, url } = shop
  const { customer, id, number, run } = await placeOrder(shop)
  await run(id, 'hold', { reason: 'Which floor?', resolution: 'answer' })
  const page = await openConsole(shop, await service.signUp({ role: 'operator' }), `/orders/${id}`)
  await heading(page, new RegExp(number)).waitFor()
  await page.getByText('The mail to the customer is on its way to the mail server.').waitFor()
  service.startJobs()
  await page.getByText(new RegExp(`^No mail was sent to ${EMAIL}: the service has no mail server`)).waitFor()

  await button(page, 'Correct the address').click()
  const dialog = dialogOf(page, 'Correct the address')
  assert.equal(await dialog.getByLabel('Country').isDisabled(), true)
  assert.equal(await dialog.getByLabel('Name of the recipient').getAttribute('required'), '')
  assert.deepEqual([await isMarked(dialog, 'Name of the recipient'), await isMarked(dialog, 'Company')], [true, false])
  await dialog.getByText('Fields marked with * are required.').waitFor()
  await dialog.getByLabel('Postal code').fill('SW1A 1AA')
  await dialog.getByRole('button', { name: 'Correct the address' }).click()
  await dialog.getByText('This is not valid in the country of the order.').waitFor()
  await expectAccessible(page, 'a refused postal address')
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page, 'the dialog of a postal address')
  await page.setViewportSize({ width: 1280, height: 900 })
  await dialog.getByLabel('Postal code').fill('10119')
  await dialog.getByLabel('Further line').fill('Third floor')
  await dialog.getByRole('button', { name: 'Correct the address' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.locator('.postal-address').getByText('Third floor').waitFor()
  await page.locator('.timeline').getByText('Address changed').waitFor()

  const own = await openSignedIn({ open: theirs.open, url }, customer)
  await own.goto(`${url}/orders/${id}`)
  await own.getByText('Third floor').waitFor()
  await own.getByText('Address changed').waitFor()

  await run(id, 'release')
  await run(id, 'start-production')
  await run(id, 'shipments', { carrier: 'DHL' })
  await page.reload()
  await heading(page, new RegExp(number)).waitFor()
  await page.getByRole('heading', { name: 'Parcels' }).waitFor()
  assert.equal(await button(page, 'Correct the address').count(), 0)
})

test('carrier and tracking number are shown at the order, added later, and the last carriers are offered', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t, { viewport: { width: 1280, height: 900 } })
  const { service } = shop
  const [earlier, order] = [await placeOrder(shop), await placeOrder(shop)]
  for (const { id, run } of [earlier, order]) await run(id, 'start-production')
  const { items } = (await service.request('GET', `/orders/${earlier.id}`, { token: earlier.customer.accessToken }))
    .body
  await earlier.run(earlier.id, 'shipments', { carrier: 'Post', items: [{ itemId: items[0].id, quantity: 1 }] })
  service.clock.shift(1)
  await earlier.run(earlier.id, 'shipments', { carrier: 'Parcel Service' })
  const page = await openConsole(shop, await service.signUp({ role: 'operator' }), `/orders/${order.id}`)
  await button(page, 'Ship').click()
  const ship = dialogOf(page, 'Ship')
  const carrier = ship.getByLabel('Carrier')
  await until('the last carrier', async () => (await carrier.inputValue()) === 'Parcel Service')
  const offered = await ship
    .locator('datalist option')
    .evaluateAll((all) => all.map((one) => one.getAttribute('value')))
  assert.deepEqual(offered, ['Parcel Service', 'Post'])
  await expectAccessible(page, 'the dialog of a parcel')
  await carrier.fill('DHL')
  await ship.getByRole('button', { name: 'Ship', exact: true }).click()
  await ship.waitFor({ state: 'detached' })

  const shipping = page.getByRole('region', { name: 'Shipping' })
  await shipping.getByText('DHL').waitFor()
  await shipping.getByText('No tracking number').waitFor()
  await button(page, 'Add the tracking').click()
  const add = dialogOf(page, 'Add the tracking')
  await add.getByLabel('Tracking number').fill('JJD000390007')
  await add.getByRole('button', { name: 'Add the tracking' }).click()
  await add.waitFor({ state: 'detached' })
  await shipping.getByText('JJD000390007').waitFor()
  await page.locator('.timeline').getByText('Tracking changed').waitFor()
  await button(page, 'Correct the tracking').click()
  const correct = dialogOf(page, 'Correct the tracking')
  await correct.getByLabel('Tracking number').fill('JJD000390008')
  await correct.getByRole('button', { name: 'Correct the tracking' }).click()
  await correct.waitFor({ state: 'detached' })
  await page.locator('.parcel').getByText('JJD000390008').waitFor()
  await expectAccessible(page, 'an order with a parcel')
})

test('a reply of the customer is answered where it is shown, and the customer can reply again', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const browser = await watchedBrowser(t)
  const shop = await startShop(t, { viewport: { width: 1280, height: 900 } })
  const { service, url } = shop
  const { customer, id, run } = await placeOrder(shop)
  const { accessToken: token } = customer
  const read = async () => (await service.request('GET', `/orders/${id}`, { token })).body
  const reply = async (message: string): Promise<void> => {
    const { status } = await service.request('POST', `/orders/${id}/resolve-hold`, { token, body: { message } })
    assert.equal(status, 200)
  }
  await run(id, 'hold', { reason: 'Which floor?' })
  const page = await openConsole(shop, await service.signUp({ role: 'operator' }), `/orders/${id}`)
  await page.locator('.hold-reason').getByText('Which floor?').waitFor()
  assert.equal(await button(page, 'Answer the customer').count(), 0)
  await reply('The third. Can it be Monday?')
  await button(page, 'Answer the customer').click()
  const dialog = dialogOf(page, 'Answer the customer')
  await dialog.getByText('The third. Can it be Monday?').waitFor()
  await dialog.getByLabel('Your answer').fill('Yes, on Monday.')
  await expectAccessible(page, 'an answer to the customer')
  // The order is released before the answer puts it on hold again. If that fails, nothing else says that it goes on.
  shop.expectErrors(/status of (412|422)/)
  const problem = { type: 'about:blank', title: 'Refused', status: 422, code: 'validation_failed' }
  const refuse = (route: Route) =>
    route.fulfill({ status: 422, json: problem, contentType: 'application/problem+json' })
  await page.route(/\/hold$/, refuse)
  const confirm = dialog.getByRole('button', { name: 'Put on hold with this answer' })
  await confirm.click()
  await dialog.getByText(/^The order is released, and was not put on hold again\./).waitFor()
  await page.unroute(/\/hold$/, refuse)
  await until('the answer', async () => {
    if ((await read()).status === 'on_hold') return true
    // The answer of the last click may close the dialog meanwhile.
    await confirm.click({ timeout: 1_000 }).catch(() => undefined)
    return false
  })
  await dialog.waitFor({ state: 'detached' })
  await page.locator('.hold-reason').getByText('Yes, on Monday.').waitFor()
  const { status, hold } = await read()
  assert.deepEqual([status, hold.reason, hold.answeredAt], ['on_hold', 'Yes, on Monday.', undefined])
  await page.locator('.earlier-replies').getByText('The third. Can it be Monday?').waitFor()

  await reply('Thank you.')
  await button(page, 'Release').click()
  await dialogOf(page, 'Release')
    .getByText(/^The release tells the customer nothing\./)
    .waitFor()
  await page.keyboard.press('Escape')
  await run(id, 'release')
  await page.locator('.hold').waitFor({ state: 'detached' })
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNoSidewaysScroll(page, 'replies with the button of an answer')
  await button(page, 'Answer the customer').click()
  await dialogOf(page, 'Answer the customer').getByText('Thank you.').waitFor()
  await page.keyboard.press('Escape')

  const reader = await service.signUp({ role: 'operator', staffRole: 'accounting' })
  const theirs = await openConsole({ open: browser.open, url }, reader, `/orders/${id}`)
  await theirs.locator('.earlier-replies').getByText('Thank you.').waitFor()
  assert.equal(await button(theirs, 'Answer the customer').count(), 0)
})
