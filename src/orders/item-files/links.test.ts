import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestResponse } from '../../../test/harness.ts'
import { startCardShop, textOf } from './factory.ts'

type Test = Parameters<typeof startCardShop>[0]

async function startWithOrder(t: Test) {
  const shop = await startCardShop(t)
  const order = await shop.orderCards(await shop.finalize(), 'Ann')
  const itemId: string = order.items[0].id
  const link = (by: string, body: object = { itemId, file: 'print' }): Promise<TestResponse> =>
    shop.request('POST', `/orders/${order.id}/links`, { token: by, body })
  const follow = (url: string): Promise<TestResponse> => {
    const { pathname, search } = new URL(url)
    return shop.request('GET', `${shop.service.origin}${pathname}${search}`)
  }
  return { shop, order, itemId, link, follow }
}

const refusalOf = ({ status, body }: TestResponse) => [status, body.code]

test('customer and operators link to the files of an order item', async (t) => {
  const { shop, itemId, link, follow } = await startWithOrder(t)
  const { customer, operator } = shop
  assert.deepEqual(refusalOf(await link(customer.token)), [409, 'item_files_not_ready'])
  await shop.draw()
  for (const { token } of [customer, operator]) {
    const made = await link(token)
    assert.equal(made.status, 201)
    const file = await follow(made.body.url)
    assert.equal(await textOf(file.body), 'HelloAnn')
    assert.match(file.headers.get('cache-control') ?? '', /^private, max-age=3[56]\d\d, immutable$/)
  }
  const stranger = await shop.signUp()
  assert.deepEqual(refusalOf(await link(stranger.token)), [404, 'order_not_found'])
  assert.deepEqual(refusalOf(await link(customer.token, { itemId, file: 'cut' })), [404, 'file_not_found'])
  const other = { itemId: 'itm_01h455vb4pex5vsknk084sn02q', file: 'print' }
  assert.deepEqual(refusalOf(await link(customer.token, other)), [404, 'file_not_found'])
  const made = (await link(customer.token)).body.url
  assert.deepEqual(refusalOf(await follow(made.replace('by=customer', 'by=operator'))), [403, 'link_invalid'])
})

test('a link of the customer ends with the account, one of an operator when the order is erased', async (t) => {
  const { shop, order, itemId, link, follow } = await startWithOrder(t)
  await shop.draw()
  await shop.pay(order.id)
  const body = { itemId, file: 'print', expiresInSeconds: 86_400 }
  const [byCustomer, byOperator] = [await link(shop.customer.token, body), await link(shop.operator.token, body)]
  assert.equal((await shop.request('DELETE', '/me', { token: shop.customer.token })).status, 204)
  assert.deepEqual(refusalOf(await follow(byCustomer.body.url)), [403, 'link_invalid'])
  assert.equal((await follow(byOperator.body.url)).status, 200)
  await shop.call('POST', `/orders/${order.id}/cancel`, {}, shop.operator.token)
  // Requests that were in flight when the account was deleted have ended.
  shop.service.clock.shift(2 * 3_600)
  assert.equal((await follow(byOperator.body.url)).status, 200)
  await shop.service.services.auth.jobs.find(({ name }) => name === 'auth.erase')?.handle({})
  assert.deepEqual(refusalOf(await follow(byOperator.body.url)), [403, 'link_invalid'])
})
