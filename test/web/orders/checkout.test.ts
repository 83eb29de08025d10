import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBrowser } from '../../lib/browser/browser.ts'
import {
  expirePrice,
  fillAddress,
  fillCart,
  makeDesign,
  openSignedIn,
  orderCart,
  orderIdOf,
  payWith,
} from '../../lib/pages/ordering.ts'
import { button, heading, link, type Shop, startShop } from '../../lib/pages/shop.ts'

/** Opens the cart of a new customer with one design. */
async function openCart(shop: Shop) {
  const account = await shop.service.signUp()
  const design = await makeDesign(shop, { token: account.accessToken, name: 'Mug' })
  const page = await openSignedIn(shop, account)
  await fillCart(page, shop.url, [design])
  return { page, design, token: account.accessToken }
}

const countOf = (shop: Shop, table: 'orders' | 'payment_attempts'): Promise<number> =>
  shop.service.db
    .selectFrom(table)
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
    .then(({ count }) => Number(count))

test('an expired quote is replaced, and the customer sees the new total before ordering', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  shop.expectErrors(/status of 409/)
  const { page } = await openCart(shop)
  await button(page, 'Go to checkout').click()
  await fillAddress(page)
  const { db, clock } = shop.service
  await db
    .updateTable('quotes')
    .set({ expires_at: new Date(clock.now().getTime() - 1_000) })
    .execute()
  const { accessToken: token } = await shop.service.signUp({ role: 'admin' })
  const body = { taxIncluded: false, rates: [{ country: 'DE', basisPoints: 5_000 }] }
  const changed = await shop.service.request('PUT', '/tax-settings', { token, body })
  assert.equal(changed.status, 200, changed.text)
  const before = await page.locator('.total dd').textContent()
  await button(page, 'Place the order').click()
  await page.getByText(/^The offer had expired. The total was .* and is now/).waitFor()
  assert.notEqual(await page.locator('.total dd').textContent(), before)
  assert.equal(await countOf(shop, 'orders'), 0)
  await button(page, 'Place the order').click()
  await heading(page, /^Pay order/).waitFor()
  assert.equal(await countOf(shop, 'orders'), 1)
})

test('a double click orders once and pays once', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { page } = await openCart(shop)
  await button(page, 'Go to checkout').click()
  await fillAddress(page)
  await button(page, 'Place the order').dblclick()
  await heading(page, /^Pay order/).waitFor()
  const id = orderIdOf(page)
  await button(page, /^Pay €/).dblclick()
  await page.waitForURL(`${shop.url}/orders/${id}`)
  await page.getByText(/^Thank you. Your order/).waitFor()
  assert.deepEqual([await countOf(shop, 'orders'), await countOf(shop, 'payment_attempts')], [1, 1])
})

test('an item that another tab adds while an order is placed stays in the cart', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { url, service, context } = shop
  const account = await service.signUp()
  const token = account.accessToken
  const designs = [
    await makeDesign(shop, { token, name: 'Ordered mug' }),
    await makeDesign(shop, { token, name: 'Later mug' }),
  ]
  const page = await openSignedIn(shop, account)
  await fillCart(page, url, designs.slice(0, 1))
  await button(page, 'Go to checkout').click()
  await fillAddress(page)
  await page.route(/\/v1\/orders$/, async (route) => {
    const other = await context.newPage()
    await fillCart(other, url, designs.slice(1))
    await link(page, 'Cart, 2 items').waitFor()
    await route.continue()
  })
  await button(page, 'Place the order').click()
  await heading(page, /^Pay order/).waitFor()
  await link(page, 'Cart, one item').click()
  await link(page, 'Later mug').waitFor()
  assert.equal(await page.locator('.line').count(), 1)
})

test('lost responses of an order and of a payment lead to one order that is paid once', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  shop.expectErrors(/ERR_FAILED|Failed to fetch/)
  const { page } = await openCart(shop)
  await button(page, 'Go to checkout').click()
  await fillAddress(page)
  const loseOnce = async (pattern: RegExp): Promise<void> => {
    let isLost = false
    await page.route(pattern, async (route) => {
      if (isLost || route.request().method() !== 'POST') return route.continue()
      isLost = true
      await route.fetch()
      await route.abort()
    })
  }
  await loseOnce(/\/v1\/orders$/)
  await button(page, 'Place the order').click()
  await heading(page, /^Pay order/).waitFor()
  await loseOnce(/\/pay$/)
  await payWith(page, 'Good card')
  // The page reads the order again, and finds it paid.
  await page.waitForURL(/\/orders\/ord_\w+$/)
  await page.getByText('Your order is paid and waits for production.').waitFor()
  assert.deepEqual([await countOf(shop, 'orders'), await countOf(shop, 'payment_attempts')], [1, 1])
})

test('a price that expires at the checkout is renewed in the cart', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  shop.expectErrors(/status of 409/)
  const { page, design } = await openCart(shop)
  await expirePrice(shop.service, design)
  await button(page, 'Go to checkout').click()
  await page.getByLabel('Country').selectOption('US')
  await page.getByLabel('Name of the recipient').fill('Ada')
  await page.getByLabel('Street and number').fill('1 Main Street')
  await page.getByLabel('Town or city').fill('Beverly Hills')
  await page.getByLabel('State').selectOption('California')
  await page.getByLabel('ZIP code').fill('90210')
  await button(page, 'Continue to shipping and total').click()
  await page.getByText('Some items cannot be ordered as they are.').waitFor()
  await page.getByRole('link', { name: 'Back to cart' }).first().click()
  await button(page, 'Renew the price').click()
  await button(page, 'Renew the price').waitFor({ state: 'detached' })
  await button(page, 'Go to checkout').click()
  // The browser remembers the address.
  await button(page, 'Continue to shipping and total').click()
  await page.getByText('Beverly Hills CA 90210').waitFor()
})

test('where the shop records payments, the order page says how to pay', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t, { env: { PLATEN_PAYMENT_PROVIDER: 'manual' } })
  const { page } = await openCart(shop)
  await button(page, 'Go to checkout').click()
  await fillAddress(page)
  await button(page, 'Place the order').click()
  await page.getByText(/^Thank you for your order. Its number is PL-/).waitFor()
  await page.getByText(/^The shop records your payment when it arrives. Name the order number PL-/).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Pay now' }).count(), 0)
})

test('a bank that does not answer charges nothing, and the order can be paid later', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  shop.expectErrors(/status of 503/)
  const { page } = await openCart(shop)
  const id = await orderCart(page)
  await payWith(page, 'Bank without an answer')
  await page.getByText('The bank does not answer.').waitFor()
  await page.getByRole('link', { name: 'Pay later' }).click()
  await page.getByRole('link', { name: 'Pay now' }).click()
  await payWith(page, 'Good card')
  await page.waitForURL(`${shop.url}/orders/${id}`)
  await page.getByText(/^Thank you. Your order/).waitFor()
})
