import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { makePng } from '../../../src/assets/factory.ts'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectAccessible, expectNoSidewaysScroll, watchedBrowser } from '../../lib/browser/watched-page.ts'
import { openConsole } from '../../lib/pages/console.ts'
import { textField } from '../../lib/pages/open-editor.ts'
import { addToCart, orderCart } from '../../lib/pages/ordering.ts'
import { button, heading, link, type Shop, startDesign, startShop } from '../../lib/pages/shop.ts'

const field = (page: Page, name: string | RegExp) => page.getByRole('textbox', { name, exact: true })

async function findProduct({ service }: Pick<Shop, 'service'>, token: string, name: string) {
  const { body } = await service.request('GET', '/products?limit=100', { token })
  const product = body.data.find((one: { name: string }) => one.name === name)
  assert.ok(product !== undefined, name)
  return product
}

/** Opens a page of the console in German. */
async function openGerman({ open, url }: Shop, { email, password }: { email: string; password: string }, path: string) {
  const page = await open(`${url}/console${path}`)
  await field(page, 'E-Mail-Adresse').fill(email)
  await page.getByLabel('Passwort', { exact: true }).fill(password)
  await button(page, 'Anmelden').click()
  return page
}

/** Writes a text into the open design with mouse and keyboard, and finalizes it. */
async function drawDesign(page: Page, words: string): Promise<void> {
  await button(page, 'Add a text').click()
  await textField(page).waitFor({ state: 'attached' })
  await page.keyboard.type(words)
  await page.keyboard.press('Escape')
  await button(page, 'Check: no problems, no hints').waitFor()
  await button(page, 'Finalize').click()
}

