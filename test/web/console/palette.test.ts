import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { documentOf, textLayer } from '../../../src/designs/factory.ts'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectAccessible, watchedBrowser } from '../../lib/browser/watched-page.ts'
import { openConsole } from '../../lib/pages/console.ts'
import { listedKeys } from '../../lib/pages/keys.ts'
import { operate, placePaid } from '../../lib/pages/ordering.ts'
import { button, heading, link, type Shop, startShop } from '../../lib/pages/shop.ts'

/** Creates a named record of each kind that only the palette compares with the typed words. */
async function nameRecords({ service }: Shop, token: string, orderId: string) {
  const send = async (path: string, body: object) => (await service.request('POST', path, { token, body })).body
  const { body: products } = await service.request('GET', '/products?limit=100', { token })
  const product = products.data.find(({ name }: { name: string }) => name === 'Business card')
  const document = documentOf([textLayer('Ada')])
  const draft = await send('/designs', { productId: product.id, variantId: product.variants[0].id, document })
  const template = await send('/templates', { designId: draft.id, name: 'Quokka card', categories: ['Animals'] })
  const batch = await send('/production/batches', { name: 'Quokka batch', orderIds: [orderId] })
  const endpoint = await send('/webhook-endpoints', {
    url: 'https://erp.example.com/platen',
    description: 'Quokka books',
  })
  return { template, batch, endpoint }
}

/** Opens the palette, types, and chooses the option of this name, which must lead to a page with this URL. */
async function go(page: Page, typed: string, name: RegExp, url: RegExp): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: /^Page, order/ }).fill(typed)
  await page.getByRole('option', { name }).click()
  await page.waitForURL(url)
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

test('the palette finds people, batches, templates, endpoints, shipping methods and pages, as far as allowed', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const browser = await watchedBrowser(t)
  const shop = await startShop(t)
  const { service } = shop
  const admin = await service.signUp({ role: 'admin' })
  const packer = await service.signUp({ role: 'operator' })
  await service.request('PATCH', `/users/${packer.userId}`, {
    token: admin.accessToken,
    body: { staffRole: 'packing' },
  })
  const [order] = await placePaid(shop, 1)
  assert.ok(order !== undefined)
  const { template, batch, endpoint } = await nameRecords(shop, admin.accessToken, order.id)

  const page = await openConsole(shop, admin, '/today')
  await heading(page, 'Today').waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('quokka')
  for (const name of [/^Quokka batch/, /^Quokka card/, /Quokka books/])
    await page.getByRole('option', { name }).waitFor()
  await expectAccessible(page, 'the palette with records of several kinds')
  await page.keyboard.press('Escape')
  await go(page, 'quokka', /^Quokka batch/, new RegExp(`/batches/${batch.id}$`))
  await go(page, 'quokka', /Quokka books/, new RegExp(`/developers/webhooks/${endpoint.id}$`))
  await go(page, 'erp.example', /^https/, new RegExp(`/developers/webhooks/${endpoint.id}$`))
  await go(page, 'quokka', /^Quokka card/, new RegExp(`/catalogue/templates\\?template=${template.id}$`))
  await page.locator('tr.current').getByRole('rowheader', { name: 'Quokka card' }).waitFor()
  await go(page, packer.email, new RegExp(`^${packer.email}`), new RegExp(`/people/${packer.userId}$`))
  await go(page, 'standard', /^Standard/, /\/settings\/shipping\/standard$/)
  await go(page, 'parcel shipped', /^Parcel shipped/, /\/settings\/mails\/order_shipped$/)
  await go(page, 'new shipping', /^New shipping method/, /\/settings\/shipping\/new$/)

  const hers = await openConsole({ open: browser.open, url: shop.url }, packer, '/orders')
  await heading(hers, 'Orders').waitFor()
  await hers.keyboard.press('Control+k')
  await hers.getByRole('combobox').fill('quokka')
  await hers.getByRole('option', { name: /^Quokka batch/ }).waitFor()
  assert.equal(await hers.getByRole('option').count(), 1)
  await hers.getByRole('combobox').fill(packer.email)
  await hers.getByText('Nothing found').waitFor()
})

