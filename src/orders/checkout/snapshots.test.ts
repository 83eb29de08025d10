import assert from 'node:assert/strict'
import { test } from 'node:test'
import { documentOf, startSignedIn, textLayer } from '../../designs/factory.ts'
import { changeProduct } from '../../products/change-product.ts'
import { ADDRESS } from '../factory.ts'

/** Orders a finalized design of a real product, from a quote or directly. */
async function orderDesign(shop: Awaited<ReturnType<typeof startSignedIn>>, { quoted }: { quoted: boolean }) {
  const { service, token, create } = shop
  const { body: design } = await create({ name: 'Ada’s card', document: documentOf([textLayer('Hello')]) })
  const finalized = await service.request('POST', `/designs/${design.id}/finalize`, { token })
  assert.equal(finalized.status, 200, finalized.text)
  const basket = { items: [{ designId: design.id, quantity: 2 }], shippingAddress: ADDRESS }
  const quoteId = quoted ? (await service.request('POST', '/quotes', { token, body: basket })).body.id : undefined
  const body = quoteId === undefined ? basket : { quoteId }
  const order = await service.request('POST', '/orders', { token, body })
  assert.equal(order.status, 201, order.text)
  return { design, order: order.body }
}

test('an order item keeps the names of product, variant and design of the time of the order', async (t) => {
  const shop = await startSignedIn(t)
  const { service, token, product, variantId } = shop
  for (const quoted of [false, true]) {
    const { design, order } = await orderDesign(shop, { quoted })
    const [item] = order.items
    const expected = {
      product: { id: product.id, name: 'Business card' },
      variant: { id: variantId, sku: 'CARD', options: {} },
      design: { id: design.id, name: 'Ada’s card' },
      previewUrl: `/v1/orders/${order.id}/items/${item.id}/files/preview-front`,
    }
    const snapshotOf = ({ product, variant, design, previewUrl }: typeof item) => ({
      product,
      variant,
      design,
      previewUrl,
    })
    assert.deepEqual(snapshotOf(item), expected)

    await service.db
      .transaction()
      .execute((trx) => changeProduct(trx, product.id, { name: 'Visiting card' }, service.clock.now()))
    await service.db.updateTable('designs').set({ name: 'Renamed' }).where('id', '=', design.id).execute()
    const read = await service.request('GET', `/orders/${order.id}`, { token })
    assert.deepEqual(read.body, order)
    await service.db
      .transaction()
      .execute((trx) => changeProduct(trx, product.id, { name: 'Business card' }, service.clock.now()))
  }
})

test('the preview of an order item is read by its owner and by operators only', async (t) => {
  const shop = await startSignedIn(t)
  const { service, token } = shop
  const { order } = await orderDesign(shop, { quoted: false })
  const path = order.items[0].previewUrl.replace(/^\/v1/, '')
  const operator = await service.signUp({ role: 'operator' })
  const stranger = await service.signUp()
  const read = async (credential?: string) =>
    (await service.request('GET', path, credential === undefined ? {} : { token: credential })).status
  assert.deepEqual(
    [await read(token), await read(operator.accessToken), await read(stranger.accessToken), await read()],
    [200, 200, 404, 401],
  )
})

test('an item of an order of an earlier version states what is known, and null for the rest', async (t) => {
  const shop = await startSignedIn(t)
  const { service, token, product, variantId } = shop
  const { design, order } = await orderDesign(shop, { quoted: false })
  await service.db.updateTable('order_items').set({ snapshot: null }).where('order_id', '=', order.id).execute()
  const { body } = await service.request('GET', `/orders/${order.id}`, { token })
  const [item] = order.items
  assert.deepEqual(body.items, [
    {
      ...item,
      product: { id: product.id, name: null },
      variant: { id: variantId, sku: null, options: null },
      design: { id: design.id, name: null },
    },
  ])
})

test('erasing an account removes the names of its designs from its orders and their events', async (t) => {
  const shop = await startSignedIn(t)
  const { service, token } = shop
  const { order } = await orderDesign(shop, { quoted: false })
  const operator = await service.signUp({ role: 'operator' })
  await service.request('POST', `/orders/${order.id}/cancel`, { token })
  assert.equal((await service.request('DELETE', '/me', { token })).status, 204)
  const { body } = await service.request('GET', `/orders/${order.id}`, { token: operator.accessToken })
  assert.deepEqual([body.items[0].design.name, body.items[0].product.name], [null, 'Business card'])
  const events = await service.db.selectFrom('events').select('data').where('subject', '=', order.id).execute()
  assert.doesNotMatch(JSON.stringify(events), /Ada’s card/)
})
