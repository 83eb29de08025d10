import { test } from 'node:test'
import { sql } from 'kysely'
import { ADDRESS } from '../../../src/orders/factory.ts'
import { noBrowser } from '../../lib/browser.ts'
import { openConsole } from '../../lib/console.ts'
import { makeDesign } from '../../lib/ordering.ts'
import { heading, startShop } from '../../lib/shop.ts'

test('the history and the notes of an order name staff, also after the account was deleted', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { service } = shop
  const { accessToken: token } = await service.signUp()
  const designId = await makeDesign(shop, { token, name: 'Mug' })
  const body = { items: [{ designId, quantity: 1 }], shippingAddress: ADDRESS }
  const order = (await service.request('POST', '/orders', { token, body })).body
  const [reader, actor] = [await service.signUp({ role: 'operator' }), await service.signUp({ role: 'operator' })]
  const act = (action: string, sent: object) =>
    service.request('POST', `/orders/${order.id}/${action}`, { token: actor.accessToken, body: sent })
  await act('payments', { method: 'manual' })
  await act('notes', { text: 'The customer has called.' })
  const page = await openConsole(shop, reader, `/orders/${order.id}`)
  await heading(page, new RegExp(order.number)).waitFor()
  await page.locator('.timeline').getByText(actor.email).first().waitFor()
  await page.locator('.notes').getByText(actor.email).waitFor()

  await sql`update users set deleted_at = now() where id = ${actor.userId}`.execute(service.db)
  await page.reload()
  await page.locator('.timeline').getByText('Deleted account').first().waitFor()
  await page.locator('.notes').getByText('Deleted account').waitFor()
  await page.locator('.timeline').getByText('Customer ·').waitFor()
})
