import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { ADDRESS } from '../../../src/orders/factory.ts'
import { newId } from '../../../test/ids.ts'
import { untilEventsVisible } from '../../harness.ts'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectAccessible } from '../../lib/browser/watched-page.ts'
import { openConsole } from '../../lib/pages/console.ts'
import { drawItemFiles, makeDesign, operate } from '../../lib/pages/ordering.ts'
import { button, heading, link, type Shop, startShop } from '../../lib/pages/shop.ts'

interface Placed {
  id: string
  number: string
}

/** Starts a shop, and returns a function that places paid orders with one item for each of the names. */
async function startPrinting(t: TestContext) {
  const shop = await startShop(t)
  const { service } = shop
  const { accessToken: token } = await service.signUp()
  const designId = await makeDesign(shop, { token, name: 'Mug', texts: ['For {{name}}'] })
  const run = await operate(shop)
  const place = async (...names: string[]): Promise<Placed> => {
    const items = names.map((name) => ({ designId, quantity: 1, data: { name } }))
    const { body } = await service.request('POST', '/orders', { token, body: { items, shippingAddress: ADDRESS } })
    return run(body.id, 'payments', { method: 'manual' })
  }
  return { shop, run, place }
}

const failFiles = ({ service: { db } }: Shop, { id }: Placed) =>
  db
    .updateTable('item_files')
    .set({ status: 'failed', failure: 'drawing_failed', due_at: null })
    .where('order_id', '=', id)
    .execute()

const fileStatusesOf = async ({ service: { db } }: Shop, { id }: Placed): Promise<string[]> =>
  (await db.selectFrom('item_files').select('status').where('order_id', '=', id).execute()).map(({ status }) => status)

test('orders enter and leave the lists of today while the page is shown', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { shop, run, place } = await startPrinting(t)
  const order = await place('Ada')
  const page = await openConsole(shop, await shop.service.signUp({ role: 'operator' }), '/today')
  const onHold = page.getByRole('region', { name: 'On hold' })
  await onHold.getByText('No order is on hold').waitFor()
  await run(order.id, 'hold', { reason: 'Which colour?' })
  await onHold.getByRole('link', { name: new RegExp(order.number) }).waitFor()
  await run(order.id, 'release')
  await onHold.getByText('No order is on hold').waitFor()
})

test('all orders with failed files are a view of the table, and none is rendered again unseen', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { shop, run, place } = await startPrinting(t)
  // The browser writes the refused request to its console.
  shop.expectErrors(/status of 412/)
  const fine = await place('Ada')
  const orders: Placed[] = []
  for (const names of [['Ann', 'Bob'], ['Cem'], ['Dan'], ['Eve'], ['Flo'], ['Gil']]) orders.push(await place(...names))
  for (const order of orders) await failFiles(shop, order)
  const [first] = orders
  assert.ok(first !== undefined)
  const page = await openConsole(shop, await shop.service.signUp({ role: 'operator' }), '/today')
  await page.getByRole('region', { name: 'Failed print files' }).getByRole('link', { name: 'Show all' }).click()
  await link(page, first.number).waitFor()
  assert.equal(await page.locator('[data-row]').count(), orders.length)
  await expectAccessible(page, 'orders with failed files')
  await button(page, 'Remove the filter Failed print files').click()
  await link(page, fine.number).waitFor()

  await link(page, first.number).click()
  await heading(page, new RegExp(first.number)).waitFor()
  await button(page, 'Render the files again').click()
  const dialog = page.getByRole('dialog', { name: 'Render the files again' })
  await run(first.id, 'notes', { text: 'The font is missing.' })
  await dialog.getByRole('button', { name: 'Render the files again' }).click()
  await dialog.getByText(/^The order has changed meanwhile/).waitFor()
  assert.deepEqual(await fileStatusesOf(shop, first), ['failed', 'failed'])
  await dialog.getByRole('button', { name: 'Render the files again' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.deepEqual(await fileStatusesOf(shop, first), ['pending', 'pending'])
})

test('the page Today lists late orders, and the link to all of them states their number', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { shop, place } = await startPrinting(t)
  const orders: Placed[] = []
  for (const name of ['Ada', 'Ann', 'Bob', 'Cem', 'Dan', 'Eve', 'Flo']) orders.push(await place(name))
  const late = orders.slice(0, 6).map(({ id }) => id)
  await shop.service.db
    .updateTable('orders')
    .set({ due_at: new Date('2026-01-05T12:00:00.000Z') })
    .where('id', 'in', late)
    .execute()
  const page = await openConsole(shop, await shop.service.signUp({ role: 'operator' }), '/today')
  const list = page.getByRole('region', { name: 'Late' })
  await list.getByRole('link', { name: 'Show all 6' }).waitFor()
  assert.equal(await list.getByRole('listitem').count(), 5)
  await list.getByRole('link', { name: 'Show all 6' }).click()
  await link(page, orders[5]?.number ?? '').waitFor()
  assert.equal(await page.locator('[data-row]').count(), late.length)
})

