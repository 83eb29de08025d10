import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { documentOf, textLayer } from '../../../src/designs/factory.ts'
import { ADDRESS } from '../../../src/orders/factory.ts'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectAccessible, expectNoSidewaysScroll } from '../../lib/browser/watched-page.ts'
import { openConsole } from '../../lib/pages/console.ts'
import { makeDesign } from '../../lib/pages/ordering.ts'
import { button, heading, startShop } from '../../lib/pages/shop.ts'

async function startWithOrder(t: TestContext) {
  const shop = await startShop(t)
  const { service } = shop
  const { accessToken: token } = await service.signUp()
  const designId = await makeDesign(shop, { token, name: 'Mug' })
  const body = { items: [{ designId, quantity: 1 }], shippingAddress: ADDRESS }
  const order = (await service.request('POST', '/orders', { token, body })).body
  return { shop, service, order }
}

test('the history and the notes of an order name staff, also after the account was deleted', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { shop, service, order } = await startWithOrder(t)
  const [reader, actor] = [await service.signUp({ role: 'operator' }), await service.signUp({ role: 'operator' })]
  const act = (action: string, sent: object) =>
    service.request('POST', `/orders/${order.id}/${action}`, { token: actor.accessToken, body: sent })
  await act('payments', { method: 'manual' })
  await act('notes', { text: 'The customer has called.' })
  const page = await openConsole(shop, reader, `/orders/${order.id}`)
  await heading(page, new RegExp(order.number)).waitFor()
  await page.locator('.timeline').getByText(actor.email).first().waitFor()
  await page.locator('.notes').getByText(actor.email).waitFor()

  await sql`update users set deleted_at = now() where id = ${actor.userId}`.execute(service.db)
  await page.reload()
  await page.locator('.timeline').getByText('Deleted account').first().waitFor()
  await page.locator('.notes').getByText('Deleted account').waitFor()
  await page.locator('.timeline').getByText('Customer ·').waitFor()
})

test('the payment of an order shows a dispute and a returned refund, and the history states them', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { shop, service, order } = await startWithOrder(t)
  const page = await openConsole(shop, await service.signUp({ role: 'operator' }), `/orders/${order.id}`)
  const payment = page.getByRole('region', { name: 'Payment' })
  await payment.getByText('Total', { exact: true }).waitFor()
  await page.locator('.timeline').getByText('Order placed').waitFor()
  assert.equal(await payment.getByText(/disputed|returned/).count(), 0)

  const at = '2026-11-03T12:00:00.000Z'
  for (const [position, type, reason] of [
    [2, 'payment.disputed', 'dp_4711'],
    [3, 'payment.refund_returned', null],
  ] as const) {
    await sql`
      insert into order_timeline (order_id, position, type, actor, reason, at)
      values (${order.id}, ${position}, ${type}, 'system', ${reason}, ${at})`.execute(service.db)
  }
  await page.reload()
  await payment.getByText(/^The customer disputed the payment on 3 Nov 2026/).waitFor()
  await payment.getByText('dp_4711').waitFor()
  await payment.getByText(/^The bank returned a refund on 3 Nov 2026/).waitFor()
  for (const what of ['Payment disputed', 'Refund returned by the bank']) {
    await page.locator('.timeline').getByText(what).waitFor()
  }
  await page.getByRole('heading', { level: 1 }).getByText('Disputed', { exact: true }).waitFor()
  await expectAccessible(page, 'an order with a disputed payment')

  await sql`
    insert into order_timeline (order_id, position, type, actor, reason, at)
    values (${order.id}, 4, 'payment.dispute_lost', 'system', 'dp_4711', ${at})`.execute(service.db)
  await page.reload()
  await payment.getByText(/^The customer won a dispute on 3 Nov 2026/).waitFor()
  assert.equal(await payment.getByText(/^The customer disputed the payment/).count(), 0)
  assert.equal(await page.getByText('Disputed', { exact: true }).count(), 0)
})

