import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { PDFArray, PDFDict, PDFDocument, PDFHexString, PDFName } from '@cantoo/pdf-lib'
import type { Page } from 'playwright-core'
import { ADDRESS } from '../../../src/orders/factory.ts'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectAccessible, expectNoSidewaysScroll } from '../../lib/browser/watched-page.ts'
import { chooseMore, openConsole } from '../../lib/pages/console.ts'
import { copyOrder, makeDesign, operate } from '../../lib/pages/ordering.ts'
import { button, heading, link, type Shop, startShop } from '../../lib/pages/shop.ts'

/** Places a paid order of one mug. */
async function placeOrder(shop: Shop): Promise<{ id: string; number: string }> {
  const { service } = shop
  const { accessToken: token } = await service.signUp()
  const designId = await makeDesign(shop, { token, name: 'Mug' })
  const body = { items: [{ designId, quantity: 1 }], shippingAddress: ADDRESS }
  const { body: order } = await service.request('POST', '/orders', { token, body })
  await (await operate(shop))(order.id, 'payments', { method: 'manual' })
  return order
}

/** Presses a button that has the browser save a file. Returns the bytes. */
async function saved(page: Page, press: () => Promise<void>): Promise<{ name: string; bytes: Buffer }> {
  const waiting = page.waitForEvent('download')
  await press()
  const download = await waiting
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) }
}

/** The titles of the outline of a PDF, with the index of the page to which each leads. */
function outlineOf(pdf: PDFDocument): [title: string, page: number][] {
  const pages = pdf.getPages().map(({ ref }) => ref)
  const entries: [string, number][] = []
  const outline = pdf.catalog.lookup(PDFName.of('Outlines'), PDFDict)
  for (let item = outline.lookupMaybe(PDFName.of('First'), PDFDict); item !== undefined; ) {
    const target = item.lookup(PDFName.of('Dest'), PDFArray).get(0)
    entries.push([
      item.lookup(PDFName.of('Title'), PDFHexString).decodeText(),
      pages.findIndex((page) => page === target),
    ])
    item = item.lookupMaybe(PDFName.of('Next'), PDFDict)
  }
  return entries
}

test('an operator downloads a batch of 50 orders as one PDF, which has their pages in their order', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { service } = shop
  const [first, second] = [await placeOrder(shop), await placeOrder(shop)]
  const copies = await copyOrder(shop, second.id, 48)
  const ids = [first.id, ...copies.toReversed(), second.id]
  const { accessToken: token, ...operator } = await service.signUp({ role: 'operator' })
  const body = { name: 'Monday', orderIds: ids }
  const { body: batch } = await service.request('POST', '/production/batches', { token, body })
  assert.equal(batch.orderCount, 50)

  const page = await openConsole(shop, operator, `/batches/${batch.id}`)
  await heading(page, 'Monday').waitFor()
  await button(page, 'Download').click()
  await page.getByRole('menuitem', { name: 'Download print files (one PDF)' }).click()
  const dialog = page.getByRole('dialog', { name: 'Download print files (one PDF)' })
  const { name, bytes } = await saved(page, () => dialog.getByRole('button', { name: 'Download', exact: true }).click())
  await dialog.getByText('The print files were downloaded.').waitFor()
  assert.equal(name, 'print-files.pdf')
  const pdf = await PDFDocument.load(bytes, { updateMetadata: false })
  const numbers = batch.orders.map(({ orderNumber }: { orderNumber: string }) => orderNumber)
  assert.equal(numbers[0], first.number)
  assert.deepEqual(
    outlineOf(pdf).map(([title, index]) => [title.split(' · ')[0], index]),
    numbers.map((number: string, index: number) => [`${number}-1`, index]),
  )
  assert.equal(pdf.getPageCount(), 50)
  await expectAccessible(page, 'a finished download')
})