test('orders with an open dispute are on the page Today and a view of the table', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { shop, place } = await startPrinting(t)
  const [disputed, other] = [await place('Ada'), await place('Bob')]
  const page = await openConsole(shop, await shop.service.signUp({ role: 'operator' }), '/today')
  const list = page.getByRole('region', { name: 'Open disputes' })
  await page.getByRole('region', { name: 'Failed print files' }).getByText('No print file has failed').waitFor()
  assert.equal(await list.count(), 0)
  const enter = (position: number, type: string) =>
    sql`
    insert into order_timeline (order_id, position, type, actor, reason, at)
    values (${disputed.id}, ${position}, ${type}, 'system', 'dp_4711', now())`.execute(shop.service.db)
  await enter(100, 'payment.disputed')
  await page.reload()
  await list.getByRole('link', { name: new RegExp(disputed.number) }).waitFor()
  await expectAccessible(page, 'today with an open dispute')

  await page.goto(`${shop.url}/console/orders`)
  await link(page, other.number).waitFor()
  await page.getByRole('row', { name: disputed.number }).getByText('Disputed', { exact: true }).waitFor()
  await button(page, 'Filters').click()
  const filters = page.getByRole('dialog', { name: 'Filters' })
  await filters.getByRole('checkbox', { name: 'Only with an open dispute' }).press('Space')
  await filters.getByRole('button', { name: 'Apply' }).click()
  await link(page, other.number).waitFor({ state: 'detached' })
  await link(page, disputed.number).waitFor()
  await button(page, 'Remove the filter Open disputes').waitFor()
  await expectAccessible(page, 'orders with an open dispute')
  await enter(101, 'payment.dispute_won')
  await page.reload()
  await page.getByText('No orders here').waitFor()
})

test('the figures of today are charts by hour, those of more days by day', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { shop, place } = await startPrinting(t)
  await place('Ada')
  await place('Bob')
  const page = await openConsole(shop, await shop.service.signUp({ role: 'operator' }), '/today?days=1')
  const chart = page.getByRole('figure').filter({ hasText: 'Orders by hour' })
  await chart.getByText('As a table').click()
  const values = await chart.getByRole('table').getByRole('cell').allTextContents()
  assert.ok(values.length >= 23, `${values.length} hours`)
  assert.equal(
    values.map(Number).reduce((sum, value) => sum + value),
    2,
  )
  await page.getByRole('figure').filter({ hasText: 'Takings by hour' }).waitFor()
  await expectAccessible(page, 'the figures of today')
  await link(page, '7 days').click()
  await page.getByRole('figure').filter({ hasText: 'Orders by day' }).waitFor()
  assert.equal(await chart.count(), 0)
})

test('the page Today leads to own deliveries that failed, and names the owners of the others', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { service } = shop
  const [operator, colleague] = [await service.signUp({ role: 'operator' }), await service.signUp({ role: 'admin' })]
  const addEndpoint = async ({ accessToken: token }: { accessToken: string }, path: string): Promise<string> => {
    const body = { url: `https://${path}.example/hook`, ...(path === 'stock' ? { description: 'Stock' } : {}) }
    return (await service.request('POST', '/webhook-endpoints', { token, body })).body.id
  }
  const [own, other] = [await addEndpoint(operator, 'shop'), await addEndpoint(colleague, 'stock')]
  const page = await openConsole(shop, operator, '/today')
  const failed = page.getByRole('region', { name: 'Failed webhook deliveries' })
  await page.getByRole('link', { name: /Ready to produce$/ }).waitFor()
  await page.getByRole('link', { name: /Unread events$/ }).waitFor()
  assert.equal(await failed.count(), 0)
  for (const [endpoint, status] of [
    [own, 'failed'],
    [own, 'failed'],
    [own, 'delivered'],
    [other, 'failed'],
  ]) {
    await sql`
      insert into webhook_deliveries (id, endpoint_id, event_id, event_type, subject, status, created_at)
      values (${newId('delivery')}, ${endpoint}, ${newId('event')}, 'order.created', ${newId('order')}, ${status},
        now())`.execute(service.db)
  }
  await page.reload()
  const entry = failed.getByRole('link', { name: 'shop.example 2 failed deliveries' })
  await entry.waitFor()
  const owned = failed.getByRole('listitem').filter({ hasText: 'Stock' })
  await owned.getByText('One failed delivery').waitFor()
  await owned.getByText(`Endpoint of ${colleague.email}.`).waitFor()
  assert.equal(await failed.getByRole('link').count(), 1)
  await expectAccessible(page, 'today with failed deliveries')
  await entry.click()
  const table = page.getByRole('table', { name: 'Deliveries' })
  await table.waitFor()
  await link(page, 'Failed').and(page.locator('[aria-current=page]')).waitFor()
  assert.equal(await table.locator('[data-row]').count(), 2)
})

