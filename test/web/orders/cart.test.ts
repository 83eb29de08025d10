import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../../lib/browser/browser.ts'
import { addToCart, fillAddress, fillCart, finishDesign, makeDesign, openSignedIn } from '../../lib/pages/ordering.ts'
import { button, heading, link, signIn, startShop } from '../../lib/pages/shop.ts'

test('a cart has several designs and texts of its own, and its order costs what the service says', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { url, service, context } = shop
  const account = await service.signUp()
  const token = account.accessToken
  const designs = [
    await makeDesign(shop, { token, name: 'Plain mug' }),
    await makeDesign(shop, { token, name: 'Other mug' }),
    await makeDesign(shop, { token, name: 'Mug with a name', texts: ['For {{guest}}'] }),
  ]
  const page = await openSignedIn(shop, account)
  await fillCart(page, url, designs)
  const lines = page.locator('.line')
  await lines.nth(2).getByRole('textbox', { name: 'guest' }).fill('Grace')
  await button(page, 'Add pieces with other texts').click()
  await lines.nth(3).getByRole('textbox', { name: 'guest' }).fill('Ada')
  const quantity = lines.first().getByRole('textbox', { name: 'Quantity' })
  await quantity.fill('3')
  await quantity.press('Enter')

  // Another tab has the same cart, and undo brings an item back to its place.
  const other = await context.newPage()
  await other.goto(`${url}/cart`)
  await link(other, 'Other mug').waitFor()
  await button(other, 'Remove “Other mug”').click()
  await link(page, 'Other mug').waitFor({ state: 'detached' })
  await button(other, 'Undo').click()
  await link(page, 'Other mug').waitFor()
  assert.deepEqual(await lines.getByRole('heading').allTextContents(), [
    'Plain mug',
    'Other mug',
    'Mug with a name',
    'Mug with a name',
  ])
  await other.close()

  await button(page, 'Go to checkout').click()
  await fillAddress(page)
  const sums = page.locator('.totals')
  const standard = await sums.textContent()
  const express = page.locator('.choice', { hasText: 'Express' })
  const [price = ''] = /€[\d.]+/.exec((await express.textContent()) ?? '') ?? []
  await express.getByRole('radio').check()
  await sums.getByText(price, { exact: true }).waitFor()
  assert.notEqual(await sums.textContent(), standard)
  const stated = await page.locator('.total dd').textContent()
  await button(page, 'Place the order').click()
  await heading(page, /^Pay order/).waitFor()
  const { body } = await service.request('GET', '/orders', { token })
  const [order] = body.data
  const money = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'EUR' })
  assert.equal(stated, money.format(order.amounts.total.amount / 100))
  assert.deepEqual(
    order.items.map((item: { designId: string; quantity: number; data?: object }) => [
      item.designId,
      item.quantity,
      item.data,
    ]),
    [
      [designs[0], 3, undefined],
      [designs[1], 1, undefined],
      [designs[2], 1, { guest: 'Grace' }],
      [designs[2], 1, { guest: 'Ada' }],
    ],
  )
})

test('a design that is there before the account is put into the cart of the account', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const account = await shop.service.signUp()
  const id = await makeDesign(shop, { token: account.accessToken, name: 'Plain mug' })
  const page = await openSignedIn(shop, account)
  const released = Promise.withResolvers<void>()
  await page.route('**/v1/me', async (route) => {
    await released.promise
    await route.continue()
  })
  await page.goto(`${shop.url}/designs/${id}/finished`)
  const add = button(page, 'Add to cart')
  await add.waitFor()
  assert.equal(await add.isDisabled(), true)
  released.resolve()
  await add.click()
  await page.getByRole('main').getByRole('link', { name: 'Go to cart' }).click()
  await link(page, 'Plain mug').waitFor()
})

test('the cart of a guest moves into the account with the designs', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, url, service } = await startShop(t)
  const page = await open(url)
  const id = await finishDesign(page, url)
  await addToCart(page)
  await link(page, 'Sign in to keep them').click()
  await signIn(page, await service.signUp())
  await link(page, 'Account').waitFor()
  await link(page, 'Cart, one item').click()
  await page.locator(`a[href="/designs/${id}/finished"]`).waitFor()
  await button(page, 'Go to checkout').click()
  await fillAddress(page)

  // The next customer of the browser sees neither the cart nor the address.
  await link(page, 'Account').click()
  await button(page, 'Sign out').click()
  await link(page, 'Cart').click()
  await page.getByRole('heading', { name: 'Your cart is empty' }).waitFor()
  const kept = await page.evaluate('JSON.stringify(localStorage)')
  assert.doesNotMatch(String(kept), /Chausseestraße/)
})

