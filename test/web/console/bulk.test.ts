import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { ADDRESS } from '../../../src/orders/factory.ts'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectAccessible, expectNoSidewaysScroll } from '../../lib/browser/watched-page.ts'
import { openConsole } from '../../lib/pages/console.ts'
import { copyOrder, makeDesign, operate } from '../../lib/pages/ordering.ts'
import { button, link, type Shop, startShop } from '../../lib/pages/shop.ts'
import { until } from '../../lib/until.ts'

/** Places paid orders of one mug. */
async function placeOrders(shop: Shop, count: number): Promise<{ id: string; number: string }[]> {
  const { service } = shop
  const { accessToken: token } = await service.signUp()
  const designId = await makeDesign(shop, { token, name: 'Mug' })
  const run = await operate(shop)
  const orders = []
  for (let placed = 0; placed < count; placed += 1) {
    const body = { items: [{ designId, quantity: 1 }], shippingAddress: ADDRESS }
    const { body: order } = await service.request('POST', '/orders', { token, body })
    await run(order.id, 'payments', { method: 'manual' })
    orders.push(order)
  }
  return orders
}

test('an operator ships 200 orders from a CSV file with three faulty lines, and a repetition ships nothing', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const [unpaid, original] = await placeOrders(shop, 2)
  assert.ok(unpaid !== undefined && original !== undefined)
  await (await operate(shop))(original.id, 'start-production')
  const ids = [original.id, ...(await copyOrder(shop, original.id, 199))]
  const lines = ids.map((id, n) => `${id};DHL;JJD${n}`)
  lines.splice(100, 0, `${unpaid.id};DHL;JJD900`, 'PL-0000-0001;DHL;JJD901', `${unpaid.id};;JJD902`)
  const content = `\ufefforder;carrier;tracking number\r\n${lines.join('\r\n')}\r\n`
  const file = { name: 'parcels.csv', mimeType: 'application/vnd.ms-excel', buffer: Buffer.from(content) }
  const countShipments = async () => {
    const { rows } = await sql<{ orders: number; parcels: number }>`
      select count(distinct order_id)::int as orders, count(*)::int as parcels from shipments`.execute(shop.service.db)
    return rows[0]
  }

  const page = await openConsole(shop, await shop.service.signUp({ role: 'operator' }), '/orders?status=in_production')
  await button(page, 'Mark shipped from a CSV').click()
  const dialog = page.getByRole('dialog', { name: 'Mark shipped from a CSV' })
  const choose = () => dialog.getByLabel('Choose a CSV file').locator('..').locator('input').setInputFiles(file)
  await choose()
  await dialog.getByText('Ready to ship: 200. Already shipped: 0. Faulty lines: 3.').waitFor()
  const faults = dialog.getByRole('list', { name: 'Faulty lines' }).getByRole('listitem')
  assert.deepEqual(await faults.allInnerTexts(), [
    `Line 102 ${unpaid.id}\norder: This is not possible in the status “Ready to produce”.`,
    'Line 103 PL-0000-0001\norder: This is neither an order number nor an order id.',
    `Line 104 ${unpaid.id}\ncarrier: The value is missing.\norder: An earlier line names the same order.`,
  ])
  assert.deepEqual(await countShipments(), { orders: 0, parcels: 0 })
  await expectAccessible(page, 'the check of a file')
  // The second part of 25 lines fails.
  shop.expectErrors(/status of 403/)
  const refusal = { type: 'about:blank', title: 'Forbidden', status: 403, code: 'forbidden', requestId: 'none' }
  const secondPart = /shipments\/import\?.*firstLine=27&/
  await page.route(secondPart, (route) =>
    route.fulfill({ status: 403, contentType: 'application/problem+json', body: JSON.stringify(refusal) }),
  )
  await dialog.getByRole('button', { name: 'Ship 200 orders' }).click()
  await dialog.getByText('Ready to ship: 175. Already shipped: 25. Faulty lines: 3.').waitFor()
  await dialog.locator('.pl-banner.danger').waitFor()
  await page.unroute(secondPart)
  // The second part waits for this order.
  await shop.service.db.transaction().execute(async (trx) => {
    await trx
      .selectFrom('orders')
      .select('id')
      .where('id', '=', ids[30] ?? '')
      .forUpdate()
      .execute()
    await dialog.getByRole('button', { name: 'Ship 175 orders' }).click()
    await shop.service.untilBlocked(1)
    const progress = dialog.getByRole('progressbar', { name: 'Shipping the orders' })
    assert.equal(Math.round(Number(await progress.getAttribute('aria-valuenow'))), 12)
    assert.deepEqual(await countShipments(), { orders: 30, parcels: 30 })
    await expectAccessible(page, 'the progress of a file')
  })
  await dialog.getByText('Shipped: 175. Already shipped: 25. Faulty lines: 3.').waitFor()
  assert.deepEqual(await countShipments(), { orders: 200, parcels: 200 })

  await choose()
  await dialog.getByText('Ready to ship: 0. Already shipped: 200. Faulty lines: 3.').waitFor()
  assert.equal(await dialog.getByRole('button', { name: 'Nothing to ship' }).isDisabled(), true)
  assert.deepEqual(await countShipments(), { orders: 200, parcels: 200 })

  // One request changes at most 200 orders, so the 201st is not selected.
  await page.goto(`${shop.url}/console/orders`)
  const all = page.getByRole('checkbox', { name: 'Select all orders of this page' })
  for (const count of [50, 100, 150, 200]) {
    await all.press('Space')
    await page.getByText(`${count} orders selected`).waitFor()
    await button(page, 'Next').click()
    await all.and(page.locator(':not(:checked)')).waitFor()
  }
  await all.press('Space')
  await page.getByText('At most 200 orders at once.').waitFor()
  assert.equal(await all.isChecked(), false)
})