test('an administrator makes a product from nothing, which a customer designs and orders at its prices', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const browser = await watchedBrowser(t)
  const shop = await startShop(t)
  const { service } = shop
  const admin = await service.signUp({ role: 'admin' })
  // The browser writes what the service refuses to its console.
  shop.expectErrors(/status of 422/)
  const page = await openConsole(shop, admin, '/catalogue')
  await page.getByRole('row', { name: /Mug/ }).waitFor()
  await expectAccessible(page, 'the products')
  await link(page, 'New product').click()
  await heading(page, 'New product').waitFor()
  await page.getByText('Fields marked with * are required.').waitFor()
  for (const name of ['Name', 'Name of the area', 'Width', 'SKU', 'Weight', 'Price 1: each'])
    assert.equal(await field(page, name).getAttribute('required'), '', name)
  assert.equal(await field(page, 'Long description').getAttribute('required'), null)

  // All faults are at their fields at once, under the names of these, and the first one has the focus.
  await field(page, 'Name of the area').fill('')
  await page.getByRole('group', { name: 'Area without a name, drawn to scale' }).waitFor()
  await button(page, 'Create and publish').click()
  await page.getByText('The product is not complete yet.').waitFor()
  const faults = page.locator('.save-fault')
  assert.deepEqual(await faults.allTextContents(), ['Name', 'Name of the area', 'SKU', 'Weight', 'Price 1: each'])
  for (const name of await faults.allTextContents()) {
    await button(page, name).click()
    await field(page, name).and(page.locator('[aria-invalid="true"]:focus')).waitFor()
  }
  await page.getByText('Customers see the product at once.').waitFor()
  await expectAccessible(page, 'a product with faults')

  await field(page, 'Name').fill('Beer mat')
  assert.equal(await field(page, 'SKU').inputValue(), 'BEER-MAT', 'a proposal')
  await field(page, 'Long description').fill('A mat of **thick** board')
  await page.getByRole('radio', { name: 'Preview' }).click()
  await page.locator('.markdown-preview strong').getByText('thick').waitFor()
  await field(page, 'Categories').fill('Gifts, Cards')
  await field(page, 'Name of the area').fill('Front')
  await field(page, 'Width').fill('94')
  await field(page, 'Bleed').fill('2,5')
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'mat.png', mimeType: 'image/png', buffer: await makePng() })
  await field(page, 'Text of picture 1').fill('A beer mat')

  await button(page, 'Add an option').click()
  const names = [await field(page, 'Option 1').inputValue(), await field(page, 'Option 1: value 1').inputValue()]
  assert.deepEqual(names, ['', ''], 'examples are no values')
  await field(page, 'Option 1').fill('Board')
  // Each value has its variant at once. Enter adds the next value, and the SKUs follow until they are changed.
  await field(page, 'SKU of Value 1').waitFor()
  await field(page, 'Board: value 1').fill('thin')
  await field(page, 'Weight of thin').fill('4')
  await field(page, 'Board: value 1').press('Enter')
  await page.keyboard.type('thick')
  assert.equal(await field(page, 'SKU of thick').inputValue(), 'BEER-MAT-THICK')
  await field(page, 'SKU of thin').fill('MAT-thin')
  assert.equal(await field(page, 'SKU of thick').inputValue(), 'MAT-thick')
  assert.equal(await field(page, 'Weight of thick').inputValue(), '4')
  await button(page, 'Add a value').click()
  await page.keyboard.type('soft')
  // A combination without a variant is not sold, until it is ticked.
  await button(page, 'Remove soft').click()
  await page.getByRole('group', { name: 'Combinations that you do not sell' }).waitFor()
  await expectAccessible(page, 'a product without some variants')
  await page.locator('label', { has: page.getByRole('checkbox', { name: 'soft', exact: true }) }).click()
  await field(page, 'SKU of soft').and(page.locator(':focus')).waitFor()
  await button(page, 'Remove soft and its variants').click()
  assert.equal(await field(page, 'SKU of soft').count(), 0)

  // The price of each quantity appears while the tiers are typed, and a fault at the tier that has it.
  await field(page, 'Price 1: each').fill('0.80')
  await button(page, 'Add a bulk price').click()
  await field(page, 'Price 2: from').fill('1')
  await field(page, 'Price 2: each').fill('0.35')
  await page.getByText('Each price must begin at more pieces than the one before.').waitFor()
  await field(page, 'Price 2: from').fill('100')
  await page.getByText('100 pieces cost less in total than 50 pieces.', { exact: false }).waitFor()
  await field(page, 'Price 2: each').fill('0.45')
  await page.getByText('cost less in total', { exact: false }).waitFor({ state: 'detached' })
  const costs = page.getByRole('table', { name: 'What it costs' })
  await costs.getByRole('row', { name: '100 €0.45 €45.00' }).waitFor()
  await costs.getByRole('row', { name: '50 €0.80 €40.00' }).waitFor()
  await expectAccessible(page, 'a new product')
  await button(page, 'Create and publish').click()
  await heading(page, /Beer mat/).waitFor()
  const shown = await link(page, 'Show it in the shop').getAttribute('href')
  assert.match(shown ?? '', /^\/products\/prd_/)
  await page.locator('.picture-small').first().waitFor()
  await expectAccessible(page, 'a product')

  const hers = await browser.open(shop.url)
  const designId = await startDesign(hers, 'Beer mat')
  await drawDesign(hers, 'Ada')
  await hers.waitForURL(`${shop.url}/designs/${designId}/finished`)
  await addToCart(hers)
  await field(hers, 'Quantity').fill('100')
  await field(hers, 'Quantity').press('Enter')
  await hers.getByText('€0.45 each').waitFor()
  const orderId = await orderCart(hers, { email: 'ada@example.com' })
  const { body: order } = await service.request('GET', `/orders/${orderId}`, { token: admin.accessToken })
  const [item] = order.items
  assert.deepEqual([item.product.name, item.variant.sku, item.quantity], ['Beer mat', 'MAT-thin', 100])
  assert.equal(order.amounts.subtotal.amount, 4_500)
})

