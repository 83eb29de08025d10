import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBrowser } from '../../lib/browser/browser.ts'
import { addToCart, finishDesign, operate, orderCart, payWith } from '../../lib/pages/ordering.ts'
import { confirmAndSignIn, heading, link, register, startShop } from '../../lib/pages/shop.ts'

test('a guest designs, orders, pays after a declined card, and follows the order until it is delivered', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { open, url, service, expectErrors } = shop
  // The browser writes the declined payment to its console.
  expectErrors(/status of 402/)
  const page = await open(url)
  await finishDesign(page, url)
  await addToCart(page)
  const id = await orderCart(page, { email: 'ada@example.com' })
  await payWith(page, 'Declining card')
  await page.getByText('The card was declined.').waitFor()
  await payWith(page, 'Good card')
  await page.waitForURL(`${url}/orders/${id}`)
  await page.getByText(/^Thank you. Your order PL-/).waitFor()
  await link(page, 'Cart').waitFor()
  const progress = page.getByRole('list', { name: 'Progress of the order' }).locator('[aria-current=step]')
  assert.equal(await progress.textContent(), 'Paid')

  // The page follows what the shop does.
  const act = await operate(shop)
  await act(id, 'start-production')
  await progress.filter({ hasText: 'In production' }).waitFor()
  const parcel = { carrier: 'DHL', trackingNumber: '00340434161094042557', trackingUrl: 'https://example.com/track/1' }
  const shipment = await act(id, 'shipments', parcel)
  await progress.filter({ hasText: 'Shipped' }).waitFor()
  assert.equal(await link(page, 'Track the parcel').getAttribute('href'), parcel.trackingUrl)
  await act(id, `shipments/${shipment.id}/deliver`)
  await progress.filter({ hasText: 'Delivered' }).waitFor()
  const [order] = await service.db.selectFrom('orders').select(['status', 'total_amount']).execute()
  assert.equal(order?.status, 'delivered')

  await link(page, 'My orders').click()
  await heading(page, 'My orders').waitFor()
  await link(page, /^Order PL-/).click()
  await heading(page, /^Order PL-/).waitFor()
})

test('a guest designs, signs up, pays, and follows the order until it is delivered', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { open, url, service } = shop
  const page = await open(url)
  const designId = await finishDesign(page, url)
  await addToCart(page)
  await link(page, 'Sign in to keep them').click()
  const person = { email: 'ada@example.com', password: 'a quiet lake at dusk' }
  await register(page, person)
  await confirmAndSignIn(page, service, person)
  await heading(page, 'Cart').waitFor()
  const id = await orderCart(page)
  await payWith(page, 'Good card')
  await page.getByText(/^Thank you. Your order PL-/).waitFor()

  const act = await operate(shop)
  await act(id, 'start-production')
  const shipment = await act(id, 'shipments', { carrier: 'DHL' })
  await act(id, `shipments/${shipment.id}/deliver`)
  const progress = page.getByRole('list', { name: 'Progress of the order' }).locator('[aria-current=step]')
  await progress.filter({ hasText: 'Delivered' }).waitFor()
  const { id: owner } = await service.db
    .selectFrom('users')
    .select('id')
    .where('email', '=', person.email)
    .executeTakeFirstOrThrow()
  for (const table of ['orders', 'designs'] as const) {
    const row = await service.db.selectFrom(table).select(['id', 'owner_id']).executeTakeFirst()
    assert.deepEqual(row, { id: table === 'orders' ? id : designId, owner_id: owner })
  }
})
