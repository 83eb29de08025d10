import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { makePng } from '../../../src/assets/factory.ts'
import { documentOf, textLayer } from '../../../src/designs/factory.ts'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectAccessible, expectNoSidewaysScroll } from '../../lib/browser/watched-page.ts'
import { openConsole } from '../../lib/pages/console.ts'
import { expirePrice, makeDesign } from '../../lib/pages/ordering.ts'
import { button, heading, link, type Shop, type ShopOptions, startShop } from '../../lib/pages/shop.ts'

/** Starts a shop with a customer without a sign-in, who has a finalized mug. */
async function startCounter(t: TestContext, options: ShopOptions = {}) {
  const shop = await startShop(t, options)
  const { service } = shop
  const operator = await service.signUp({ role: 'operator' })
  const { accessToken: token } = operator
  const body = { externalId: 'walk-in', name: 'Ada Lovelace' }
  const { body: customer } = await service.request('POST', '/customers', { token, body })
  const minted = await service.request('POST', `/customers/${customer.id}/tokens`, { token, body: {} })
  await makeDesign(shop, { token: minted.body.token, name: 'Mug' })
  return { shop, operator, customer }
}

/** Moves the focus with the keyboard alone until it is on a control with this name. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let steps = 0; steps < 80; steps += 1) {
    const focused = page.locator(':focus')
    if ((await focused.count()) === 1) {
      const named = await focused.evaluate((element) => {
        const { labels, textContent } = element as unknown as {
          labels?: Iterable<{ textContent: string }>
          textContent: string
        }
        return [...(labels ?? [])].map((label) => label.textContent).join(' ') || textContent
      })
      if (name.test(named.trim())) return
    }
    await page.keyboard.press('Tab')
  }
  assert.fail(`the keyboard does not reach ${name}`)
}

/** Fills in fields in their order, with the keyboard alone. */
async function type(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [label, value] of Object.entries(fields)) {
    await tabTo(page, new RegExp(`^${label}`))
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type(value)
  }
}

test('an operator orders for a customer at an agreed price with the keyboard, sees the total before, and records the payment', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { shop, operator, customer } = await startCounter(t)
  const { service, url } = shop
  const page = await openConsole(shop, operator, '/orders')
  await link(page, 'New order').waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('new order')
  await page.getByRole('option', { name: /^New order/ }).waitFor()
  await page.keyboard.press('Enter')
  await heading(page, 'New order').waitFor()
  await button(page, 'Ada Lovelace').waitFor()
  await expectAccessible(page, 'the choice of a customer')
  await tabTo(page, /^Ada Lovelace$/)
  await page.keyboard.press('Enter')
  await page.waitForURL(`${url}/console/orders/new?customer=${customer.id}`)
  await page.getByRole('group', { name: 'Mug' }).waitFor()
  assert.ok(await button(page, 'Calculate the total').isDisabled())

  await type(page, { Pieces: '3' })
  await page.keyboard.press('Tab')
  await page.getByText(/^Without it, the list price of €12\.90 applies\. .*divide the amount by 3 pieces/).waitFor()
  await type(page, { 'Agreed price of one piece': '13,40' })
  await page.getByText('A surcharge of €1.50 in all, on the list price of €12.90.').waitFor()
  await page.getByLabel('Agreed price of one piece').fill('')
  await type(page, { 'Agreed price of one piece': '5,00', Reason: 'Regular customer' })
  await page.getByText('A discount of €23.70 in all, on the list price of €12.90.').waitFor()
  await type(page, { 'Street and number': 'Chausseestraße 125', 'Postal code': '10115', 'Town or city': 'Berlin' })
  await tabTo(page, /^Country/)
  await page.keyboard.type('Germany')
  await expectAccessible(page, 'a new order')
  await tabTo(page, /^Calculate the total$/)
  await page.keyboard.press('Enter')
  const total = page.getByRole('region', { name: 'Total' })
  await total.getByText('€15.00', { exact: true }).waitFor()
  // 19 percent of the pieces and of 4.90 for shipping.
  await total.getByText('€23.68', { exact: true }).waitFor()
  await expectAccessible(page, 'the total of a new order')
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page, 'a new order')
  await page.setViewportSize({ width: 1280, height: 800 })
  // A total is for what was entered before it.
  await page.getByLabel('Town or city').fill('Potsdam')
  await total.waitFor({ state: 'detached' })
  await page.keyboard.press('Enter')
  await total.waitFor()
  await tabTo(page, /^Place the order$/)
  await page.keyboard.press('Enter')

  await page.waitForURL(/\/console\/orders\/ord_\w+$/)
  await page.getByText(/^Agreed instead of €.*: Regular customer$/).waitFor()
  await page.getByText('Price agreed').waitFor()
  await button(page, 'Record the payment').click()
  const dialog = page.getByRole('dialog', { name: 'Record the payment' })
  await dialog.getByRole('button', { name: 'Record €23.68' }).click()
  await dialog.waitFor({ state: 'detached' })
  await expectAccessible(page, 'an order with an agreed price')

  const id = page.url().split('/').at(-1)
  const { body: order } = await service.request('GET', `/orders/${id}`, { token: operator.accessToken })
  assert.deepEqual(
    [order.customerId, order.payment.status, order.items[0].unitPrice.amount, order.amounts.total.amount],
    [customer.id, 'captured', 500, 2368],
  )
  await expirePrice(service, order.items[0].designId)
  shop.expectErrors(/status of 409/)
  const copy = await orderAgain(page, order.number)
  const { body: second } = await service.request('GET', `/orders/${copy}`, { token: operator.accessToken })
  const contentOf = ({ customerId, shippingAddress, items, amounts }: typeof order) => [
    ...[customerId, shippingAddress, amounts.total],
    items.map(({ designId, quantity, agreedPrice }: (typeof items)[0]) => [designId, quantity, agreedPrice.reason]),
  ]
  assert.notEqual(second.id, order.id)
  assert.deepEqual(contentOf(second), contentOf(order))
})