test('the area editor works by keyboard and pointer, and drawing and numbers follow each other', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t, { viewport: { width: 360, height: 740 } })
  const admin = await shop.service.signUp({ role: 'admin' })
  const product = await findProduct(shop, admin.accessToken, 'Business card')
  const page = await openConsole(shop, admin, `/catalogue/${product.id}`)
  const handle = (name: string) => page.getByRole('slider', { name, exact: true })
  await field(page, 'Width').fill('90')
  assert.equal(await handle('Width').getAttribute('aria-valuetext'), '90 mm')

  // Without a pointer: from the drawing, through its handles, to the button that saves.
  await handle('Width').focus()
  for (const key of ['Shift+ArrowRight', 'ArrowLeft', 'Alt+ArrowLeft']) await page.keyboard.press(key)
  assert.equal(await field(page, 'Width').inputValue(), '98.9')
  for (const key of ['Tab', 'ArrowUp', 'Tab', 'Home', 'ArrowUp', 'Tab', 'ArrowRight']) await page.keyboard.press(key)
  const [height, safeMargin] = [product.printAreas[0].heightMm + 1, product.printAreas[0].safeMarginMm + 1]
  assert.equal(await field(page, 'Height').inputValue(), String(height))
  assert.equal(await field(page, 'Bleed').inputValue(), '1')
  assert.equal(await field(page, 'Safe margin').inputValue(), String(safeMargin))
  await page.getByText(/Width 85 mm → 98.9 mm/).waitFor()
  await page.getByText('Finalized designs and orders stay as they are.', { exact: false }).first().waitFor()
  await page.getByLabel('Cut', { exact: true }).selectOption('ellipse')
  await expectAccessible(page, 'a changed area')
  await expectNoSidewaysScroll(page, 'a changed area')

  const grip = await handle('Height').locator('.area-grip').boundingBox()
  assert.ok(grip !== null)
  await page.mouse.move(grip.x + 7, grip.y + 7)
  await page.mouse.down()
  await page.mouse.move(grip.x + 7, grip.y + 27)
  await page.mouse.up()
  const dragged = Number(await field(page, 'Height').inputValue())
  assert.ok(Number.isInteger(dragged) && dragged > height, `${dragged}`)
  await button(page, 'Save').focus()
  await page.keyboard.press('Enter')
  await page.getByText('Saved. Finalized designs').waitFor()
  const { printAreas } = await findProduct(shop, admin.accessToken, 'Business card')
  const { widthMm, heightMm, bleedMm, safeMarginMm, shape } = printAreas[0]
  assert.deepEqual([widthMm, heightMm, bleedMm, safeMarginMm, shape], [98.9, dragged, 1, safeMargin, 'ellipse'])
})

