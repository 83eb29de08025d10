import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { ADDRESS } from '../../../src/orders/factory.ts'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectAccessible, expectNoSidewaysScroll } from '../../lib/browser/watched-page.ts'
import { chooseMore, openConsole } from '../../lib/pages/console.ts'
import { copyOrder, makeDesign, operate } from '../../lib/pages/ordering.ts'
import { button, heading, link, type Shop, startShop } from '../../lib/pages/shop.ts'
import { until } from '../../lib/until.ts'

/** A tablet at a workplace. */
const TABLET = { viewport: { width: 1024, height: 768 } }

/** Starts a shop with paid orders of three mugs each, and an operator. */
async function startFloor(t: TestContext, orders: number) {
  const shop = await startShop(t, TABLET)
  const { service } = shop
  const { accessToken: token } = await service.signUp()
  const designId = await makeDesign(shop, { token, name: 'Mug' })
  const run = await operate(shop)
  const paid: { id: string; number: string }[] = []
  for (let count = 0; count < orders; count += 1) {
    const body = { items: [{ designId, quantity: 3 }], shippingAddress: ADDRESS }
    const { body: order } = await service.request('POST', '/orders', { token, body })
    paid.push(await run(order.id, 'payments', { method: 'manual' }))
  }
  const page = await openConsole(shop, await service.signUp({ role: 'operator' }), '/production')
  return { shop, run, paid, page, token }
}

const column = (page: Page, name: string) => page.getByRole('region', { name: new RegExp(`^${name}`) })

/** Scans the code of a pick list: a scanner types the number where the focus is, and presses Enter. */
async function scan(page: Page, number: string): Promise<void> {
  await page.locator('.scan input:focus').waitFor()
  await page.keyboard.type(number)
  await page.keyboard.press('Enter')
}

const statusOf = async ({ service: { db } }: Shop, orderId: string) =>
  (await db.selectFrom('orders').select('status').where('id', '=', orderId).executeTakeFirstOrThrow()).status

test('scanned numbers open orders at the workplace, and lead them on to a partial parcel', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { shop, paid, page } = await startFloor(t, 1)
  shop.expectErrors(/status of 400/)
  const [order] = paid
  assert.ok(order !== undefined)
  await column(page, 'Ready to produce').getByText('3 × Mug').waitFor()
  await expectAccessible(page, 'the board')
  await page.getByLabel('Group by').selectOption('Product')
  await page.getByRole('region', { name: 'Mug' }).getByText('3 pieces').waitFor()

  // The last character is a check character.
  const mistyped = order.number.slice(0, -1) + (order.number.endsWith('0') ? '1' : '0')
  await page.getByLabel('Scan or type an order number').focus()
  await scan(page, mistyped)
  await page.getByText(`“${mistyped}” is not an order number. Scan or type it again.`).waitFor()
  // A part of a number offers the orders that it may mean.
  await scan(page, order.number.slice(3, 7))
  const matches = page.getByRole('list', { name: 'Orders with this number' })
  await matches.getByRole('button', { name: order.number }).waitFor()
  await expectAccessible(page, 'the matches of a part of a number')
  await scan(page, order.number.toLowerCase().replaceAll('-', ''))
  await heading(page, new RegExp(order.number)).waitFor()
  await page.getByText('Scan this order again for: Start production').waitFor()
  await expectAccessible(page, 'an order at the workplace')
  await expectNoSidewaysScroll(page, 'an order at the workplace')
  await scan(page, order.number)
  await page.getByText('Scan this order again for: Ship').waitFor()
  assert.equal(await statusOf(shop, order.id), 'in_production')

  await scan(page, order.number)
  const dialog = page.getByRole('dialog', { name: 'Ship', exact: true })
  await dialog.getByLabel('Carrier').fill('DHL')
  await dialog.getByRole('textbox', { name: /^Mug/ }).fill('2')
  await dialog.getByRole('button', { name: 'Ship', exact: true }).click()
  await page.getByText('2 of 3 shipped').waitFor()
  await page.getByRole('navigation', { name: 'Path' }).getByRole('link').click()
  await column(page, 'Partly shipped').getByText('1 × Mug').waitFor()
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page, 'the board on a phone')
})