// Keys that are pressed while the palette opens would be lost, or run actions of the page, such as a test event.
test('what is typed right after a press on Find reaches its field, and the way back leads to the plain list', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { service } = shop
  const admin = await service.signUp({ role: 'admin' })
  const orders = await placePaid(shop, 2)
  const [order] = orders
  assert.ok(order !== undefined)
  const { endpoint } = await nameRecords(shop, admin.accessToken, order.id)
  const path = `/developers/webhooks/${endpoint.id}`
  const page = await openConsole(shop, admin, path)
  await button(page, 'Send a test event').waitFor()
  let release = (): void => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(/palette/, async (route) => {
    await held
    await route.continue()
  })
  const field = page.getByRole('combobox', { name: /^Page, order/ })
  await button(page, /^Find/).click()
  await page.keyboard.type('test event')
  await page.keyboard.press('Backspace')
  assert.equal(await field.count(), 0)
  release()
  await page.keyboard.type('!')
  await field.waitFor()
  await page.keyboard.type('?')
  assert.equal(await field.inputValue(), 'test even!?')
  assert.equal(await page.getByRole('dialog').count(), 1)
  await page.keyboard.press('Escape')
  await field.waitFor({ state: 'detached' })
  const { body: deliveries } = await service.request('GET', `/webhook-endpoints/${endpoint.id}/deliveries`, {
    token: admin.accessToken,
  })
  assert.deepEqual(deliveries.data, [])

  await link(page, 'Orders').click()
  await link(page, /^Shipped/).click()
  await page.waitForURL(/\?status=shipped$/)
  await button(page, /^Find/).click()
  // Enter waits for the result, and does not open that of the words before.
  await page.keyboard.type('ada')
  const first = page.getByRole('option', { name: /^PL-/ }).first()
  const shown = (await first.textContent())?.slice(0, order.number.length)
  const wanted = orders.find(({ number }) => number !== shown)?.number ?? assert.fail()
  await page.keyboard.press('Control+a')
  await page.keyboard.type(wanted.toLowerCase())
  await page.keyboard.press('Enter')
  await heading(page, new RegExp(`^${wanted} ?, `)).waitFor()
  const back = page.getByRole('navigation', { name: 'Path' }).getByRole('link')
  assert.equal(await back.getAttribute('href'), '/console/orders')

  // A scanner presses Enter without a pause.
  await button(page, /^Find/).click()
  await page.keyboard.type(shown ?? '')
  await page.keyboard.press('Enter')
  await heading(page, new RegExp(`^${shown} ?, `)).waitFor()
})

/** Pages with actions, with keys that the list names and actions that the palette has. */
const ACTIONS: readonly [path: string, keys: readonly string[], actions: readonly string[]][] = [
  ['/people', ['i'], []],
  ['/catalogue', ['n', '/'], []],
  ['/catalogue/PRODUCT', ['Ctrl S'], ['Archive', 'Duplicate', 'Save']],
  ['/batches/BATCH', ['b p', 'b l', 'b z', 'b f', 'b e', 'i'], ['Start production of one order', 'Close batch']],
  ['/customers/CUSTOMER', ['e'], ['Edit', 'Delete']],
  ['/people/PERSON', [], ['Change the role', 'Disable the account', 'End all sessions', 'Change the quota']],
  ['/orders/ORDER', ['a e'], ['Correct the address']],
  ['/production/ORDER', ['a o', 'a e'], ['Correct the address']],
  ['/developers/webhooks/ENDPOINT', ['t', 'e'], ['Rotate the secret', 'Replay events', 'Disable', 'Delete']],
  ['/settings/shop', ['Ctrl S'], ['Save']],
  ['/settings/taxes', ['Ctrl S'], ['Save']],
  ['/settings/registration', ['Ctrl S'], ['Save']],
  ['/settings/shipping', ['n'], []],
  ['/settings/shipping/standard', ['Ctrl S'], ['Delete the method']],
  ['/settings/mails/order_shipped', ['Ctrl S', 't'], ['Send me a test']],
  ['/settings/signing-keys', [], ['Rotate: Access tokens', 'Rotate: Receipts']],
  ['/system/audit', [], ['Verify now']],
]