test('two administrators do not overwrite each other, and the history states who changed what', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t, { locale: 'de-DE' })
  const { service } = shop
  const [admin, other] = [await service.signUp({ role: 'admin' }), await service.signUp({ role: 'admin' })]
  await service.request('PATCH', '/me', { token: other.accessToken, body: { name: 'Grace' } })
  const product = await findProduct(shop, admin.accessToken, 'Mug')
  shop.expectErrors(/status of 412/)
  const page = await openGerman(shop, admin, `/catalogue/${product.id}`)
  await field(page, 'Name').fill('Becher')
  const theirs = { name: 'Tasse', sort: 12 }
  const path = `/products/${product.id}`
  assert.equal((await service.request('PATCH', path, { token: other.accessToken, body: theirs })).status, 200)
  await button(page, 'Speichern').click()
  await page.getByText('Sie haben beide geändert: Name.').waitFor()
  await expectAccessible(page, 'a conflict')
  await button(page, 'Mit meinen Änderungen weiter').click()
  assert.equal(await field(page, 'Platz in der Liste').inputValue(), '12')
  await button(page, 'Speichern').click()
  await heading(page, /^Becher/).waitFor()
  const { body: saved } = await service.request('GET', path)
  assert.deepEqual([saved.name, saved.sort], ['Becher', 12])

  const entries = page.locator('.changes > li')
  await entries.nth(1).getByText('Grace').waitFor()
  await entries.nth(1).getByText('2 Änderungen').click()
  const values = await entries.nth(1).locator(':is(del, ins)').allTextContents()
  assert.deepEqual(values, ['Vorher: Mug', 'Jetzt: Tasse', `Vorher: ${product.sort}`, 'Jetzt: 12'])
  await expectAccessible(page, 'the history')

  await button(page, 'Archivieren').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Archivieren', exact: true }).click()
  await page.getByText('Archiviert', { exact: true }).first().waitFor()
  await link(page, 'Katalog').first().click()
  await link(page, 'Archiviert').click()
  await link(page, 'Becher').click()
  await button(page, 'Wiederherstellen').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Wiederherstellen', exact: true }).click()
  await button(page, 'Archivieren').waitFor()
  await link(page, 'Duplizieren').click()
  await heading(page, 'Neues Produkt').waitFor()
  await button(page, 'Anlegen und veröffentlichen').click()
  await heading(page, /^Becher \(Kopie\)/).waitFor()
  const copy = await findProduct(shop, admin.accessToken, 'Becher (Kopie)')
  assert.notEqual(copy.variants[0].id, saved.variants[0].id)
  assert.deepEqual(copy.variants[0].priceTiers, saved.variants[0].priceTiers)
})

test('operators have no access to the catalogue in the console', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const operator = await shop.service.signUp({ role: 'operator' })
  const page = await openConsole(shop, operator, '/catalogue')
  await heading(page, 'Your role has no access to this page').waitFor()
  assert.equal(await link(page, 'Catalogue').count(), 0)
})

test('prices change with a CSV file, whose faulty lines are named with their columns before anything changes', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t, { viewport: { width: 360, height: 740 } })
  const admin = await shop.service.signUp({ role: 'admin' })
  const page = await openConsole(shop, admin, '/catalogue')
  await button(page, 'Products as CSV').click()
  const dialog = page.getByRole('dialog', { name: 'Products as CSV' })
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download the variants' }).click(),
  ])
  const exported = await readFile(await download.path(), 'utf8')
  const choose = (csv: string) => {
    const file = { name: 'prices.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) }
    return dialog.locator('input[type=file]').setInputFiles(file)
  }
  const mug = await findProduct(shop, admin.accessToken, 'Mug')
  const line = exported.split('\r\n').find((one) => one.startsWith(mug.id)) ?? ''
  const price = line.split(',').find((field) => /^\d+\.\d\d$/.test(field)) ?? ''
  // The good line of the same file is not imported either.
  const alsoGood = exported.replace(/yes(?=.*\r\n)/, 'no')
  await choose(alsoGood.replace(line, line.replace(price, '9.99 €')))
  await dialog.getByText('Lines to import: 1. As before: ', { exact: false }).waitFor()
  await dialog.getByText('Faulty lines: 1.', { exact: false }).waitFor()
  await dialog
    .getByRole('list', { name: 'Faulty lines' })
    .getByText(/Price from 1: /)
    .waitFor()
  assert.equal(await dialog.getByRole('button', { name: 'Nothing to import' }).isDisabled(), true)
  await expectAccessible(page, 'a faulty file')

  await choose(exported.replace(line, line.replace(price, '123.45')))
  await dialog.getByRole('button', { name: 'Import one line' }).click()
  await dialog.getByText('Imported lines: 1.', { exact: false }).waitFor()
  await expectNoSidewaysScroll(page, 'an imported file')
  const [first] = (await findProduct(shop, admin.accessToken, 'Mug')).variants
  assert.equal(first.priceTiers[0].unitAmount, 12_345)

  const header = 'Product,Currency,Width,Height,Options,SKU,Weight,Price from 1'
  await choose(`${header}\r\nFlag,EUR,90,60,Colour,RED,80,9.5\r\n`)
  await dialog.getByText('Options: Options are written such as Paper: matt').waitFor()
  await choose(`${header}\r\nFlag,EUR,90,60,Colour: red,RED,80,9.5\r\n`)
  await dialog.getByText('One new product. Lines to import: 1.', { exact: false }).waitFor()
  await expectAccessible(page, 'a file with a new product')
  await dialog.getByRole('button', { name: 'Import one line' }).click()
  await dialog.getByText('One new product is archived.', { exact: false }).waitFor()
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await page.goto(`${shop.url}/console/catalogue?status=archived`)
  await link(page, 'Flag').waitFor()
})

