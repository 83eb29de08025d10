import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADDRESS } from '../../../src/orders/factory.ts'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectAccessible } from '../../lib/browser/watched-page.ts'
import { openConsole } from '../../lib/pages/console.ts'
import { makeDesign } from '../../lib/pages/ordering.ts'
import { heading, type Shop, startShop } from '../../lib/pages/shop.ts'

const TERMS = {
  ...{ id: 'terms', name: 'Terms', type: 'text', x: 10, y: 40, width: 150, height: 16 },
  ...{ text: 'Small print', fontFamily: 'Inter', fontSizePt: 5.5 },
}

/** Creates and finalizes a mug with a text that is too small. */
async function makeSmallPrint({ service }: Shop, token: string): Promise<string> {
  const { body: catalogue } = await service.request('GET', '/products?limit=100', { token })
  const product = catalogue.data.find(({ name }: { name: string }) => name === 'Mug')
  const document = { version: 1, placements: [{ printAreaId: 'wrap', layers: [TERMS] }] }
  const body = { productId: product.id, variantId: product.variants[0].id, name: 'Small print', document }
  const { id } = (await service.request('POST', '/designs', { token, body })).body
  assert.equal((await service.request('POST', `/designs/${id}/finalize`, { token })).status, 200)
  return id
}

test('the page of an order shows the preflight report of each item', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { service } = shop
  const { accessToken: token } = await service.signUp()
  const designs = [await makeSmallPrint(shop, token), await makeDesign(shop, { token, name: 'Mug' })]
  const items = designs.map((designId) => ({ designId, quantity: 1 }))
  const { id, number } = (
    await service.request('POST', '/orders', { token, body: { items, shippingAddress: ADDRESS } })
  ).body
  const page = await openConsole(shop, await service.signUp({ role: 'operator' }), `/orders/${id}`)
  await heading(page, new RegExp(number)).waitFor()
  const [small, fine] = [page.locator('.item').first(), page.locator('.item').nth(1)]
  const report = small.getByRole('region', { name: 'Preflight' })
  await report.getByText('Preflight found one issue').waitFor()
  assert.match(
    await report.getByRole('listitem').innerText(),
    /^Warning\s+Terms\s+The text has 5\.5\u00a0pt, and 7\u00a0pt or more is easy to read\.\s+text_too_small$/,
  )
  await fine.getByText('Preflight found no issues.').waitFor()
  assert.equal(await fine.getByRole('region', { name: 'Preflight' }).count(), 0)
  await expectAccessible(page, 'an order with an issue of preflight')
})