test('an operator selects orders with the keyboard, and sees the result of each', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t, { viewport: { width: 1280, height: 800 } })
  const [earlier, ...orders] = await placeOrders(shop, 4)
  const run = await operate(shop)
  await run(earlier?.id ?? '', 'start-production')
  await run(earlier?.id ?? '', 'shipments', { carrier: 'Parcel Service' })
  const { accessToken: token, ...operator } = await shop.service.signUp({ role: 'operator' })
  const page = await openConsole(shop, operator, '/orders?status=confirmed')
  const [changed, first, second] = orders.map(({ number }) => number)
  await link(page, changed ?? '').waitFor()
  await link(page, first ?? '').focus()
  await page.keyboard.press('x')
  await page.getByText('One order selected').waitFor()
  await page.getByRole('checkbox', { name: 'Select all orders of this page' }).focus()
  await page.keyboard.press('Space')
  await page.getByText('3 orders selected').waitFor()
  await expectAccessible(page, 'selected orders')
  // The note changes the order, which the operator has selected as it was before.
  await shop.service.request('POST', `/orders/${orders[0]?.id}/notes`, { token, body: { text: 'Wait for the paper.' } })

  // One step is the main one. What is possible, too, is in the menu, and what is not has a reason.
  assert.equal(await button(page, 'Put on hold').count(), 0)
  await button(page, 'More actions').click()
  await page.getByRole('menuitem', { name: 'Put on hold' }).waitFor()
  assert.equal(await page.getByRole('menuitem', { name: 'Ship' }).count(), 0)
  await expectAccessible(page, 'the menu of selected orders')
  await page.keyboard.press('Escape')
  await button(page, 'Not possible now').click()
  await page.getByRole('dialog').getByText('The order is in the status “Ready to produce”.').first().waitFor()
  await page.keyboard.press('Escape')
  await button(page, 'Start production').click()
  const dialog = page.getByRole('dialog', { name: 'Start production' })
  await dialog.getByText(first ?? '').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('3 orders selected').waitFor()
  await button(page, 'Start production').click()
  await dialog.getByRole('button', { name: 'Start production' }).press('Enter')
  await dialog.getByText('2 orders changed, 1 failed', { exact: true }).waitFor()
  assert.equal(await dialog.getByText('orders selected').count(), 0)
  const failed = dialog.getByRole('list', { name: 'Orders that failed' }).getByRole('listitem')
  assert.deepEqual(await failed.allInnerTexts(), [`${changed} The order has changed since it was selected.`])
  await expectAccessible(page, 'the results')
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await page.getByRole('row', { name: second ?? '' }).waitFor({ state: 'detached' })
  // The table no longer has the two orders, and the next step follows at once. The third is not what was selected.
  await page.getByText('2 orders selected').waitFor()
  await button(page, 'Ship').click()
  const next = page.getByRole('dialog', { name: 'Ship', exact: true })
  for (const number of [first, second]) await next.getByRole('row', { name: number ?? '' }).waitFor()
  await next.getByRole('button', { name: 'Cancel' }).click()
  await button(page, 'Clear the selection').click()
  const statuses = await Promise.all(
    orders.map(async ({ id }) => (await shop.service.request('GET', `/orders/${id}`, { token })).body.status),
  )
  assert.deepEqual(statuses, ['confirmed', 'in_production', 'in_production'])
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page, 'the table with checkboxes')

  await page.getByRole('link', { name: /^In production/ }).click()
  await link(page, first ?? '').waitFor()
  await page.getByRole('checkbox', { name: `Select order ${second}` }).press('Space')
  await expectTemplate(page, [second ?? ''])
  await page.getByRole('checkbox', { name: `Select order ${first}` }).press('Space')
  await button(page, 'Ship').click()
  await shipApart(page, { first: first ?? '', second: second ?? '' })
  const parcels = await shop.service.db
    .selectFrom('shipments')
    .innerJoin('orders', 'orders.id', 'shipments.order_id')
    .select(['orders.number', 'carrier', 'tracking_number'])
    .execute()
  assert.deepEqual(
    parcels.map(Object.values).sort(),
    [
      [earlier?.number, 'Parcel Service', null],
      [first, 'DHL', 'JJD1'],
      [second, 'UPS', 'Z2'],
    ].sort(),
  )
})