/** Fills the cart of a customer up to a number of items, as if the customer had added them. */
async function padCart(page: Page, owner: string, count: number): Promise<void> {
  await page.evaluate(
    ({ name, count }) => {
      const { localStorage } = globalThis as unknown as { localStorage: KeptTexts }
      const items = JSON.parse(localStorage.getItem(name) ?? '[]')
      while (items.length < count)
        items.push({ ...items[0], id: `copy ${items.length}`, data: { n: `${items.length}` } })
      localStorage.setItem(name, JSON.stringify(items))
    },
    { name: `platen.cart.${owner}`, count },
  )
  await page.reload()
}

interface KeptTexts {
  getItem(name: string): string | null
  setItem(name: string, value: string): void
}

test('a full cart keeps its items, and every page says what did not fit', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { url, service } = shop
  const account = await service.signUp()
  const token = account.accessToken
  const design = await makeDesign(shop, { token, name: 'Mug with a name', texts: ['For {{guest}}'] })
  const other = await makeDesign(shop, { token, name: 'Other mug' })
  const page = await openSignedIn(shop, account)
  await fillCart(page, url, [design])
  const { body: user } = await service.request('GET', '/me', { token })
  await padCart(page, user.customerId, 100)
  await link(page, 'Cart, 100 items').waitFor()
  await page.locator('.line').nth(99).waitFor()
  await button(page, 'Add pieces with other texts').first().click()
  await page.getByText('An order can have 100 items.').waitFor()
  await page.goto(`${url}/designs/${other}/finished`)
  await button(page, 'Add to cart').click()
  await page.getByText('An order can have 100 items.').waitFor()
  await link(page, 'Cart, 100 items').waitFor()
})

test('the cart of an account keeps its items when a guest brings more than fit', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { url, service, open } = shop
  const account = await service.signUp()
  const design = await makeDesign(shop, { token: account.accessToken, name: 'Own mug' })
  const { body: user } = await service.request('GET', '/me', { token: account.accessToken })
  const page = await open(url)
  await finishDesign(page, url)
  await addToCart(page)
  await padCart(page, 'guest', 3)
  await page.evaluate(
    ({ name, designId }) => {
      const { localStorage } = globalThis as unknown as { localStorage: KeptTexts }
      localStorage.setItem(name, JSON.stringify([{ id: 'own', designId, quantity: 1 }]))
    },
    { name: `platen.cart.${user.customerId}`, designId: design },
  )
  await padCart(page, user.customerId, 98)
  await link(page, 'Sign in to keep them').click()
  await signIn(page, account)
  await page.getByText('One item does not fit into the cart, which has room for 100.').waitFor()
  await link(page, 'Cart, 100 items').waitFor()
})

test('a text that does not fit is shown at its field, and the item can be ordered after a change', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  shop.expectErrors(/status of 422/)
  const account = await shop.service.signUp()
  const design = await makeDesign(shop, { token: account.accessToken, name: 'Mug', texts: ['For {{guest}}'] })
  const page = await openSignedIn(shop, account)
  await fillCart(page, shop.url, [design])
  const guest = page.getByRole('textbox', { name: 'guest' })
  await guest.fill('Grace Hopper '.repeat(30))
  await button(page, 'Go to checkout').click()
  const toReview = button(page, 'Continue to shipping and total')
  await page.getByLabel('Country').selectOption('DE')
  await page.getByLabel('Name of the recipient').fill('Ada')
  await page.getByLabel('Street and number').fill('Weg 1')
  await page.getByLabel('Postal code').fill('10115')
  await page.getByLabel('Town or city').fill('Berlin')
  await toReview.click()
  await page.getByText('Some items cannot be ordered as they are.').waitFor()
  await link(page, 'Back to cart').first().click()
  await page.getByText('This text does not fit. Shorten it.').waitFor()
  await guest.fill('Grace')
  await page.getByText('This text does not fit.').waitFor({ state: 'detached' })
  await button(page, 'Go to checkout').click()
  await toReview.click()
  await page.getByRole('heading', { name: 'Your order' }).waitFor()
})
