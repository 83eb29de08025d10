import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { PDFDocument } from '@cantoo/pdf-lib'
import { sql } from 'kysely'
import { ADDRESS } from '../../../src/orders/factory.ts'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectAccessible, expectNoSidewaysScroll } from '../../lib/browser/watched-page.ts'
import { openConsole } from '../../lib/pages/console.ts'
import { copyOrder, makeDesign, operate, placePaid } from '../../lib/pages/ordering.ts'
import { button, heading, link, startShop } from '../../lib/pages/shop.ts'
import { until } from '../../lib/until.ts'

test('filters, page and place of the table of orders are kept by its URL, by going back, and by named views', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { service, url } = shop
  const { accessToken: token } = await service.signUp()
  const designId = await makeDesign(shop, { token, name: 'Mug' })
  const body = { items: [{ designId, quantity: 1 }], shippingAddress: ADDRESS }
  const order = (await service.request('POST', '/orders', { token, body })).body
  await (await operate(shop))(order.id, 'payments', { method: 'manual' })
  const copies = await copyOrder(shop, order.id, 119)
  const urgent = copies[60]
  await sql`update orders set due_at = now() where id = ${urgent}`.execute(service.db)
  await service.request('POST', '/orders', { token, body })

  const operator = await service.signUp({ role: 'operator' })
  const page = await openConsole(shop, operator, '/orders')
  const firstRow = () => page.locator('[data-row]').first().getAttribute('href')
  await page.locator('[data-row]').nth(49).waitFor()
  const unpaid = await firstRow()
  await button(page, 'Filters').click()
  await page.getByRole('dialog', { name: 'Filters' }).getByLabel('Payment').selectOption({ label: 'Paid' })
  await page.getByRole('dialog', { name: 'Filters' }).getByRole('button', { name: 'Apply' }).click()
  await page.waitForURL(`${url}/console/orders?payment=captured`)
  await until('the paid orders', async () => (await firstRow()) !== unpaid)
  const newest = await firstRow()
  await button(page, 'Next').click()
  await page.waitForURL(/cursor=/)
  // The page before stays until the next one is there.
  await until('the second page', async () => (await firstRow()) !== newest)
  const second = page.url()
  const row = page.locator('[data-row]').nth(40)
  const number = await row.textContent()
  await row.scrollIntoViewIfNeeded()
  const top = await page.evaluate<number>('scrollY')
  assert.ok(top > 0)
  await row.click()
  await heading(page, new RegExp(number ?? '')).waitFor()
  await page.goBack()
  await page.locator('[data-row]').nth(49).waitFor()
  assert.equal(page.url(), second)
  await until('the place in the table', async () => Math.abs((await page.evaluate<number>('scrollY')) - top) < 100)
  await page.reload()
  await link(page, number ?? '').waitFor()
  await button(page, 'Previous').click()
  await link(page, number ?? '').waitFor({ state: 'detached' })

  await page.goto(`${url}/console/orders?payment=captured`)
  await button(page, 'Sorted: Newest first').click()
  await page.getByRole('menuitem', { name: 'Due date first, open orders' }).click()
  await page.waitForURL(`${url}/console/orders?payment=captured&sort=dueAt`)
  await until('the most urgent order', async () =>
    ((await page.locator('[data-row]').first().getAttribute('href')) ?? '').endsWith(String(urgent)),
  )
  await button(page, 'Save this view').click()
  const naming = page.getByRole('dialog', { name: 'Save this view' })
  await naming.getByLabel('Name of the view').fill('Urgent')
  await expectAccessible(page, 'the dialog of a view')
  await naming.getByRole('button', { name: 'Save' }).click()
  const views = page.getByRole('navigation', { name: 'Saved views' })
  await views.getByRole('link', { name: 'Urgent' }).waitFor()
  await page.goto(`${url}/console/orders`)
  await views.getByRole('link', { name: 'Urgent' }).click()
  await page.waitForURL(`${url}/console/orders?payment=captured&sort=dueAt`)
  await expectAccessible(page, 'a saved view')
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page, 'the table with saved views')
  await button(page, 'Remove the view “Urgent”').click()
  await views.getByRole('link', { name: 'Urgent' }).waitFor({ state: 'detached' })
  await button(page, 'Save this view').waitFor()
})

test('the pick lists of a view are those of the rows on its present page', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { service } = shop
  const run = await operate(shop)
  const [order] = await placePaid(shop, 1)
  assert.ok(order !== undefined)
  const [oldest] = await copyOrder(shop, order.id, 51)
  assert.ok(oldest !== undefined)
  const page = await openConsole(shop, await service.signUp({ role: 'operator' }), '/orders?status=confirmed')
  const rows = page.locator('[data-row]')
  await rows.nth(49).waitFor()
  await button(page, 'Next').click()
  await until('the second page', async () => (await rows.count()) === 2)
  // The row stays where it is, so its pick list is one of those of the view.
  await run(oldest, 'start-production')
  await page.getByRole('row').getByText('In production').waitFor()
  const saving = page.waitForEvent('download')
  await button(page, 'Pick lists of this view').click()
  const pdf = await PDFDocument.load(await readFile(await (await saving).path()), { updateMetadata: false })
  assert.equal(pdf.getPageCount(), 2)
  await page.goto(`${shop.url}/console/orders?status=delivered`)
  await page.getByText('Change the filters to see more.').waitFor()
  assert.equal(await button(page, 'Pick lists of this view').isDisabled(), true)
})

test('an order is found while its number is typed, in the table and in the palette', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const [first, second] = await placePaid(shop, 2)
  assert.ok(first !== undefined && second !== undefined)
  const page = await openConsole(shop, await shop.service.signUp({ role: 'operator' }), '/orders')
  await link(page, second.number).waitFor()
  const search = page.getByRole('searchbox', { name: 'Search orders' })
  for (const typed of [first.number.slice(0, 9), first.number.slice(3, 10).toLowerCase(), first.number.slice(8, 11)]) {
    await search.fill(typed)
    await link(page, second.number).waitFor({ state: 'detached' })
    await link(page, first.number).waitFor()
    await search.fill('')
    await link(page, second.number).waitFor()
  }
  await search.fill(first.number.slice(4, 10))
  await page.getByText(/^Search for the beginning of a number/).waitFor()
  await expectAccessible(page, 'a search that finds nothing')
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill(first.number.slice(3, 10).toLowerCase())
  await page.getByRole('option', { name: new RegExp(`^${first.number}`) }).click()
  await heading(page, new RegExp(first.number)).waitFor()
})