test('an operator makes a batch of selected orders, and starts their production', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t, { viewport: { width: 1280, height: 800 } })
  const orders = [await placeOrder(shop), await placeOrder(shop)]
  const { accessToken: token, ...operator } = await shop.service.signUp({ role: 'operator' })
  const page = await openConsole(shop, operator, '/orders?status=confirmed')
  await link(page, orders[0]?.number ?? '').waitFor()
  await page.getByRole('checkbox', { name: 'Select all orders of this page' }).focus()
  await page.keyboard.press('Space')
  await chooseMore(page, 'Add to batch')
  const dialog = page.getByRole('dialog', { name: 'Add to batch' })
  await dialog.getByLabel('Name of the batch (optional)').fill('Tuesday')
  await expectAccessible(page, 'the choice of a batch')
  await dialog.getByRole('button', { name: 'Add to batch' }).click()
  await heading(page, 'Tuesday').waitFor()
  await page.getByText('0 of 2 orders shipped').waitFor()
  await expectAccessible(page, 'a batch')

  await button(page, 'Start production of 2 orders').click()
  const start = page.getByRole('dialog', { name: 'Start production' })
  await start.getByRole('button', { name: 'Start production' }).click()
  await start.getByText('2 orders changed', { exact: true }).waitFor()
  await start.getByRole('button', { name: 'Close' }).last().click()
  await button(page, 'Start production of 2 orders').waitFor({ state: 'detached' })

  // The same orders cannot be in another batch.
  shop.expectErrors(/status of 409 .*\/production\/batches/)
  await page.goto(`${shop.url}/console/orders`)
  await link(page, orders[0]?.number ?? '').focus()
  await page.keyboard.press('x')
  await chooseMore(page, 'Add to batch')
  await dialog.getByRole('button', { name: 'Add to batch' }).click()
  const refused = dialog.getByRole('list', { name: 'Orders that failed' }).getByRole('listitem')
  await refused.waitFor()
  assert.match(await refused.innerText(), /The order is in another open batch: Tuesday/)
  await expectAccessible(page, 'a refusal')
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  await link(page, 'Batches').click()
  await link(page, 'Tuesday').waitFor()
  await expectAccessible(page, 'the batches')
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page, 'the batches')
  await link(page, 'Tuesday').click()
  const [removed, kept] = orders.map(({ number }) => number)
  await button(page, `Remove ${removed} from the batch`).click()
  await link(page, removed ?? '').waitFor({ state: 'detached' })
  await expectNoSidewaysScroll(page, 'a batch')
  await button(page, 'Close batch').click()
  const close = page.getByRole('dialog', { name: 'Close batch' })
  await close.getByRole('button', { name: 'Close batch' }).click()
  await page.getByText(/^Closed /).waitFor()
  await link(page, kept ?? '').waitFor()
  const { body } = await shop.service.request('GET', '/production/batches?status=done', { token })
  assert.deepEqual([body.data.length, body.data[0].orderCount], [1, 1])
})

test('the page of a batch shows what others do with its orders', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t, { viewport: { width: 1280, height: 800 } })
  const [shipped, held] = [await placeOrder(shop), await placeOrder(shop)]
  const { accessToken: token, ...operator } = await shop.service.signUp({ role: 'operator' })
  const body = { name: 'Wednesday', orderIds: [shipped.id, held.id] }
  const { body: batch } = await shop.service.request('POST', '/production/batches', { token, body })
  const page = await openConsole(shop, operator, `/batches/${batch.id}`)
  await button(page, 'Start production of 2 orders').waitFor()
  const run = await operate(shop)
  await run(held.id, 'hold', { reason: 'Is the paper here?' })
  await run(shipped.id, 'start-production')
  await run(shipped.id, 'shipments', { carrier: 'DHL' })
  await page.getByText('1 of 2 orders shipped').waitFor()
  await page.getByRole('row', { name: held.number }).getByText('On hold').waitFor()
  assert.equal(await button(page, /^Start production/).count(), 0)
  await link(page, 'Batches').first().click()
  await link(page, 'Wednesday').waitFor()
  await run(held.id, 'release')
  await run(held.id, 'start-production')
  await run(held.id, 'shipments', { carrier: 'DHL' })
  await page.getByText('2 of 2 orders shipped').waitFor()
})

test('an order without print files keeps a download from being incomplete unseen', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t, { viewport: { width: 1280, height: 800 }, locale: 'de-DE' })
  const [ready, held] = [await placeOrder(shop), await placeOrder(shop)]
  await (await operate(shop))(held.id, 'hold', { reason: 'Stimmt das?' })
  const operator = await shop.service.signUp({ role: 'operator' })
  const page = await shop.open(`${shop.url}/console/orders`)
  await page.getByLabel('E-Mail-Adresse').fill(operator.email)
  await page.getByLabel('Passwort', { exact: true }).fill(operator.password)
  await button(page, 'Anmelden').click()
  await link(page, ready.number).waitFor()
  await page.getByRole('checkbox').first().focus()
  await page.keyboard.press('Space')
  await chooseMore(page, 'Druckdateien herunterladen (ZIP)', 'Weitere Aktionen')
  const dialog = page.getByRole('dialog', { name: 'Druckdateien herunterladen (ZIP)' })
  shop.expectErrors(/status of 409 .*\/production\/print-files/)
  await dialog.getByRole('button', { name: 'Herunterladen', exact: true }).click()
  const faults = dialog.getByRole('list', { name: 'Fehlgeschlagene Bestellungen' }).getByRole('listitem')
  await faults.waitFor()
  assert.equal(await faults.innerText(), `${held.number} Die Bestellung ist unbezahlt, angehalten oder storniert.`)
  await expectAccessible(page, 'missing print files')
  const others = dialog.getByRole('button', { name: 'Die andere Bestellung herunterladen' })
  const { name, bytes } = await saved(page, () => others.click())
  assert.equal(name, 'print-files.zip')
  assert.ok(bytes.includes(`${ready.number}/01-`))
  assert.ok(!bytes.includes(held.number))
  await dialog.getByText('Die Druckdateien wurden heruntergeladen.').waitFor()
})