/** Selects three orders of the board with the mouse and one of them again with a key, and starts the other two. */
async function startSome(page: Page, orders: readonly { number: string }[]): Promise<void> {
  const [first, second, third] = orders
  assert.ok(first !== undefined && second !== undefined && third !== undefined)
  // The checkbox itself is hidden below its picture.
  const press = ({ number }: { number: string }, modifiers: 'Shift'[] = []) =>
    page.locator('label', { has: page.getByRole('checkbox', { name: `Select order ${number}` }) }).click({ modifiers })
  const all = page.locator('label', { has: page.getByRole('checkbox', { name: 'Select all: Ready to produce' }) })
  await all.click()
  await page.getByText('5 orders selected').waitFor()
  await all.click()
  await page.getByText('5 orders selected').waitFor({ state: 'detached' })
  await press(first)
  await press(third, ['Shift'])
  await page.getByText('3 orders selected').waitFor()
  await expectAccessible(page, 'selected orders of the board')
  await link(page, first.number).focus()
  await page.keyboard.press('x')
  await page.getByText('2 orders selected').waitFor()
  const saving = page.waitForEvent('download')
  await chooseMore(page, 'Pick lists')
  assert.equal((await saving).suggestedFilename(), 'pick-lists-1.pdf')
  await button(page, 'Start production').click()
  const dialog = page.getByRole('dialog', { name: 'Start production' })
  await dialog.getByRole('button', { name: 'Start production' }).click()
  await dialog.getByText('2 orders changed', { exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  for (const { number } of [second, third]) {
    await column(page, 'In production').getByRole('link', { name: number }).waitFor()
  }
  await page.getByText('2 orders selected').waitFor()
  await button(page, 'Ship').waitFor()
  await button(page, 'Clear the selection').click()
}

test('orders that are started on the board can be shipped at once, and a notice leads to them', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { page, paid } = await startFloor(t, 12)
  const all = page.getByRole('checkbox', { name: 'Select all: Ready to produce' })
  await all.press('Space')
  await page.getByText('12 orders selected').waitFor()
  await button(page, 'Start production').click()
  const start = page.getByRole('dialog', { name: 'Start production' })
  await start.getByText(/^(PL-\w{4}-\w{4}, ){9}PL-\w{4}-\w{4} and 2 more$/).waitFor()
  await start.getByText('Customers can no longer cancel the orders then.').waitFor()
  await start.getByRole('button', { name: 'Start production' }).click()
  await start.getByText('12 orders changed', { exact: true }).waitFor()
  await expectAccessible(page, 'the result of a bulk action')
  await start.getByRole('button', { name: 'Close' }).last().click()
  await page.getByText('12 orders selected').waitFor()
  await button(page, 'Ship').click()
  const ship = page.getByRole('dialog', { name: 'Ship', exact: true })
  await ship.getByLabel('Carrier', { exact: true }).fill('DHL')
  await ship.getByRole('button', { name: 'Ship', exact: true }).click()
  await ship.getByText('12 orders changed', { exact: true }).waitFor()
  await ship.getByRole('button', { name: 'Close' }).last().click()
  await page.getByText('12 orders have been shipped.').waitFor()
  assert.equal(await page.getByText('orders selected').count(), 0)
  await button(page, 'Show shipped orders').click()
  await link(page, paid[0]?.number ?? '').waitFor()
  assert.equal(await page.locator('[data-row]').count(), 12)
})

test('the board acts on selected orders and follows the work of others, and a hold can be undone', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { shop, run, paid, page, token } = await startFloor(t, 5)
  const [first, second, ...others] = paid
  assert.ok(first !== undefined && second !== undefined)
  await column(page, 'Ready to produce').getByRole('link', { name: second.number }).waitFor()
  await startSome(page, others)
  // Under the pointer, the board would wait.
  await page.mouse.move(0, 0)
  await run(second.id, 'start-production')
  await column(page, 'In production').getByRole('link', { name: second.number }).waitFor()
  assert.equal(await column(page, 'Ready to produce').getByRole('link', { name: second.number }).count(), 0)

  await link(page, first.number).click()
  await heading(page, new RegExp(first.number)).waitFor()
  const hold = async (reason: string) => {
    await button(page, 'Put on hold').click()
    const dialog = page.getByRole('dialog', { name: 'Put on hold' })
    await dialog.getByLabel('Reason').fill(reason)
    await dialog.getByRole('button', { name: 'Put on hold' }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  await hold('Is the address complete?')
  await page.getByText(`Order ${first.number} is on hold.`).waitFor()
  await button(page, 'Undo').click()
  await page.getByText('Undone.').waitFor()
  assert.equal(await statusOf(shop, first.id), 'confirmed')
  // What another operator has done since is not undone.
  shop.expectErrors(/status of 412/)
  await hold('Which colour?')
  await run(first.id, 'notes', { text: 'The customer calls back.' })
  await button(page, 'Undo').click()
  await page.getByText(/^The order has changed meanwhile/).waitFor()
  assert.equal(await statusOf(shop, first.id), 'on_hold')

  const body = { message: 'Red, please.' }
  const replied = await shop.service.request('POST', `/orders/${first.id}/resolve-hold`, { token, body })
  assert.equal(replied.status, 200)
  await page.getByRole('navigation', { name: 'Path' }).getByRole('link').click()
  await column(page, 'On hold').getByText('Customer replied').waitFor()
  await button(page, `Release: ${first.number}`).click()
  await page
    .getByRole('dialog', { name: 'Release' })
    .getByText(/^The customer has replied/)
    .waitFor()
  await page.getByText('The order returns to the status “Ready to produce”.').waitFor()
  await page.keyboard.press('Escape')
  await link(page, first.number).click()
  await page.getByText('Red, please.').first().waitFor()
  await button(page, 'Release').click()
  await page.getByRole('dialog', { name: 'Release' }).getByRole('button', { name: 'Release' }).click()
  await page.getByText(`Order ${first.number} continues.`).waitFor()
})

test('the reply to a hold stays at the workplace and on the page of the order until the order has shipped', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { shop, run, paid, page, token } = await startFloor(t, 1)
  const [order] = paid
  assert.ok(order !== undefined)
  const reply = async (body: object) => {
    const { status } = await shop.service.request('POST', `/orders/${order.id}/resolve-hold`, { token, body })
    assert.equal(status, 200)
  }
  const question = (text: string) => page.getByText(`the customer replied to “${text}”`)
  await run(order.id, 'hold', { reason: 'The picture is dark.' })
  await reply({ message: 'Please brighten it a little.' })
  await page.goto(`${shop.url}/console/production/${order.id}`)
  const answer = page.locator('.hold-answer').getByText('Please brighten it a little.')
  await answer.waitFor()
  await page.getByText('Release the order when it can continue.').waitFor()
  assert.equal(await page.locator('.hold-mail').count(), 0)
  assert.equal(await question('The picture is dark.').count(), 0)
  await run(order.id, 'release')
  await question('The picture is dark.').waitFor()
  assert.equal(await answer.count(), 1)
  await expectAccessible(page, 'a reply at the workplace')

  // A later hold has its own reply, here one that ends the hold.
  await run(order.id, 'hold', { reason: 'Is red right?', resolution: 'confirmation' })
  await page.locator('.hold-reason').getByText('Is red right?').waitFor()
  await question('The picture is dark.').waitFor()
  await reply({ message: 'Yes, red.' })
  await question('Is red right?').waitFor()
  assert.deepEqual(await page.locator('.hold-answer').allInnerTexts(), ['Please brighten it a little.', 'Yes, red.'])
  await run(order.id, 'start-production')
  await link(page, 'The whole order').click()
  await question('Is red right?').waitFor()
  await expectAccessible(page, 'a reply on the page of the order')
  await run(order.id, 'shipments', { carrier: 'DHL' })
  await question('Is red right?').waitFor({ state: 'detached' })
})

test('production starts at the workplace for the order that is shown, and a refusal says what has changed', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { shop, run, paid, page } = await startFloor(t, 2)
  const [first, second] = paid
  assert.ok(first !== undefined && second !== undefined)
  await link(page, first.number).click()
  await page.getByText('Scan this order again for: Start production').waitFor()
  await run(first.id, 'notes', { text: 'Use the blue box.' })
  await page.locator('.notes').getByText('Use the blue box.').waitFor()
  await scan(page, first.number)
  await page.getByText('In production', { exact: true }).waitFor()

  shop.expectErrors(/status of 412/)
  await scan(page, second.number)
  await heading(page, new RegExp(second.number)).waitFor()
  await page.getByText('Scan this order again for: Start production').waitFor()
  await run(second.id, 'notes', { text: 'Wait for the new ink.' })
  await scan(page, second.number)
  await page.getByText(/^The order has changed meanwhile.* “Wait for the new ink\.”$/).waitFor()
  assert.equal(await statusOf(shop, second.id), 'confirmed')
  await scan(page, second.number)
  await page.getByText('In production', { exact: true }).waitFor()
})

