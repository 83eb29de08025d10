import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textLayer } from '../../designs/factory.ts'
import { RenderFailed } from '../../rendering/index.ts'
import type { OrderBody } from '../order/bodies/schemas.ts'
import { type CardShop, startCardShop, textOf } from './factory.ts'

const namesOf = (statuses: { personalization?: { status: string } }[]) =>
  statuses.map(({ personalization }) => personalization?.status)

test('production of an order requires a print file with the texts of each item', async (t) => {
  const shop = await startCardShop(t)
  const { request, operator, customer } = shop
  const designId = await shop.finalize()
  const order = await shop.orderCards(designId, 'Ann', 'Bob')
  const path = `/orders/${order.id}`
  assert.deepEqual(order.items[0].personalization, { status: 'pending', files: [] })
  await shop.pay(order.id)

  const early = await request('POST', `${path}/start-production`, { token: operator.token })
  assert.deepEqual([early.status, early.body.code], [409, 'order_action_refused'])
  assert.match(early.body.detail, /still being rendered/)
  const waiting = await shop.read(order.id, operator.token)
  assert.deepEqual(waiting.items[0].files, [])
  const start = waiting.availableActions.find(({ action }: { action: string }) => action === 'start_production')
  assert.deepEqual(start, { action: 'start_production', allowed: false, reason: early.body.detail })
  const bytesOf = (item: number, file = 'print', token = operator.token, root = '/production') =>
    request('GET', `${root}${path}/items/${order.items[item].id}/files/${file}`, { token })
  const none = await bytesOf(0)
  assert.deepEqual(
    [none.status, none.body.code, none.body.personalizationStatus],
    [409, 'item_files_not_ready', 'pending'],
  )

  await shop.draw()
  const ready = await shop.read(order.id, operator.token)
  assert.deepEqual(namesOf(ready.items), ['ready', 'ready'])
  for (const [index, name] of ['Ann', 'Bob'].entries()) {
    const { files, personalization, receipt } = ready.items[index]
    assert.deepEqual(files, personalization.files)
    assert.ok(receipt)
    const print = await bytesOf(index)
    assert.equal(await textOf(print.body), `Hello${name}`)
    assert.equal(print.headers.get('etag'), `"${files[0].sha256}"`)
    assert.match(print.headers.get('content-disposition') ?? '', new RegExp(`${order.number}-${index + 1}-print.pdf`))
  }
  const pageOf = (page: number, query = '', file = 'print', token = operator.token) =>
    request('GET', `/production${path}/items/${order.items[1].id}/files/${file}/pages/${page}${query}`, { token })
  const page = await pageOf(1, '?width=85')
  assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'image/webp'])
  for (const none of [await pageOf(3), await pageOf(1, '', 'preview-front'), await pageOf(1, '', 'other')]) {
    assert.deepEqual([none.status, none.body.code], [404, 'file_not_found'])
  }
  assert.deepEqual([(await pageOf(0)).status, (await pageOf(1, '?width=2001')).status], [400, 400])
  assert.equal((await pageOf(1, '', 'print', customer.token)).status, 403)
  const [ann, bob] = ready.items.map(({ personalization }: { personalization: object }) => personalization)
  assert.notEqual(ann.contentHash, bob.contentHash)

  const mine = await shop.read(order.id)
  assert.deepEqual(mine.items[0].personalization, ann)
  assert.equal(mine.items[0].files, undefined)
  assert.equal((await bytesOf(0, 'preview-front', customer.token, '')).headers.get('content-type'), 'image/webp')
  const stranger = await shop.signUp()
  assert.equal((await bytesOf(0, 'print', stranger.token, '')).status, 404)
  assert.equal((await bytesOf(0, 'print', customer.token)).status, 403)
  const started = await request('POST', `${path}/start-production`, { token: operator.token })
  assert.deepEqual([started.status, started.body.status], [200, 'in_production'])
})