/** Saves the template of the CSV dialog, which is to hold these orders. */
async function expectTemplate(page: Page, numbers: readonly string[]): Promise<void> {
  await button(page, 'Mark shipped from a CSV').click()
  const dialog = page.getByRole('dialog', { name: 'Mark shipped from a CSV' })
  const saving = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Download a template with one order' }).click()
  const content = await readFile(await (await saving).path(), 'utf8')
  assert.equal(content, `\ufefforder,carrier,tracking number\r\n${numbers.map((number) => `${number},,\r\n`).join('')}`)
  await dialog.getByText('Required. Orders without a carrier are not shipped.').waitFor()
  await expectAccessible(page, 'the columns of a file')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
}

/** Scans the tracking numbers of two orders, of which the second goes with a carrier of its own. */
async function shipApart(page: Page, { first, second }: { first: string; second: string }): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Ship', exact: true })
  const ship = dialog.getByRole('button', { name: 'Ship', exact: true })
  const carrier = dialog.getByLabel('Carrier', { exact: true })
  await dialog.getByText('Fields marked with * are required.').waitFor()
  // The narrow page shows the head of the column beside each field.
  await dialog.locator('[data-label="Tracking number (optional)"]').first().waitFor()
  // The carrier of an earlier parcel is offered for all orders, and for each of them.
  for (const field of [carrier, dialog.getByLabel(`Carrier of ${first}`)]) {
    await until('the field to offer carriers', async () => (await field.getAttribute('list')) !== null)
    const offered = page.locator(`datalist[id="${await field.getAttribute('list')}"] option`)
    assert.equal(await offered.getAttribute('value'), 'Parcel Service')
  }
  assert.equal(await carrier.getAttribute('required'), '')
  await dialog.getByLabel(`Carrier of ${first}`).fill('GLS')
  await dialog.getByLabel(`Carrier of ${second}`).fill('UPS')
  assert.equal(await carrier.getAttribute('required'), null, 'each order names its own')
  await dialog.getByLabel(`Carrier of ${first}`).fill('')
  assert.equal(await ship.isDisabled(), true, 'one order has no carrier')
  await carrier.fill('DHL')
  await dialog.getByLabel(`Tracking number of ${second}`).focus()
  // A scanner presses Enter after each number.
  for (const code of ['Z2', 'JJD1']) {
    await page.keyboard.type(code)
    if (code === 'Z2') await expectAccessible(page, 'the parcels of several orders')
    await page.keyboard.press('Enter')
  }
  assert.equal(await dialog.getByLabel(`Tracking number of ${first}`).inputValue(), 'JJD1')
  await dialog.getByText('2 orders changed', { exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await page.getByText('2 orders have been shipped.').waitFor()
}

test('rows that a colleague changes can be acted on at once, and stay where they are', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t, { viewport: { width: 1280, height: 800 } })
  const [selected, other, held] = await placeOrders(shop, 3)
  assert.ok(selected !== undefined && other !== undefined && held !== undefined)
  const run = await operate(shop)
  const page = await openConsole(shop, await shop.service.signUp({ role: 'operator' }), '/orders?status=confirmed')
  const row = ({ number }: { number: string }) => page.getByRole('row', { name: number })
  const box = ({ number }: { number: string }) => page.getByRole('checkbox', { name: `Select order ${number}` })
  await row(held).waitFor()
  const numbers = await page.locator('[data-row]').allInnerTexts()
  await box(selected).press('Space')
  await button(page, 'Start production').waitFor()

  for (const { id } of [selected, other]) await run(id, 'start-production')
  await run(held.id, 'hold', { reason: 'Is the paper here?' })
  await row(held).getByText('On hold').waitFor()
  // The order was selected before it changed, and the next step is that of the row as it is now.
  await button(page, 'Ship').waitFor()
  assert.equal(await button(page, 'Start production').count(), 0)
  await box(other).press('Space')
  await page.getByText('2 orders selected').waitFor()
  assert.deepEqual(await page.locator('[data-row]').allInnerTexts(), numbers)
  await expectAccessible(page, 'rows that have changed')
  await button(page, 'Ship').click()
  const dialog = page.getByRole('dialog', { name: 'Ship', exact: true })
  await dialog.getByLabel('Carrier', { exact: true }).fill('DHL')
  await dialog.getByRole('button', { name: 'Ship', exact: true }).click()
  await dialog.getByText('2 orders changed', { exact: true }).waitFor()
})