test('pages of the catalogue and of settings state who changed what, with the values before and after', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { service } = shop
  const admin = await service.signUp({ role: 'admin' })
  const token = admin.accessToken
  const send = async (method: string, path: string, body: object) => {
    const answer = await service.request(method, path, { token, body })
    assert.ok(answer.status < 300, answer.text)
    return answer.body
  }
  await service.db.deleteFrom('tax_settings').execute()
  const rates = [{ country: 'DE', basisPoints: 1_900 }]
  await send('PUT', '/tax-settings', { taxIncluded: true, rates })
  await send('PUT', '/tax-settings', { taxIncluded: false, rates: [{ country: 'DE', basisPoints: 700 }] })
  const page = await openConsole(shop, admin, '/settings/taxes')
  const history = page.getByRole('region', { name: 'History' })
  const newest = history.getByRole('listitem').first()
  await newest.getByText('2 changes').click()
  await newest.getByText('Germany').waitFor()
  assert.deepEqual(await newest.locator('del').allTextContents(), ['Before: yes', 'Before: 19%'])
  assert.deepEqual(await newest.locator('ins').allTextContents(), ['Now: no', 'Now: 7%'])
  await newest.getByText(admin.email).waitFor()
  await expectAccessible(page, 'the history of taxes')

  // More changes than the service returns at once.
  for (let basisPoints = 1; basisPoints <= 52; basisPoints += 1) {
    await send('PUT', '/tax-settings', { taxIncluded: false, rates: [{ country: 'DE', basisPoints }] })
  }
  await page.reload()
  const entries = history.getByRole('listitem')
  for (const count of [5, 50, 54]) {
    await entries.nth(count - 1).waitFor()
    assert.equal(await entries.count(), count)
    if (count < 54) await history.getByRole('button', { name: 'Show more' }).click()
  }
  assert.equal(await history.getByRole('button', { name: 'Show more' }).count(), 0)

  const zones = (amount: number) => [{ countries: ['*'], rates: [{ prices: [{ amount, currency: 'EUR' }] }] }]
  const method = { name: 'Courier', estimatedDays: { min: 1, max: 2 }, zones: zones(490) }
  const { id } = await send('POST', '/shipping-methods', method)
  await send('PATCH', `/shipping-methods/${id}`, { zones: zones(590) })
  await page.goto(`${shop.url}/console/settings/shipping/${id}`)
  await newest.getByText('One change').click()
  await newest.getByText('Zone 1: Prices by weight').waitFor()
  await newest.getByText('Any weight: €5.90').waitFor()
  await service.request('DELETE', `/shipping-methods/${id}`, { token })
  await page.goto(`${shop.url}/console/settings/shipping`)
  await history.getByText('Deleted: Courier').waitFor()
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page, 'the history of shipping methods')
  await page.setViewportSize({ width: 1280, height: 800 })

  await send('PATCH', '/shop-settings', { name: 'Ada’s Cards', registration: 'closed' })
  await page.goto(`${shop.url}/console/settings/shop`)
  await newest.getByText('2 changes').click()
  await newest.getByText('Invited staff only').waitFor()
  // The section reads the records again after a change on its page.
  await page.getByLabel('Name', { exact: true }).fill('Ada')
  await button(page, 'Save').click()
  await newest.getByText('One change').click()
  await newest.locator('ins', { hasText: /^Now: Ada$/ }).waitFor()

  const { body: products } = await service.request('GET', '/products?limit=100')
  const product = products.data.find(({ name }: { name: string }) => name === 'Business card')
  const document = documentOf([textLayer('Ada')])
  const variantId = product.variants[0].id
  const draft = await send('POST', '/designs', { productId: product.id, variantId, document })
  const template = await send('POST', '/templates', { designId: draft.id, name: 'Autumn' })
  await send('PATCH', `/templates/${template.id}`, { categories: ['Seasons'] })
  await page.goto(`${shop.url}/console/catalogue/templates?lang=de`)
  const verlauf = page.getByRole('region', { name: 'Verlauf' })
  await verlauf.getByText('Angelegt: Autumn').waitFor()
  await verlauf.getByText('Eine Änderung').click()
  await verlauf.locator('ins', { hasText: 'Seasons' }).waitFor()
  await expectAccessible(page, 'the history of templates')
  await page.goto(`${shop.url}/console/catalogue/color-profiles?lang=de`)
  await page.getByText('Keine Änderungen sind erfasst.').waitFor()
})
