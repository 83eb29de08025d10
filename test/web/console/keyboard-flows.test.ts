import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBrowser } from '../../lib/browser/browser.ts'
import { watchedBrowser } from '../../lib/browser/watched-page.ts'
import { openByKeys, signInByKeys } from '../../lib/pages/keys.ts'
import { placePaid } from '../../lib/pages/ordering.ts'
import { button, heading, link, startShop } from '../../lib/pages/shop.ts'
import { until } from '../../lib/until.ts'

test('an order is held, answered by its customer and released with the keyboard alone', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const browser = await watchedBrowser(t)
  const shop = await startShop(t)
  const { service, url } = shop
  const customer = await service.signUp()
  const [order] = await placePaid(shop, 1, customer)
  assert.ok(order !== undefined)
  const { page, press, type, tabTo, focus } = await openByKeys(shop, `/orders/${order.id}`)
  await heading(page, new RegExp(order.number)).waitFor()
  await press('a', 'h')
  const hold = page.getByRole('dialog', { name: 'Put on hold' })
  await focus(hold.getByLabel('Reason'))
  await type('Is blue right?')
  await tabTo(hold.getByRole('button', { name: 'Put on hold' }))
  await press('Enter')
  await page.locator('.hold').getByText('Is blue right?').waitFor()
  await hold.waitFor({ state: 'detached' })

  const open = browser.open
  const hers = await signInByKeys({ open, url }, `/sign-in?next=/orders/${order.id}`, customer)
  await hers.tabTo(hers.page.getByLabel('Message to the shop'))
  await hers.type('Yes, blue.')
  await hers.tabTo(button(hers.page, 'Send'))
  await hers.press('Enter')
  await hers.page.getByText(/^You replied on/).waitFor()

  await page.locator('.hold').getByText('Yes, blue.').waitFor()
  await press('a', 'r')
  const release = page.getByRole('dialog', { name: 'Release' })
  await tabTo(release.getByRole('button', { name: 'Release' }))
  await press('Enter')
  await page.locator('.hold').waitFor({ state: 'detached' })
})

test('a product is made from nothing, changed and archived with the keyboard alone', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { service } = shop
  const { page, press, type, tabTo } = await openByKeys(shop, '/catalogue', 'admin')
  await page.getByRole('row', { name: /Mug/ }).waitFor()
  await press('n')
  await heading(page, 'New product').waitFor()
  const fill = async (name: string, value: string): Promise<void> => {
    await tabTo(page.getByRole('textbox', { name, exact: true }))
    await press('Control+a')
    await type(value)
  }
  await fill('Name', 'Beer mat')
  await fill('Width', '94')
  await fill('SKU', 'MAT')
  await fill('Weight', '4')
  await fill('Price 1: each', '0.80')
  await press('Control+s')
  await heading(page, /Beer mat/).waitFor()
  await page.waitForURL(/\/catalogue\/prd_/)
  const [, id] = /(prd_\w+)/.exec(page.url()) ?? []
  const readPrice = async (): Promise<number> => {
    const { body: product } = await service.request('GET', `/products/${id}`)
    return product.variants[0].priceTiers[0].unitAmount
  }
  assert.equal(await readPrice(), 80)

  await fill('Price 1: each', '0.90')
  await press('Control+s')
  await until('the new price', async () => (await readPrice()) === 90)
  await press('Control+k')
  await page.getByRole('combobox', { name: /^Page, order/ }).waitFor()
  await type('archive')
  // The page of archived products comes first.
  await press('ArrowDown')
  await page.getByRole('option', { name: 'Archive', exact: true, selected: true }).waitFor()
  await press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Archive' })
  await tabTo(dialog.getByRole('button', { name: 'Archive' }))
  await press('Enter')
  await heading(page, /Archived/).waitFor()
})

test('the keys for saving take over a number that is still being typed', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { page, press, type, tabTo } = await openByKeys(shop, '/settings/shipping/standard', 'admin')
  await heading(page, 'Standard').waitFor()
  await tabTo(page.getByRole('textbox', { name: /^Longest delivery time/ }))
  await press('Control+a')
  await type('9')
  await press('Control+s')
  await page.waitForURL(/\/settings\/shipping$/)
  await page
    .getByRole('row', { name: /^Standard/ })
    .getByText(/ to 9 working days$/)
    .waitFor()
})

test('the secret of a webhook endpoint is rotated with the keyboard alone', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { page, press, type, tabTo, focus } = await openByKeys(shop, '/developers/webhooks')
  await heading(page, 'Webhooks').waitFor()
  const shown = page.getByRole('dialog', { name: 'Your signing secret' })
  const storeSecret = async (): Promise<string | null> => {
    const secret = await shown.locator('code').textContent()
    await tabTo(shown.getByRole('button', { name: 'I have stored it' }))
    await press('Enter')
    await shown.waitFor({ state: 'detached' })
    return secret
  }
  await press('n')
  await focus(page.getByRole('dialog', { name: 'Add an endpoint' }).getByLabel('URL'))
  await type('https://erp.example.com/platen')
  await press('Enter')
  const first = await storeSecret()
  await heading(page, /erp\.example\.com/).waitFor()
  await press('Control+k')
  await page.getByRole('combobox', { name: /^Page, order/ }).waitFor()
  await type('rotate')
  await page.getByRole('option', { name: 'Rotate the secret' }).waitFor()
  await press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Rotate the secret' })
  await tabTo(dialog.getByRole('button', { name: /The old secret ends$/ }))
  await press('ArrowDown', 'Home')
  await focus(page.getByRole('option', { name: 'At once' }))
  await press('Enter')
  await tabTo(dialog.getByRole('button', { name: 'Rotate the secret' }))
  await press('Enter')
  await shown.getByText('The old secret has ended.', { exact: false }).waitFor()
  const second = await storeSecret()
  assert.ok(first !== null && second !== null && first !== second)
})

test('a batch is made, produced and closed with the keyboard alone', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { service } = shop
  const orders = await placePaid(shop, 2)
  const { page, press, type, tabTo, focus } = await openByKeys(shop, '/orders')
  for (const { number } of orders) await link(page, number).waitFor()
  await press('j', 'x', 'j', 'x')
  await page.getByText('2 orders selected').waitFor()
  await press('b', 'a')
  const adding = page.getByRole('dialog', { name: 'Add to batch' })
  await tabTo(adding.getByLabel(/^Name of the batch/))
  await type('Monday')
  await press('Enter')
  await heading(page, 'Monday').waitFor()
  await page.waitForURL(/\/batches\//)
  await press('b', 'p')
  const start = page.getByRole('dialog', { name: 'Start production' })
  await tabTo(start.getByRole('button', { name: /^Start production/ }))
  await press('Enter')
  await start.getByText('2 orders changed', { exact: true }).waitFor()
  await focus(start.getByRole('button', { name: 'Close' }).last())
  await press('Enter')
  await start.waitFor({ state: 'detached' })
  const statuses = async () =>
    (await service.db.selectFrom('orders').select('status').execute()).map((one) => one.status)
  assert.deepEqual(await statuses(), ['in_production', 'in_production'])
  const saved = page.waitForEvent('download')
  await press('b', 'l')
  assert.equal((await saved).suggestedFilename(), 'pick-lists-1.pdf')
  await press('b', 'e')
  const close = page.getByRole('dialog', { name: 'Close batch' })
  await tabTo(close.getByRole('button', { name: 'Close batch' }))
  await press('Enter')
  await page
    .getByText(/^Closed/)
    .first()
    .waitFor()
})