/** Places the order of the present page again. Returns the id of the new one. */
async function orderAgain(page: Page, number: string): Promise<string> {
  await link(page, 'Order again').click()
  await page.getByText(`Filled in like the order ${number}.`).waitFor()
  const mug = page.getByRole('group', { name: 'Mug' })
  const fields = ['Pieces', 'Agreed price of one piece'].map((name) => mug.getByRole('textbox', { name }).inputValue())
  assert.deepEqual(await Promise.all(fields), ['3', '5.00'])
  await expectAccessible(page, 'an order that is placed again')
  await button(page, 'Calculate the total').click()
  await page.getByText('Prices of these designs had expired. The total has the present prices.').waitFor()
  const before = page.url()
  await button(page, 'Place the order').click()
  await page.waitForURL((url) => url.href !== before && /\/orders\/ord_\w+$/.test(url.pathname))
  return page.url().split('/').at(-1) ?? ''
}

/** Makes a template of a business card. Returns its name. */
async function makeTemplate({ service }: Shop, token: string): Promise<string> {
  const { body: products } = await service.request('GET', '/products?limit=100', { token })
  const product = products.data.find(({ name }: { name: string }) => name === 'Business card')
  const document = documentOf([textLayer('{{name}}')])
  const body = { productId: product.id, variantId: product.variants[0].id, document }
  const { body: draft } = await service.request('POST', '/designs', { token, body })
  const wanted = { designId: draft.id, name: 'Visitenkarte' }
  const template = await service.request('POST', '/templates', { token, body: wanted })
  assert.equal(template.status, 201)
  return wanted.name
}

/** Adds a business card with a picture, whose first file is too small, and one from a template. */
async function addProducts(page: Page, template: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Produkt hinzufügen' })
  const add = dialog.getByRole('button', { name: 'Produkt hinzufügen' })
  const begin = async () => {
    await button(page, 'Produkt hinzufügen').click()
    await dialog.getByLabel('Produkt', { exact: true }).selectOption('Business card')
    await dialog.getByLabel('Variante').selectOption('Matte')
    assert.ok(await add.isDisabled(), 'there is no design yet')
  }
  await begin()
  const choose = (name: string, buffer: Buffer) =>
    dialog
      .getByLabel('Bild für Front')
      .and(page.locator('input'))
      .setInputFiles({ name, mimeType: 'image/png', buffer })
  await choose('small.png', await makePng())
  await add.click()
  await dialog.getByText(/^Ein Bild hat zu wenige Pixel/).waitFor()
  await expectAccessible(page, 'a picture that is too small')
  const background = '#336699'
  await choose(
    'large.png',
    await sharp({ create: { width: 1_200, height: 800, channels: 3, background } })
      .png()
      .toBuffer(),
  )
  await add.click()
  await dialog.waitFor({ state: 'detached' })
  await begin()
  await dialog.getByLabel('Grundlage').selectOption(`Vorlage „${template}“`)
  await dialog.getByRole('img', { name: template }).waitFor()
  await expectAccessible(page, 'a product from a template')
  await add.click()
  await dialog.waitFor({ state: 'detached' })
}