test('a hold of several orders can be undone, except of those that have changed since', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const orders = await placeOrders(shop, 3)
  const { accessToken: token, ...operator } = await shop.service.signUp({ role: 'operator' })
  const page = await openConsole(shop, operator, '/orders')
  const statusesOf = () =>
    Promise.all(
      orders.map(async ({ id }) => (await shop.service.request('GET', `/orders/${id}`, { token })).body.status),
    )
  const hold = async () => {
    await page.getByRole('checkbox', { name: 'Select all orders of this page' }).press('Space')
    await page.getByText('3 orders selected').waitFor()
    await button(page, 'More actions').click()
    await page.getByRole('menuitem', { name: 'Put on hold' }).click()
    const dialog = page.getByRole('dialog', { name: 'Put on hold' })
    await dialog.getByLabel('Reason').fill('Is the paper here?')
    await dialog.getByRole('button', { name: 'Put on hold' }).click()
    await dialog.getByText('3 orders changed', { exact: true }).waitFor()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await page.getByText('3 orders are on hold.').waitFor()
    assert.deepEqual(await statusesOf(), ['on_hold', 'on_hold', 'on_hold'])
  }
  await hold()
  await button(page, 'Undo').click()
  await page.getByText('Undone.').waitFor()
  assert.deepEqual(await statusesOf(), ['confirmed', 'confirmed', 'confirmed'])

  await hold()
  await shop.service.request('POST', `/orders/${orders[0]?.id}/notes`, { token, body: { text: 'Not yet.' } })
  await button(page, 'Undo').last().click()
  await page.getByText('One order has changed meanwhile and stays on hold.').waitFor()
  assert.deepEqual(await statusesOf(), ['on_hold', 'confirmed', 'confirmed'])
})

test('a dialog closed after a failed request leaves what was done: an undo, and the other orders selected', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const [original] = await placeOrders(shop, 1)
  assert.ok(original !== undefined)
  await copyOrder(shop, original.id, 24)
  const countHeld = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from orders where status = 'on_hold'`.execute(shop.service.db)
    return rows[0]?.count
  }
  const page = await openConsole(shop, await shop.service.signUp({ role: 'operator' }), '/orders')
  await page.getByRole('checkbox', { name: 'Select all orders of this page' }).press('Space')
  await page.getByText('25 orders selected').waitFor()
  await button(page, 'More actions').click()
  await page.getByRole('menuitem', { name: 'Put on hold' }).click()
  const dialog = page.getByRole('dialog', { name: 'Put on hold' })
  await dialog.getByLabel('Reason').fill('Is the paper here?')
  // The first request changes 20 orders, and the second fails.
  shop.expectErrors(/status of 403/)
  const refusal = { type: 'about:blank', title: 'Forbidden', status: 403, code: 'forbidden', requestId: 'none' }
  let requests = 0
  await page.route(/\/production\/bulk$/, (route) => {
    requests += 1
    if (requests === 1) return route.continue()
    return route.fulfill({ status: 403, contentType: 'application/problem+json', body: JSON.stringify(refusal) })
  })
  await dialog.getByRole('button', { name: 'Put on hold' }).click()
  await dialog.locator('.pl-banner.danger').waitFor()
  await dialog.getByText('20 orders changed', { exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await page.getByText('20 orders are on hold.').waitFor()
  await page.getByText('5 orders selected').waitFor()
  assert.equal(await countHeld(), 20)
  await page.unroute(/\/production\/bulk$/)
  await button(page, 'Undo').click()
  await page.getByText('Undone.').waitFor()
  assert.equal(await countHeld(), 0)
})
