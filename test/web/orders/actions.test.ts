import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADDRESS } from '../../../src/orders/factory.ts'
import { noBrowser } from '../../lib/browser/browser.ts'
import { makeDesign, openSignedIn, operate } from '../../lib/pages/ordering.ts'
import { button, heading, link, type Shop, startShop } from '../../lib/pages/shop.ts'

/** Opens the page of a paid order of a new customer. */
async function openPaidOrder(shop: Shop) {
  const { service, url } = shop
  const account = await service.signUp()
  const token = account.accessToken
  const designId = await makeDesign(shop, { token, name: 'Mug' })
  const body = { items: [{ designId, quantity: 3 }], shippingAddress: ADDRESS }
  const { body: order } = await service.request('POST', '/orders', { token, body })
  await service.request('POST', `/orders/${order.id}/pay`, { token, body: { token: 'test_ok' } })
  const page = await openSignedIn(shop, account)
  await page.goto(`${url}/orders/${order.id}`)
  await heading(page, /^Order PL-/).waitFor()
  const read = async () => (await service.request('GET', `/orders/${order.id}`, { token })).body
  return { page, designId, id: order.id as string, read, act: await operate(shop) }
}

test('a customer cancels a paid order, gets the money back, and orders the same again', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { page, read, designId } = await openPaidOrder(shop)
  await button(page, 'Cancel the order').click()
  const question = page.getByRole('alertdialog', { name: 'Cancel this order?' })
  await question.getByLabel('Reason').fill('A typing error')
  await question.getByRole('button', { name: 'Cancel the order' }).click()
  await question.waitFor({ state: 'detached' })
  await page.getByText('This order was cancelled.').waitFor()
  await page.getByText(/was paid back on/).waitFor()
  const order = await read()
  assert.deepEqual([order.status, order.payment.status], ['cancelled', 'refunded'])
  assert.equal(order.timeline.find(({ type }: { type: string }) => type === 'order.cancelled').reason, 'A typing error')

  await button(page, 'Order again').click()
  await heading(page, 'Cart').waitFor()
  await page.locator(`a[href="/designs/${designId}/finished"]`).waitFor()
  assert.equal(await page.getByRole('textbox', { name: 'Quantity' }).inputValue(), '3')
})

test('a customer corrects the address of an order on hold, which then continues', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { page, id, act, read } = await openPaidOrder(shop)
  await act(id, 'hold', { reason: 'The carrier does not know this house.', resolution: 'address' })
  await page.getByText('The carrier does not know this house.').first().waitFor()
  await page.getByLabel('Street and number').fill('Chausseestraße 127')
  await button(page, 'Send').click()
  await page.getByText('Your order is paid and waits for production.').waitFor()
  const order = await read()
  assert.deepEqual([order.status, order.shippingAddress.line1], ['confirmed', 'Chausseestraße 127'])
})

test('a customer answers a hold, and reads that the shop decides', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { page, id, act, read } = await openPaidOrder(shop)
  await act(id, 'hold', { reason: 'Is the colour meant so?' })
  await page.getByLabel('Message to the shop').fill('Yes, it is.')
  await button(page, 'Send').click()
  await page.getByText(/^You replied on/).waitFor()
  const { timeline } = await read()
  assert.equal(timeline.at(-1).reason, 'Yes, it is.')
  await act(id, 'release')
  await page.getByText('Your order is paid and waits for production.').waitFor()
  await act(id, 'start-production')
  await page.getByText('The order is being made, so it can no longer be cancelled.').waitFor()
  assert.equal(await button(page, 'Cancel the order').count(), 0)
})

test('the print file of an ordered item is downloaded without a credential', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { page } = await openPaidOrder(shop)
  await page.getByRole('img', { name: 'Picture of “Mug”' }).waitFor()
  for (const [name, file] of [
    ['Print file', /^PL-.*\.pdf$/],
    ['Signed receipt', /^Mug\.jws$/],
  ] as const) {
    const download = page.waitForEvent('download')
    await button(page, name).click()
    assert.match((await download).suggestedFilename(), file)
  }
})

test('a customer finds no order of another one', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  shop.expectErrors(/status of 404/)
  const { page, id } = await openPaidOrder(shop)
  await link(page, 'Account').click()
  await button(page, 'Sign out').click()
  await link(page, 'Sign in').waitFor()
  const other = await openSignedIn(shop, await shop.service.signUp())
  await other.getByRole('heading', { name: 'No orders yet' }).waitFor()
  await other.goto(`${shop.url}/orders/${id}`)
  await heading(other, 'Order not found').waitFor()
})