test('staff without access to webhooks sees how many deliveries have failed, and reads no endpoint', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { service } = shop
  const { accessToken: token } = await service.signUp({ role: 'operator' })
  const body = { url: 'https://shop.example/hook', description: 'Books' }
  const { id } = (await service.request('POST', '/webhook-endpoints', { token, body })).body
  await sql`
    insert into webhook_deliveries (id, endpoint_id, event_id, event_type, subject, status, created_at)
    values (${newId('delivery')}, ${id}, ${newId('event')}, 'order.created', ${newId('order')}, 'failed', now())`.execute(
    service.db,
  )
  const page = await openConsole(shop, await service.signUp({ role: 'operator', staffRole: 'packing' }), '/today')
  const failed = page.getByRole('region', { name: 'Failed webhook deliveries' })
  await failed.getByText('One failed delivery').waitFor()
  await failed.getByText('Tell the person who looks after the webhooks').waitFor()
  assert.equal(await failed.getByText('Books').count(), 0)
  await expectAccessible(page, 'today with a count of failed deliveries')
})

test('events are unread from when they happen until the user opens the log', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { shop, run, place } = await startPrinting(t)
  const order = await place('Ada')
  await untilEventsVisible(shop.service.db)
  const operator = await shop.service.signUp({ role: 'operator' })
  const page = await openConsole(shop, operator, '/today')
  const unread = (count: string) => page.getByRole('link', { name: `${count} Unread events`, exact: true })
  // What happened before the first visit is not news.
  await unread('0').waitFor()
  await run(order.id, 'hold', { reason: 'Which colour?' })
  await unread('1').waitFor()
  // A release has two events: the order is released and confirmed again.
  await run(order.id, 'release')
  await unread('3').waitFor()
  await page.reload()
  await unread('3').click()
  await heading(page, 'Event log').waitFor()
  await page
    .getByRole('row', { name: /order\.on_hold/ })
    .first()
    .waitFor()
  await link(page, 'Today').click()
  await unread('0').waitFor()

  // A filtered table has not shown the event to the user.
  await run(order.id, 'hold', { reason: 'Which text?' })
  await unread('1').waitFor()
  await page.goto(`${shop.url}/console/developers/events?type=order.created`)
  await page.getByRole('row', { name: /order\.created/ }).waitFor()
  await link(page, 'Today').click()
  await unread('1').waitFor()
})

test('what a person does in the console makes no unread events in any tab, and what others do does', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { shop, run, place } = await startPrinting(t)
  const [order, other] = [await place('Ada'), await place('Bob')]
  await drawItemFiles(shop)
  await untilEventsVisible(shop.service.db)
  const page = await openConsole(shop, await shop.service.signUp({ role: 'operator' }), '/today')
  const unread = (count: string) => page.getByRole('link', { name: `${count} Unread events`, exact: true })
  await unread('0').waitFor()
  const work = await shop.open(`${shop.url}/console/orders/${order.id}`)
  const act = async (name: string, label: string, value: string): Promise<void> => {
    await button(work, name).click()
    const dialog = work.getByRole('dialog', { name, exact: true })
    await dialog.getByLabel(label).fill(value)
    await dialog.locator('[type=submit]').click()
    await dialog.waitFor({ state: 'detached' })
  }
  await act('Put on hold', 'Reason', 'Which colour?')
  // The response to a refund does not state the revision of the order.
  await act('Refund', 'Amount', '1.00')
  await work.goto(`${shop.url}/console/orders?status=confirmed`)
  await work.getByRole('checkbox', { name: `Select order ${other.number}` }).press('Space')
  await button(work, 'Start production').click()
  const start = work.getByRole('dialog', { name: 'Start production' })
  await start.getByRole('button', { name: 'Start production' }).click()
  await start.getByText('One order changed', { exact: true }).waitFor()
  const onHold = page.getByRole('region', { name: 'On hold' })
  await onHold.getByRole('link', { name: new RegExp(order.number) }).waitFor()
  await page.getByRole('link', { name: /^1 In production/ }).waitFor()
  await unread('0').waitFor()
  await page.reload()
  await unread('0').waitFor()

  await run(other.id, 'hold', { reason: 'Which text?' })
  await unread('1').waitFor()
  await work.goto(`${shop.url}/console/orders/${order.id}`)
  await button(work, 'Release').click()
  const release = work.getByRole('dialog', { name: 'Release' })
  await release.getByRole('button', { name: 'Release' }).click()
  await release.waitFor({ state: 'detached' })
  await onHold.getByRole('link', { name: new RegExp(order.number) }).waitFor({ state: 'detached' })
  await unread('1').waitFor()
  await page.reload()
  await unread('1').waitFor()
})

test('unread events are not counted for those who may not open the log', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { shop, place } = await startPrinting(t)
  await place('Ada')
  const packer = await shop.service.signUp({ role: 'operator', staffRole: 'packing' })
  const page = await openConsole(shop, packer, '/today')
  await page.getByRole('link', { name: /^1 Ready to produce/ }).waitFor()
  assert.equal(await page.getByRole('link', { name: /Unread events$/ }).count(), 0)
  assert.equal(await link(page, 'Developers').count(), 0)
})