test('items with equal texts share files that are rendered once per order', async (t) => {
  const shop = await startCardShop(t)
  const designId = await shop.finalize()
  let drawn = 0
  const { inBackground } = shop.deps.designs.renderer
  const counting = shop.drawingWith((job, outDir) => {
    drawn += 1
    return inBackground.print(job, outDir)
  })
  const first = await shop.orderCards(designId, 'Ann', 'Bob', 'Ann')
  await shop.draw(counting)
  assert.equal(drawn, 2)
  const again = await shop.orderCards(designId, 'Ann')
  await shop.draw(counting)
  const filesOf = async (id: string) =>
    (await shop.read(id)).items.map(({ personalization }: { personalization: object }) => personalization)
  const [ann, bob, other] = await filesOf(first.id)
  assert.deepEqual(other, ann)
  assert.notDeepEqual(bob, ann)
  assert.deepEqual(await filesOf(again.id), [ann])
})

test('an item without placeholders uses the files of its design', async (t) => {
  const shop = await startCardShop(t)
  const designId = await shop.finalize([textLayer('Hello')])
  const order = await shop.call('POST', '/orders', shop.basket(designId, undefined))
  assert.equal('personalization' in order.items[0], false)
  const path = `/orders/${order.id}/items/${order.items[0].id}/files/print`
  const file = await shop.request('GET', path, { token: shop.customer.token })
  assert.equal(await textOf(file.body), 'Hello')
})

/** Returns the events of an order. */
async function eventsOf({ db }: CardShop, orderId: string) {
  const events = db.selectFrom('events').select(['type', 'data']).where('subject', '=', orderId)
  return (await events.orderBy('sequence').execute()).map(({ type, data }) => ({ type, data: data as OrderBody }))
}

test('one event states that all print files of an order are ready, another that those of an item failed', async (t) => {
  const shop = await startCardShop(t)
  const designId = await shop.finalize()
  const ready = await shop.orderCards(designId, 'Ann', 'Bob')
  await shop.draw()
  const [created, drawn, ...more] = await eventsOf(shop, ready.id)
  assert.deepEqual([created?.type, drawn?.type, more], ['order.created', 'design.files_ready', []])
  assert.deepEqual(namesOf(drawn?.data.items ?? []), ['ready', 'ready'])
  const failed = await shop.orderCards(designId, 'Eve')
  const failing = shop.drawingWith(async () => {
    throw new RenderFailed('error', 'cannot be drawn')
  })
  for (let attempt = 0; attempt < 5; attempt += 1) {
    await shop.draw(failing)
    shop.service.clock.shift(600)
  }
  const [, last] = await eventsOf(shop, failed.id)
  assert.equal(last?.type, 'design.files_failed')
  assert.deepEqual(namesOf(last?.data.items ?? []), ['failed'])
})

// Each event contains the whole order, so one for each item would store a large order a hundred times.
test('however many items of an order fail, two events report it: the first failure, and the end', async (t) => {
  const shop = await startCardShop(t)
  const order = await shop.orderCards(await shop.finalize(), 'Ann', 'Bob', 'Cid', 'Dan')
  const { inBackground } = shop.deps.designs.renderer
  const failing = shop.drawingWith(async (job, outDir) => {
    if (job.data?.['name'] === 'Dan') return inBackground.print(job, outDir)
    throw new RenderFailed('error', 'cannot be drawn')
  })
  await shop.db.updateTable('item_files').set({ attempts: 4 }).where('order_id', '=', order.id).execute()
  while (await shop.draw(failing));
  const [created, first, end, ...more] = await eventsOf(shop, order.id)
  assert.deepEqual(
    [created?.type, first?.type, end?.type, more],
    ['order.created', 'design.files_failed', 'design.files_failed', []],
  )
  assert.equal(namesOf(first?.data.items ?? []).filter((status) => status === 'failed').length, 1)
  assert.deepEqual(namesOf(end?.data.items ?? []), ['failed', 'failed', 'failed', 'ready'])
})