/** Orders the products that were added. The drafts that could not be printed are not offered. */
async function orderProducts(page: Page): Promise<void> {
  const card = page.getByRole('group', { name: 'Visitenkarte' })
  await card.getByText('Business card · Matte').waitFor()
  assert.equal(await page.locator('.new-line').count(), 2)
  await card.getByRole('textbox', { name: 'Stück', exact: true }).fill('100')
  await card.getByLabel('name').fill('Ada')
  await page.getByLabel('Name des Empfängers').fill('Ada Lovelace')
  await page.getByLabel('Straße und Hausnummer').fill('Chausseestraße 125')
  await page.getByLabel('Postleitzahl').fill('10115')
  await page.getByLabel('Ort', { exact: true }).fill('Berlin')
  await page.getByLabel('Land', { exact: true }).selectOption('DE')
  await button(page, 'Summe berechnen').click()
  await button(page, 'Bestellung aufgeben').click()
  await page.waitForURL(/\/console\/orders\/ord_\w+$/)
}

test('an operator orders for a new customer from a picture and a template, and a person of another role may not order', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { shop, operator, customer } = await startCounter(t, { locale: 'de-DE' })
  const { service, url } = shop
  const page = await shop.open(`${url}/console/orders/new`)
  await page.getByLabel('E-Mail-Adresse').fill(operator.email)
  await page.getByLabel('Passwort', { exact: true }).fill(operator.password)
  await button(page, 'Anmelden').click()
  await button(page, 'Kunden anlegen').click()
  const dialog = page.getByRole('dialog', { name: 'Kunden anlegen' })
  await dialog.getByLabel('Kennung in Ihrem System').fill('walk-in')
  await expectAccessible(page, 'the dialog of a customer in German')
  shop.expectErrors(/status of 409/)
  await dialog.getByRole('button', { name: 'Kunden anlegen' }).click()
  await dialog.getByText('Einen Kunden mit dieser Kennung gibt es schon.').waitFor()
  await dialog.getByLabel('Kennung in Ihrem System').fill('walk-in 2')
  await dialog.getByRole('button', { name: 'Kunden anlegen' }).click()
  await page.getByText(/^Dieser Kunde hat keine fertigen Designs/).waitFor()
  const admin = await service.signUp({ role: 'admin' })
  shop.expectErrors(/status of 422/)
  await addProducts(page, await makeTemplate(shop, admin.accessToken))
  await orderProducts(page)
  const { body: order } = await service.request('GET', `/orders/${page.url().split('/').at(-1)}`, {
    token: operator.accessToken,
  })
  assert.deepEqual(
    order.items.map(({ quantity, data, design }: (typeof order.items)[0]) => [quantity, data, design.name]),
    [
      [100, { name: 'Ada' }, 'Visitenkarte'],
      [1, undefined, 'Business card'],
    ],
  )
  const headers = { 'platen-customer': order.customerId }
  const drafts = await service.request('GET', '/designs?status=draft', { token: operator.accessToken, headers })
  assert.deepEqual(drafts.body.data, [], 'the picture that was too small leaves no draft')
  await page.goto(`${url}/console/customers/${customer.id}`)
  await link(page, 'Neue Bestellung').click()
  await page.getByRole('group', { name: 'Mug' }).waitFor()
  await expectAccessible(page, 'a new order in German')

  const body = { staffRole: 'accounting' }
  await service.request('PATCH', `/users/${operator.userId}`, { token: admin.accessToken, body })
  await page.goto(`${url}/console/orders`)
  await heading(page, 'Bestellungen').waitFor()
  assert.equal(await link(page, 'Neue Bestellung').count(), 0)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('bestellung')
  await page.getByRole('option', { name: /^Bestellungen/ }).waitFor()
  assert.equal(await page.getByRole('option', { name: /^Neue Bestellung/ }).count(), 0)
  await page.goto(`${url}/console/orders/new`)
  await heading(page, 'Ihre Rolle hat keinen Zugang zu dieser Seite').waitFor()
})
