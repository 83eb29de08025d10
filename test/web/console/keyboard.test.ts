import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectAccessible } from '../../lib/browser/watched-page.ts'
import { listedKeys, openByKeys } from '../../lib/pages/keys.ts'
import { placePaid } from '../../lib/pages/ordering.ts'
import { button, heading, link, type Shop, startShop } from '../../lib/pages/shop.ts'
import { until } from '../../lib/until.ts'

const statusOf = async ({ service: { db } }: Shop, orderId: string) =>
  (await db.selectFrom('orders').select('status').where('id', '=', orderId).executeTakeFirstOrThrow()).status

const column = (page: Page, name: string) => page.getByRole('region', { name: new RegExp(`^${name}`) })

test('orders are produced, packed, shipped and refunded with the keyboard alone', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const [first, second] = await placePaid(shop, 2)
  assert.ok(first !== undefined && second !== undefined)
  const { page, press, type, tabTo, focus } = await openByKeys(shop, '/orders')

  // From the table by its keys: the newest order is the first row.
  await link(page, second.number).waitFor()
  await press('j')
  await focus(link(page, second.number))
  await press('j', 'k', 'o')
  await heading(page, new RegExp(second.number)).waitFor()
  await press('n')
  await focus(page.getByLabel('New note'))
  // Single keys in a field are text.
  await type('a a by hand')
  await tabTo(button(page, 'Add the note'))
  await press('Enter')
  await page.locator('.notes').getByText('a a by hand').waitFor()

  // By the palette.
  await press('Control+k')
  await focus(page.getByRole('combobox', { name: /^Page, order/ }))
  await type(first.number)
  await page.getByRole('option', { name: new RegExp(first.number) }).waitFor()
  await press('Enter')
  await heading(page, new RegExp(first.number)).waitFor()
  await press('a', 'a')
  const start = page.getByRole('dialog', { name: 'Start production' })
  await tabTo(start.getByRole('button', { name: 'Start production' }))
  await press('Enter')
  await start.waitFor({ state: 'detached' })
  assert.equal(await statusOf(shop, first.id), 'in_production')

  // On the board, the focus stays with the order that moves.
  await press('g', '2')
  await focus(page.getByLabel('Scan or type an order number'))
  const ready = column(page, 'Ready to produce').getByRole('link', { name: second.number })
  const inProduction = column(page, 'In production').getByRole('link', { name: first.number })
  // Each column loads by itself.
  await ready.waitFor()
  await inProduction.waitFor()
  await press('Escape', 'j')
  await focus(ready)
  await press('l')
  await focus(inProduction)
  await press('h', 'x')
  await page.getByText('One order selected').waitFor()
  await press('b', 'c', 'a', 'a')
  await tabTo(start.getByRole('button', { name: 'Start production' }))
  await press('Enter')
  await focus(column(page, 'In production').getByRole('link', { name: second.number }))
  await press('a', 'a')
  const ship = page.getByRole('dialog', { name: 'Ship', exact: true })
  await focus(ship.getByLabel('Carrier'))
  await type('DHL')
  await press('Enter')
  await ship.waitFor({ state: 'detached' })
  await until('the shipment', async () => (await statusOf(shop, second.id)) === 'shipped')

  // Packed at the workplace, in two parcels.
  await press('/')
  await type(first.number)
  await press('Enter')
  await heading(page, new RegExp(first.number)).waitFor()
  await press('Escape', 'a', 'a')
  await tabTo(ship.getByRole('textbox', { name: /^Mug/ }))
  await press('ArrowDown', 'Enter')
  await page.getByText('2 of 3 shipped').waitFor()
  await press('a', 'a')
  await focus(ship.getByLabel('Carrier'))
  await press('Enter')
  await ship.waitFor({ state: 'detached' })
  await until('the last parcel', async () => (await statusOf(shop, first.id)) === 'shipped')

  await press('a', 'o')
  await page.getByRole('button', { name: 'Refund', exact: true }).waitFor()
  await press('a', 'f')
  const refund = page.getByRole('dialog', { name: 'Refund' })
  await focus(refund.getByLabel('Amount'))
  await press('Control+a')
  await type('5.00')
  await press('Enter')
  await page.locator('.timeline').getByText('€5.00 refunded').waitFor()
})

test('the list names the keys of the present page once each, and single keys can be switched off', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const [order] = await placePaid(shop, 1)
  assert.ok(order !== undefined)
  const { page, press, tabTo, focus } = await openByKeys(shop, '/orders')
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  const show = async (): Promise<string[]> => {
    const focused = await page.locator(':focus').count()
    await press('?')
    await list.waitFor()
    const keys = await listedKeys(page)
    await press('Escape')
    await list.waitFor({ state: 'detached' })
    // The focus returns a frame later. Keys act on the row that has it.
    await until('the focus', async () => (await page.locator(':focus').count()) === focused)
    assert.deepEqual(keys, [...new Set(keys)], `the keys of ${page.url()}`)
    return keys
  }
  await link(page, order.number).waitFor()
  const ofTable = await show()
  for (const keys of ['Ctrl K', 'Esc', '/', 'j', 'o', 'x', 'Shift X', 'f', 'g 3'])
    assert.ok(ofTable.includes(keys), keys)
  assert.ok(!ofTable.includes('b p') && !ofTable.includes('a a'), ofTable.join(', '))
  await press('j', 'x')
  assert.ok((await show()).includes('b p'))
  await press('o')
  await heading(page, new RegExp(order.number)).waitFor()
  const ofOrder = await show()
  for (const keys of ['a a', 'a p', 'a l', 'n']) assert.ok(ofOrder.includes(keys), keys)
  // Without rows and without a search, their keys have no effect.
  assert.ok(!ofOrder.includes('/') && !ofOrder.includes('x'), ofOrder.join(', '))

  await press('?')
  await expectAccessible(page, 'the list of keys')
  await tabTo(list.getByRole('switch', { name: 'Single keys are shortcuts' }))
  await press('Space', 'Escape')
  await list.waitFor({ state: 'detached' })
  await press('a', 'a', '?')
  assert.equal(await page.getByRole('dialog').count(), 0)
  await press('Control+k')
  await focus(page.getByRole('combobox', { name: /^Page, order/ }))
})
