import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectAccessible, expectNoSidewaysScroll } from '../../lib/browser/watched-page.ts'
import { openConsole } from '../../lib/pages/console.ts'
import { button, heading, link, startShop } from '../../lib/pages/shop.ts'

test('an administrator adds a shipping method, sees what it costs, and deletes it', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  // The browser writes the refused method to its console.
  shop.expectErrors(/status of 422/)
  const { service } = shop
  const page = await openConsole(shop, await service.signUp({ role: 'admin' }), '/settings/shipping')
  const offers = page.getByRole('list', { name: 'Prices of the parcel' })
  await offers.getByText('Standard').waitFor()
  await expectAccessible(page, 'the shipping methods')

  await link(page, 'New shipping method').click()
  await heading(page, 'New shipping method').waitFor()
  await page.getByText('Fields marked with * are required.').waitFor()
  assert.equal(await page.getByLabel('Price in EUR').getAttribute('required'), '')
  assert.equal(await page.getByLabel('Up to').getAttribute('required'), null)
  await page.getByLabel('Name', { exact: true }).fill('Cargo bike')
  const prices = page.getByRole('list', { name: 'Prices by weight' })
  await prices.getByLabel('Up to').fill('2000')
  await prices.getByLabel('Price in EUR').fill('3,50')
  await button(page, 'Add a weight').click()
  await prices.getByLabel('Up to').nth(1).fill('1000')
  await prices.getByLabel('Price in EUR').nth(1).fill('5')
  await page.keyboard.press('Tab')
  await button(page, 'Save').click()
  await page.getByText('Zone 1: Each weight must be more than the one before').waitFor()
  await expectAccessible(page, 'a shipping method with a fault')
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page, 'a shipping method')
  await page.setViewportSize({ width: 1280, height: 800 })
  await prices.getByLabel('Up to').nth(1).fill('5000')
  await page.keyboard.press('Tab')
  await button(page, 'Save').click()
  await link(page, 'Cargo bike').waitFor()
  await offers.getByText('Cargo bike').waitFor()
  await page.getByRole('textbox', { name: 'Weight of the parcel' }).fill('3000')
  await page.keyboard.press('Tab')
  await offers.getByText('€5.00').waitFor()

  await link(page, 'Cargo bike').click()
  await button(page, 'Delete the method').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('“Cargo bike” is deleted.').waitFor()
  const { body } = await service.request('GET', '/shipping-methods?country=DE&weightGrams=3000')
  assert.ok(!body.data.some(({ name }: { name: string }) => name === 'Cargo bike'))
})

test('an administrator changes the taxes', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { service } = shop
  const admin = await service.signUp({ role: 'admin' })
  const page = await openConsole(shop, admin, '/settings/taxes')
  const rates = page.getByRole('list', { name: 'Tax rates' })
  await rates.getByRole('listitem').first().waitFor()
  const read = async () => (await service.request('GET', '/tax-settings', { token: admin.accessToken })).body
  const before = await read()
  await expectAccessible(page, 'the taxes')
  // A link asks before it leaves the changed form, and staying keeps the changes.
  const included = page.getByRole('checkbox', { name: 'Prices contain the tax' })
  const wasIncluded = await included.isChecked()
  await page.locator('label', { has: included }).click()
  await link(page, 'Shipping methods').click()
  const asking = page.getByRole('alertdialog', { name: 'Leave without saving?' })
  await expectAccessible(page, 'the question before leaving')
  await asking.getByText('Stay', { exact: true }).click()
  await asking.waitFor({ state: 'detached' })
  assert.deepEqual(
    [await included.isChecked(), new URL(page.url()).pathname],
    [!wasIncluded, '/console/settings/taxes'],
  )
  await link(page, 'Shipping methods').click()
  await asking.getByRole('button', { name: 'Leave without saving' }).click()
  await heading(page, 'Shipping methods').waitFor()
  await link(page, 'Taxes').click()
  await included.waitFor()
  assert.equal(await included.isChecked(), wasIncluded)
  await button(page, 'Add a tax rate').click()
  const added = rates.getByRole('listitem').last()
  await page.getByText('Fields marked with * are required.').waitFor()
  assert.equal(await added.getByLabel('Country').getAttribute('required'), '')
  assert.ok(await button(page, 'Save').isDisabled())
  await added.getByLabel('Country').selectOption('AT')
  await added.getByRole('textbox', { name: 'Tax rate' }).fill('20.5')
  await page.getByText('Prices contain the tax').click()
  await button(page, 'Save').click()
  await page.getByText('Saved. It applies to new quotes and orders.').waitFor()
  const after = await read()
  assert.equal(after.taxIncluded, !before.taxIncluded)
  assert.deepEqual(after.rates, [...before.rates, { country: 'AT', basisPoints: 2050 }])
})