test('cards stay under the pointer while others work, and move when it leaves or on request', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { run, paid, page } = await startFloor(t, 3)
  const [first, second, third] = paid
  assert.ok(first !== undefined && second !== undefined && third !== undefined)
  const cardIn = (name: string, { number }: { number: string }) =>
    column(page, name).getByRole('link', { name: number })
  await cardIn('Ready to produce', third).hover()
  await run(first.id, 'start-production')
  const news = button(page, 'One order has changed. Show it')
  await news.waitFor()
  assert.equal(await cardIn('Ready to produce', first).count(), 1)
  await expectAccessible(page, 'the board with held changes')
  await news.click()
  await cardIn('In production', first).waitFor()
  await news.waitFor({ state: 'detached' })

  await cardIn('Ready to produce', third).hover()
  await run(second.id, 'start-production')
  await news.waitFor()
  assert.equal(await cardIn('Ready to produce', second).count(), 1)
  await page.mouse.move(0, 0)
  await cardIn('In production', second).waitFor()

  // The operator's own work does not wait.
  await button(page, `Start production: ${third.number}`).click()
  const dialog = page.getByRole('dialog', { name: 'Start production' })
  await dialog.getByRole('button', { name: 'Start production' }).click()
  // The pointer stays on the board, and in use.
  const board = await page.locator('.board').boundingBox()
  assert.ok(board !== null)
  let moves = 0
  await until('the own order in its new column', async () => {
    moves += 1
    await page.mouse.move(board.x + 20, board.y + 20 + (moves % 2))
    return (await cardIn('In production', third).count()) === 1
  })
})

