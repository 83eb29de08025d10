import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { sql } from 'kysely'
import { GREETING, pictureLayer, startCardShop, textOf } from './factory.ts'

const MIGRATION = new URL('../../../migrations/0011_item_files.sql', import.meta.url)

test('the migration plans files for the items of older orders', async (t) => {
  const shop = await startCardShop(t)
  const { db } = shop
  const assetId = await shop.upload()
  const designId = await shop.finalize([GREETING, pictureLayer(assetId), { ...pictureLayer(assetId), id: 'again' }])
  const [paid, unpaid, cancelled] = [
    await shop.orderCards(designId, 'Ann'),
    await shop.orderCards(designId, 'Bob'),
    await shop.orderCards(designId, 'Eve'),
  ]
  await shop.pay(paid.id)
  await shop.call('POST', `/orders/${cancelled.id}/cancel`)
  const newRows = () =>
    db
      .selectFrom('item_files')
      .select(['item_id', 'status', 'sources', 'sha256s'])
      .where('order_id', '!=', cancelled.id)
      .orderBy('item_id')
      .execute()
  const expected = await newRows()
  await db.deleteFrom('item_files').execute()
  const [, insertion = ''] = /\n(insert into item_files[^;]*);/.exec(await readFile(MIGRATION, 'utf8')) ?? []
  await sql.raw(insertion).execute(db)

  assert.deepEqual(await newRows(), expected)
  assert.equal((await db.selectFrom('item_files').selectAll().execute()).length, 2)
  shop.service.clock.shift(60)
  await shop.draw()
  const statusOf = async (id: string) => (await shop.read(id)).items[0].personalization.status
  assert.deepEqual([await statusOf(paid.id), await statusOf(unpaid.id)], ['ready', 'pending'])
  const { token } = shop.customer
  const file = await shop.request('GET', `/orders/${paid.id}/items/${paid.items[0].id}/files/print`, { token })
  assert.equal(await textOf(file.body), 'HelloAnn')
  await shop.pay(unpaid.id)
  await shop.draw()
  assert.equal(await statusOf(unpaid.id), 'ready')
})

// During a rollout, a process of the previous release can still create orders.
test('an item of an older order cannot be produced before an operator retries its files', async (t) => {
  const shop = await startCardShop(t)
  const { request, operator } = shop
  const order = await shop.orderCards(await shop.finalize(), 'Ann')
  await shop.pay(order.id)
  await shop.db.deleteFrom('item_files').execute()
  const act = (action: string) => request('POST', `/orders/${order.id}/${action}`, { token: operator.token })
  const refused = await act('start-production')
  assert.deepEqual([refused.status, refused.body.code], [409, 'order_action_refused'])
  assert.match(refused.body.detail, /has no print files/)

  const asked = await act(`items/${order.items[0].id}/files/retry`)
  assert.deepEqual([asked.status, asked.body.items[0].personalization], [202, { status: 'pending', files: [] }])
  await shop.draw()
  assert.equal((await act('start-production')).status, 200)
})

test('an order is refused if an image of its design was collected, and retains images until it commits', async (t) => {
  const shop = await startCardShop(t)
  const designId = await shop.finalize([GREETING, pictureLayer(await shop.upload())])
  await sql`delete from storage_objects using assets where assets.sha256 = storage_objects.sha256`.execute(shop.db)
  const { token } = shop.customer
  const answer = await shop.request('POST', '/orders', { token, body: shop.basket(designId, { name: 'Ann' }) })
  assert.deepEqual([answer.status, answer.body.code], [503, 'storage_unavailable'])
  assert.deepEqual((await shop.call('GET', '/orders')).data, [])
})