test('an administrator gives the shop a name, a logo, a colour and a language', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { service, url } = shop
  const admin = await service.signUp({ role: 'admin' })
  const page = await openConsole(shop, admin, '/settings')
  const preview = page.getByRole('region', { name: 'Preview' })
  await preview.waitFor()
  await expectAccessible(page, 'the settings of the shop')
  assert.ok(await button(page, 'Save').isDisabled())

  await page.getByLabel('Name', { exact: true }).fill('Ada’s Cards')
  await preview.getByText('Ada’s Cards').first().waitFor()
  await page.getByLabel('Email address for questions').fill('hello@ada.example')
  await page.getByLabel('Colour of the shop').fill('#ffe6')
  await page.getByText('A colour looks like #2444c8.').waitFor()
  assert.ok(await button(page, 'Save').isDisabled())
  await page.getByLabel('Colour of the shop').fill('#ffe600')
  await preview
    .getByText(/^To be readable, links are #\w{6} and buttons #\w{6}\.$/)
    .first()
    .waitFor()
  const background = { r: 200, g: 50, b: 43, alpha: 0.5 }
  const buffer = await sharp({ create: { width: 480, height: 120, channels: 4, background } })
    .png()
    .toBuffer()
  const file = { name: 'logo.png', mimeType: 'image/png', buffer }
  await page.getByLabel('Choose a logo').setInputFiles(file)
  await preview.getByRole('img', { name: 'The new logo' }).first().waitFor()
  await page.getByRole('checkbox', { name: 'English' }).setChecked(false, { force: true })
  await expectAccessible(page, 'edited settings of the shop')
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page, 'the settings of the shop')
  await page.setViewportSize({ width: 1280, height: 800 })
  await button(page, 'Save').click()
  await page.getByText('Saved. Pages and mails show it from now on.').waitFor()
  await preview.getByRole('img', { name: 'Ada’s Cards' }).first().waitFor()

  // The shop has one language, so it offers no choice.
  const customer = await shop.open(url)
  await link(customer, 'Fragen? Schreiben Sie uns').waitFor()
  await customer.locator('header').getByRole('img', { name: 'Ada’s Cards' }).waitFor()
  assert.equal(await customer.getByLabel('Sprache').count(), 0)
  await expectAccessible(customer, 'the shop with its own look')
})

test('a change of another administrator is shown, and what was edited stays', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  // The browser writes the refused change to its console.
  shop.expectErrors(/status of 412/)
  const { service } = shop
  const admin = await service.signUp({ role: 'admin' })
  const page = await openConsole(shop, admin)
  await link(page, 'Settings').waitFor()
  await page.goto(`${shop.url}/console/settings/shop?lang=de`)
  await page.getByLabel('Name', { exact: true }).fill('Meiner')
  const other = { token: admin.accessToken, body: { supportEmail: 'other@ada.example' } }
  assert.equal((await service.request('PATCH', '/shop-settings', other)).status, 200)
  await button(page, 'Speichern').click()
  await page.getByText('Die Einstellungen wurden inzwischen geändert.').waitFor()
  await page.getByLabel('E-Mail-Adresse für Fragen').and(page.locator('[value="other@ada.example"]')).waitFor()
  await expectAccessible(page, 'a change of another administrator')
  await button(page, 'Speichern').click()
  await page.getByText('Gespeichert. Seiten und E-Mails zeigen es ab jetzt.').waitFor()
  const { name, supportEmail } = (await service.request('GET', '/shop-settings')).body
  assert.deepEqual([name, supportEmail], ['Meiner', 'other@ada.example'])
})

test('an administrator closes the registration, and the shop offers none', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { service, url } = shop
  const page = await openConsole(shop, await service.signUp({ role: 'admin' }), '/settings/registration')
  await page.getByRole('radio', { name: 'Invited staff only' }).check()
  await expectAccessible(page, 'the registration')
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page, 'the registration')
  await button(page, 'Save').click()
  await page.getByText('Saved. It applies at once.').waitFor()
  assert.equal((await service.request('GET', '/shop-settings')).body.registration, 'closed')
  const { text } = await service.request('GET', `${url}/register`)
  assert.match(text, /isRegistrationOpen&quot;:false/)
})

test('an administrator rotates signing keys, and sees what the environment sets', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t, { env: { PLATEN_SHOP_URL: 'https://shop.example.com' } })
  // The browser writes the refused rotation to its console.
  shop.expectErrors(/status of 409/)
  const page = await openConsole(shop, await shop.service.signUp({ role: 'admin' }), '/settings/signing-keys')
  const keys = page.getByRole('table', { name: 'Signing keys' })
  await keys.getByText('Signs').first().waitFor()
  await expectAccessible(page, 'the signing keys')
  await button(page, 'Rotate: Receipts').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Rotate now' }).click()
  await dialog.getByText('The next key was published only minutes ago').waitFor()
  await expectAccessible(page, 'an early rotation')
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page, 'the signing keys')

  await page.route('**/v1/system/configuration', async (route) => {
    const response = await route.fetch()
    const body = await response.json()
    const warnings = [...body.warnings, 'payment_disputes_unavailable']
    await route.fulfill({ response, json: { ...body, warnings } })
  })
  await link(page, 'Payments and domains').click()
  await page.getByText('Pages of the shop may not call the API.').waitFor()
  await page.getByText(/^Disputes are not available/).waitFor()
  await page.getByText('PLATEN_CORS_ORIGINS', { exact: true }).waitFor()
  await expectAccessible(page, 'payments and domains')
  await expectNoSidewaysScroll(page, 'payments and domains')
})

test('an operator does not see the settings', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const page = await openConsole(shop, await shop.service.signUp({ role: 'operator' }), '/settings')
  await page.getByText('Your role has no access to this page').waitFor()
  assert.equal(await link(page, 'Settings').count(), 0)
})