test('all orders of a column are a view of the table, with the filters of the board', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { shop, paid, page } = await startFloor(t, 1)
  const [order] = paid
  assert.ok(order !== undefined)
  await column(page, 'Ready to produce').getByRole('link', { name: order.number }).waitFor()
  const copies = await copyOrder(shop, order.id, 51)
  const { db } = shop.service
  // The original has no due time, and an order with another shipping method is no part of the view.
  const [express, late] = copies
  const change = (id = '') => db.updateTable('orders').where('id', '=', id)
  await change(express).set({ shipping_method: 'express' }).execute()
  await change(late)
    .set({ due_at: new Date(0) })
    .execute()
  await page.reload()
  await page.getByLabel('Product', { exact: true }).selectOption('Mug')
  await page.waitForURL(/product=/)
  await page.getByLabel('Shipping method').selectOption('Standard')
  const all = column(page, 'Ready to produce').getByRole('link', { name: 'Show all of them' })
  await until('the filters of the board', async () => /shipping=standard/.test((await all.getAttribute('href')) ?? ''))
  await all.click()
  await heading(page, 'Orders').waitFor()
  await page.getByRole('button', { name: 'Remove the filter Product: Mug' }).waitFor()
  await page.getByRole('button', { name: 'Remove the filter Shipping method: Standard' }).waitFor()
  const rows = page.locator('[data-row]')
  await rows.nth(49).waitFor()
  assert.equal(await rows.first().getAttribute('href'), `/console/orders/${late}`)
  await button(page, 'Next').click()
  await until('the last order', async () => (await rows.count()) === 1)

  // The same filters, and the late orders of the page Today, can be chosen in the table.
  await page.goto(`${shop.url}/console/orders`)
  const filters = page.getByRole('dialog', { name: 'Filters' })
  await button(page, 'Filters').click()
  await filters.getByLabel('Shipping method').selectOption('Standard')
  await filters.getByRole('checkbox', { name: 'Only late orders' }).press('Space')
  await expectAccessible(page, 'the filters of the table')
  await filters.getByRole('button', { name: 'Apply' }).click()
  await page.waitForURL(`${shop.url}/console/orders?shipping=standard&late=true`)
  await until('the late order', async () => (await rows.count()) === 1)
  assert.equal(await rows.first().getAttribute('href'), `/console/orders/${late}`)
  await button(page, 'Filters').click()
  await filters.getByRole('checkbox', { name: 'Only late orders' }).press('Space')
  await filters.getByLabel('Shipping method').selectOption('Express')
  await filters.getByRole('button', { name: 'Apply' }).click()
  await page.waitForURL(`${shop.url}/console/orders?shipping=express`)
  await until('the order with the other method', async () => {
    const shown = await rows.evaluateAll((links) => links.map((one) => one.getAttribute('href')))
    return shown.length === 1 && shown[0] === `/console/orders/${express}`
  })
})