/** Creates a product in two sizes, which cost the same. */
async function createPad(shop: Shop, token: string) {
  const variants = ['A5', 'A6'].map((size) => ({
    ...{ sku: size, options: { Size: size }, weightGrams: 5 },
    priceTiers: [{ minQuantity: 1, unitAmount: 100 }],
  }))
  const { printAreas } = await findProduct(shop, token, 'Mug')
  const body = { name: 'Pad', currency: 'EUR', printAreas, options: [{ name: 'Size', values: ['A5', 'A6'] }], variants }
  return (await shop.service.request('POST', '/products', { token, body })).body
}

// What is saved is on sale at once.
test('a value that is added to a product in the shop gets variants only at request', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { accessToken: token, ...admin } = await shop.service.signUp({ role: 'admin' })
  const pad = await createPad(shop, token)
  const page = await openConsole(shop, admin, `/catalogue/${pad.id}`)
  await button(page, 'Add a value').click()
  await page.keyboard.type('A7')
  assert.equal(await field(page, 'SKU of A7').count(), 0)
  await button(page, 'Save').click()
  await page.getByText('Create these variants, or deselect those that you do not sell.').first().waitFor()
  assert.deepEqual(await page.locator('.save-fault').allTextContents(), ['Combinations without a variant'])
  await button(page, 'Create the missing variant').click()
  assert.equal(await field(page, 'SKU of A7').inputValue(), 'A5-A7')
  await field(page, 'SKU of A7').fill('A7')
  await button(page, 'Save').click()
  await page.getByText('Saved.', { exact: false }).waitFor()
  const { variants } = await findProduct(shop, token, 'Pad')
  assert.deepEqual(
    variants.map(({ sku }: { sku: string }) => sku),
    ['A5', 'A6', 'A7'],
  )
})

// A change for all variants would overwrite the prices that another administrator has given to one of them.
test('prices that have become different while a product is edited stay different', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { service } = shop
  const { accessToken: token, ...admin } = await service.signUp({ role: 'admin' })
  const pad = await createPad(shop, token)
  shop.expectErrors(/status of 412/)
  const page = await openConsole(shop, admin, `/catalogue/${pad.id}`)
  await field(page, 'Name').fill('Writing pad')
  const [first, second] = pad.variants
  const dearer = [first, { ...second, priceTiers: [{ minQuantity: 1, unitAmount: 300 }] }]
  await service.request('PATCH', `/products/${pad.id}`, { token, body: { variants: dearer } })
  await button(page, 'Save').click()
  await button(page, 'Go on with my changes').click()
  await page.getByLabel('Prices of', { exact: true }).waitFor()
  await field(page, 'Price 1: each').fill('1.50')
  await button(page, 'Save').click()
  await heading(page, /Writing pad/).waitFor()
  const { body: saved } = await service.request('GET', `/products/${pad.id}`)
  assert.deepEqual(
    saved.variants.map(({ priceTiers }: { priceTiers: { unitAmount: number }[] }) => priceTiers[0]?.unitAmount),
    [150, 300],
  )
})
