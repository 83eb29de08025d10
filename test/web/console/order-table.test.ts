import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { ADDRESS } from '../../../src/orders/factory.ts'
import { noBrowser } from '../../lib/browser.ts'
import { openConsole } from '../../lib/console.ts'
import { copyOrder, makeDesign, operate } from '../../lib/ordering.ts'
import { button, heading, link, startShop } from '../../lib/shop.ts'
import { until } from '../../lib/until.ts'
import { expectAccessible, expectNoSidewaysScroll } from '../../lib/watched-page.ts'

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