test('the palette and the list of keys have the actions of each page', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { service } = shop
  const admin = await service.signUp({ role: 'admin' })
  const [placed] = await placePaid(shop, 1)
  assert.ok(placed !== undefined)
  const { batch, endpoint } = await nameRecords(shop, admin.accessToken, placed.id)
  const { body: order } = await service.request('GET', `/orders/${placed.id}`, { token: admin.accessToken })
  const { body: customer } = await service.request('GET', `/customers/${order.customerId}`, {
    token: admin.accessToken,
  })
  const ids: Readonly<Record<string, string>> = {
    PRODUCT: order.items[0].product.id,
    BATCH: batch.id,
    CUSTOMER: customer.id,
    PERSON: customer.userId,
    ORDER: order.id,
    ENDPOINT: endpoint.id,
  }
  const page = await openConsole(shop, admin, '/today')
  await heading(page, 'Today').waitFor()
  const palette = page.getByRole('dialog', { name: 'Find' })
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  for (const [path, keys, actions] of ACTIONS) {
    await page.goto(`${shop.url}/console${path.replace(/[A-Z]+$/, (name) => ids[name] ?? name)}`)
    await heading(page).first().waitFor()
    await page.getByText('Loading…').first().waitFor({ state: 'detached' })
    // At the workplace, the field for scanned numbers has the focus, which returns there after a dialog.
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await palette.getByRole('option').first().waitFor()
    for (const name of actions)
      await palette
        .getByRole('option', { name: new RegExp(`^${name}`) })
        .first()
        .waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('?')
    await list.waitFor()
    const listed = await listedKeys(page)
    for (const one of keys) assert.ok(listed.includes(one), `${path}: ${one} in ${listed.join(', ')}`)
    assert.deepEqual(listed, [...new Set(listed)], path)
    await page.keyboard.press('Escape')
    await list.waitFor({ state: 'detached' })
  }
})

test('the palette runs actions on one of several rows, and corrects the tracking of a parcel', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { service } = shop
  const admin = await service.signUp({ role: 'admin' })
  for (const email of ['ada@example.com', 'grace@example.com'])
    await service.request('POST', '/invitations', { token: admin.accessToken, body: { email, role: 'operator' } })
  const page = await openConsole(shop, admin, '/people/invitations')
  await page.getByRole('row', { name: /grace@example.com/ }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('option', { name: 'Invite a person' }).waitFor()
  // Without words, the list has no actions on rows.
  assert.equal(await page.getByRole('option', { name: /grace@example.com/ }).count(), 0)
  await page.getByRole('combobox').fill('withdraw')
  await page.getByRole('option', { name: 'Withdraw the invitation grace@example.com' }).click()
  const dialog = page.getByRole('dialog', { name: 'Withdraw the invitation' })
  await dialog.getByRole('button', { name: 'Withdraw the invitation' }).click()
  await page
    .getByRole('row', { name: /grace@example.com/ })
    .getByText('Withdrawn')
    .waitFor()

  const [order] = await placePaid(shop, 1)
  assert.ok(order !== undefined)
  const run = await operate(shop)
  await run(order.id, 'start-production')
  await run(order.id, 'shipments', { carrier: 'DHL' })
  await page.goto(`${shop.url}/console/orders/${order.id}`)
  await button(page, 'Add the tracking').waitFor()
  await page.keyboard.press('a')
  await page.keyboard.press('k')
  await page.getByRole('dialog').getByLabel('Tracking number').fill('JJD7')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await button(page, 'Correct the tracking').waitFor()
})
