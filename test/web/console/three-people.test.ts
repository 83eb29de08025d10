import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { ADDRESS } from '../../../src/orders/factory.ts'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectAccessible, type Watched, watchedBrowser } from '../../lib/browser/watched-page.ts'
import { openConsole } from '../../lib/pages/console.ts'
import { makeDesign } from '../../lib/pages/ordering.ts'
import { button, heading, type Shop, startShop } from '../../lib/pages/shop.ts'

/** Everything that the page of an order lets some of them change. All three write notes. */
const CHANGES = [
  'Record the payment',
  'Put on hold',
  'Release',
  'Start production',
  'Ship',
  'Mark as delivered',
  'Mark as returned',
  'Refund',
  'Cancel the order',
] as const
type Change = (typeof CHANGES)[number]

/** Places an order of three mugs. */
async function placeOrder(shop: Shop) {
  const { accessToken: token } = await shop.service.signUp()
  const designId = await makeDesign(shop, { token, name: 'Mug' })
  const body = { items: [{ designId, quantity: 3 }], shippingAddress: ADDRESS }
  const { body: order } = await shop.service.request('POST', '/orders', { token, body })
  return { token, order }
}

/** Starts a shop with an unpaid order, whose page three people have open, each in a browser of their own. */
async function startShift(t: TestContext) {
  // Opened before the shop, so that their pages close before the service stops.
  const browsers = { packing: await watchedBrowser(t), accounting: await watchedBrowser(t) }
  const shop = await startShop(t)
  const { service, url } = shop
  const { order, token } = await placeOrder(shop)
  const open = async (browser: Watched, staffRole: 'prepress' | 'packing' | 'accounting'): Promise<Page> => {
    const person = await service.signUp({ role: 'operator', staffRole })
    const page = await openConsole({ open: browser.open, url }, person, `/orders/${order.id}`)
    await heading(page, new RegExp(order.number)).waitFor()
    return page
  }
  return {
    ...{ shop, order, token },
    prepress: await open(shop, 'prepress'),
    packing: await open(browsers.packing, 'packing'),
    accounting: await open(browsers.accounting, 'accounting'),
  }
}

/** Fails unless a page offers exactly these changes, after the last of them has appeared. */
async function expectOffered(page: Page, ...expected: Change[]): Promise<void> {
  for (const name of expected) await button(page, name).first().waitFor()
  const offered = []
  for (const name of CHANGES) if ((await button(page, name).count()) > 0) offered.push(name)
  assert.deepEqual(offered, expected)
}

/** Waits until the heading shows a status, which nothing but the live events of the page can bring. */
const seen = (page: Page, status: string): Promise<void> => heading(page).getByText(status, { exact: true }).waitFor()

/** Makes a change, after its dialog is filled in. */
async function act(page: Page, name: Change, fill: (dialog: Locator) => Promise<void> = async () => undefined) {
  await button(page, name).first().click()
  const dialog = page.getByRole('dialog', { name, exact: true })
  await fill(dialog)
  await dialog.getByRole('button', { name: new RegExp(`^(${name}|Record €.*|Refund €.*)$`) }).click()
  await dialog.waitFor({ state: 'detached' })
}

const pagesOf = (page: Page): Promise<string[]> =>
  page.getByRole('navigation', { name: 'Console' }).getByRole('link').allInnerTexts()

test('three people of different roles bring an order from its payment to a return, each by what the others did', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { shop, order, token, prepress, packing, accounting } = await startShift(t)
  const { service } = shop
  const work = ['Today', 'Production', 'Orders', 'Batches']
  assert.deepEqual([await pagesOf(prepress), await pagesOf(packing)], [work, work])
  assert.deepEqual(await pagesOf(accounting), [...work, 'Customers'])
  for (const page of [prepress, packing]) await expectOffered(page)

  await expectOffered(accounting, 'Record the payment')
  await act(accounting, 'Record the payment', (dialog) => dialog.getByLabel('Reference').fill('Statement 12'))
  await seen(prepress, 'Ready to produce')
  await expectOffered(prepress, 'Put on hold', 'Start production')
  await act(prepress, 'Put on hold', (dialog) => dialog.getByLabel('Reason').fill('Which colour?'))
  for (const page of [packing, accounting]) await seen(page, 'On hold')
  await expectOffered(packing)
  await expectOffered(accounting, 'Refund')
  const reply = { token, body: { message: 'Red, please.' } }
  assert.equal((await service.request('POST', `/orders/${order.id}/resolve-hold`, reply)).status, 200)
  await prepress.getByText('Red, please.').first().waitFor()
  await expectOffered(prepress, 'Release')
  await act(prepress, 'Release')
  await act(prepress, 'Start production')

  await seen(packing, 'In production')
  await expectOffered(packing, 'Ship')
  await expectAccessible(packing, 'an order as packing sees it')
  const parcel = (pieces: string) => async (dialog: Locator) => {
    await dialog.getByLabel('Carrier').fill('DHL')
    await dialog.getByRole('textbox', { name: /^Mug/ }).fill(pieces)
  }
  await act(packing, 'Ship', parcel('2'))
  await seen(prepress, 'Partly shipped')
  await expectOffered(prepress)
  await act(packing, 'Ship', parcel('1'))
  await seen(prepress, 'Shipped')
  await expectOffered(packing, 'Mark as delivered', 'Mark as returned')
  await act(packing, 'Mark as delivered')
  await act(packing, 'Mark as delivered')
  await seen(accounting, 'Delivered')
  await act(packing, 'Mark as returned', (dialog) => dialog.getByLabel('Reason').fill('Broken handle'))

  await accounting.getByText('Came back', { exact: true }).waitFor()
  for (const [page, reader, note] of [
    [packing, prepress, 'Its box was too large.'],
    [prepress, accounting, 'The print was fine.'],
    [accounting, packing, 'The customer wants a part of the money.'],
  ] as const) {
    await page.getByLabel('New note').fill(note)
    await button(page, 'Add the note').click()
    await reader.locator('.notes').getByText(note).waitFor()
  }
  await expectOffered(accounting, 'Refund')
  await act(accounting, 'Refund', (dialog) => dialog.getByLabel('Amount').fill('5.00'))
  await seen(packing, 'Partly refunded')
  await expectOffered(packing, 'Mark as returned')
  await expectOffered(prepress)
  await expectAccessible(accounting, 'a returned order as accounting sees it')

  const admin = await service.signUp({ role: 'admin' })
  const { body: ended } = await service.request('GET', `/orders/${order.id}`, { token: admin.accessToken })
  const statuses = ended.shipments.map(({ status }: { status: string }) => status)
  assert.deepEqual(statuses.sort(), ['delivered', 'returned'])
  assert.deepEqual([ended.status, ended.payment.refundedAmount.amount], ['delivered', 500])
})
