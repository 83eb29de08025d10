import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { until } from '../../../test/lib/until.ts'
import { fileBytesOf } from '../../designs/index.ts'
import { limitRuns } from '../../platform/jobs/jobs.ts'
import { createUnpaidBound } from '../../platform/storage/quota/unpaid.ts'
import { RenderFailed, type RenderFailure, RenderQueueFull } from '../../rendering/index.ts'
import { allJobs } from '../../worker.ts'
import { newId } from '../ids.ts'
import { PAUSES_SECONDS } from './draw-item-files.ts'
import { type CardShop, GREETING, pictureLayer, startCardShop, textOf } from './factory.ts'
import { drawJob } from './prepare-item-files.ts'

interface Item {
  id: string
  personalization: {
    status: string
    contentHash?: string
    files: { sha256: string; bytes: number }[]
    failure?: { code: string }
  }
}

async function personalizationOf(shop: CardShop, orderId: string, index = 0) {
  return ((await shop.read(orderId)).items as Item[])[index]?.personalization
}

const HOUR = 3600

/** Collects garbage as if all objects had been stored two days ago. */
async function collectStorage({ db, service }: CardShop) {
  await sql`update storage_objects set put_at = put_at - interval '2 days'`.execute(db)
  await allJobs(service.services)
    .find(({ name }) => name === 'storage.collect')
    ?.handle({}, { isLast: false })
}

test('later changes of design, image and product do not change the files of an order', async (t) => {
  const shop = await startCardShop(t)
  const { call, db } = shop
  const assetId = await shop.upload()
  const designId = await shop.finalize([GREETING, pictureLayer(assetId)])
  const [before, after] = [await shop.orderCards(designId, 'Ann'), await shop.orderCards(designId, 'Ann')]
  const later = await db.selectFrom('item_files').selectAll().where('order_id', '=', after.id).executeTakeFirstOrThrow()
  const [imageHash = ''] = later.sha256s
  await db.updateTable('item_files').set({ due_at: null }).where('order_id', '=', after.id).execute()
  await shop.draw()
  const expected = await personalizationOf(shop, before.id)
  assert.equal(expected?.status, 'ready')

  await call('DELETE', `/designs/${designId}`)
  await call('DELETE', `/assets/${assetId}`)
  await db.updateTable('products').set({ print_areas: '[]' }).where('id', '=', shop.product.id).execute()
  await collectStorage(shop)
  await db.updateTable('item_files').set({ due_at: later.due_at }).where('order_id', '=', after.id).execute()
  await shop.draw()
  assert.deepEqual(await personalizationOf(shop, after.id), expected)

  // The storage retains the rendered files, and no longer what they were rendered from.
  const images = await db.selectFrom('storage_objects').select('sha256').where('sha256', '=', imageHash).execute()
  assert.equal(images.length, 1)
  await collectStorage(shop)
  const left = await db.selectFrom('storage_objects').select('sha256').where('sha256', '=', imageHash).execute()
  assert.equal(left.length, 0)
  const path = `/orders/${after.id}/items/${after.items[0].id}/files/print`
  assert.equal((await shop.request('GET', path, { token: shop.customer.token })).status, 200)
})

test('erasure removes the texts of an order once the order has ended', async (t) => {
  const shop = await startCardShop(t)
  const { call, db, operator } = shop
  const assetId = await shop.upload()
  const designId = await shop.finalize([GREETING, pictureLayer(assetId)])
  const order = await shop.orderCards(designId, 'Quillfeather')
  await shop.pay(order.id)
  await call('DELETE', '/me')
  await shop.draw()
  const path = `/orders/${order.id}`
  const left = await shop.read(order.id, operator.token)
  assert.equal(left.items[0].personalization.status, 'ready')
  const file = `/production${path}/items/${order.items[0].id}/files/print`
  const print = await shop.request('GET', file, { token: operator.token })
  assert.equal(await textOf(print.body), 'HelloQuillfeather')

  for (const action of ['start-production', 'shipments']) {
    await call('POST', `${path}/${action}`, action === 'shipments' ? { carrier: 'DHL' } : {}, operator.token)
  }
  const [{ id: parcel }] = (await shop.read(order.id, operator.token)).shipments
  await call('POST', `${path}/shipments/${parcel}/deliver`, {}, operator.token)
  shop.service.clock.shift(2 * HOUR)
  const erasing = shop.service.services.auth.jobs.filter(({ name }) => name === 'auth.erase')
  assert.equal(erasing.length, 1)
  for (const job of erasing) await job.handle({}, { isLast: false })
  assert.deepEqual(await db.selectFrom('item_files').selectAll().execute(), [])
  const events = await db.selectFrom('events').select('data').execute()
  assert.equal(JSON.stringify(events).includes('Quillfeather'), false)
  assert.equal(JSON.stringify(events).includes('personalization'), false)
})

// Without the lease, two processes would render the same files; without the lease token, the first would overwrite the
// result of the second.
test('when the lease of a killed process expires, another process renders its files', async (t) => {
  const shop = await startCardShop(t)
  const order = await shop.orderCards(await shop.finalize(), 'Ann')
  const entered = Promise.withResolvers<void>()
  const open = Promise.withResolvers<void>()
  const { inBackground } = shop.deps.designs.renderer
  const stopped = shop.draw(
    shop.drawingWith(async (job, outDir) => {
      entered.resolve()
      await open.promise
      const files = await inBackground.print(job, outDir)
      return files.map((file) => ({ ...file, bytes: 1 }))
    }),
  )
  await entered.promise
  await shop.draw()
  assert.equal((await personalizationOf(shop, order.id))?.status, 'pending')
  shop.service.clock.shift(31)
  await shop.draw()
  const drawn = await personalizationOf(shop, order.id)
  assert.equal(drawn?.status, 'ready')
  open.resolve()
  await stopped
  assert.deepEqual(await personalizationOf(shop, order.id), drawn)

  const next = await shop.orderCards(order.items[0].designId, 'Bob')
  let tries = 0
  const killed = shop.drawingWith(() => {
    tries += 1
    return Promise.reject(new RenderFailed('crash', 'the drawing process was killed'))
  })
  await shop.draw(killed)
  assert.equal((await personalizationOf(shop, next.id))?.status, 'pending')
  shop.service.clock.shift(PAUSES_SECONDS[0] ?? 0)
  await shop.draw()
  assert.deepEqual([tries, (await personalizationOf(shop, next.id))?.status], [1, 'ready'])
})

test('an item that exceeds the time limit twice is not tried again', async (t) => {
  const shop = await startCardShop(t)
  const order = await shop.orderCards(await shop.finalize(), 'Ann')
  await shop.pay(order.id)
  const timingOut = shop.drawingWith(() => Promise.reject(new RenderFailed('timeout', 'for the test')))
  await shop.draw(timingOut)
  assert.equal((await personalizationOf(shop, order.id))?.status, 'pending')
  shop.service.clock.shift(PAUSES_SECONDS[0] ?? 0)
  await shop.draw(timingOut)
  assert.equal((await personalizationOf(shop, order.id))?.status, 'failed')
})

test('rendering fails with a reason after the last try, and an operator can retry it', async (t) => {
  const shop = await startCardShop(t)
  const { request, operator, customer, service } = shop
  const order = await shop.orderCards(await shop.finalize(), 'Ann')
  await shop.pay(order.id)
  const path = `/orders/${order.id}`
  const failing = (cause: RenderFailure) =>
    shop.drawingWith(() => Promise.reject(new RenderFailed(cause, 'for the test')))
  const act = (action: string, token = operator.token) => request('POST', `${path}/${action}`, { token })
  const retry = `items/${order.items[0].id}/files/retry`
  for (const pauseSeconds of PAUSES_SECONDS) {
    await shop.draw(failing('crash'))
    await shop.draw(failing('memory'))
    assert.equal((await personalizationOf(shop, order.id))?.status, 'pending')
    service.clock.shift(pauseSeconds)
  }
  await shop.draw(failing('timeout'))
  const failure = { code: 'drawing_timed_out', detail: 'Rendering exceeded its time limit.' }
  assert.deepEqual(await personalizationOf(shop, order.id), { status: 'failed', files: [], failure })
  const metrics = await request('GET', `${service.origin}/metrics`, { token: operator.token })
  assert.match(metrics.body.toString(), /item_files_failed_total\{failure="drawing_timed_out"\} 1/)
  const refused = await act('start-production')
  assert.deepEqual([refused.status, /have failed/.test(refused.body.detail)], [409, true])
  assert.equal((await act(retry, customer.token)).status, 403)
  assert.equal((await act(`items/${newId('orderItem')}/files/retry`)).body.code, 'order_item_not_found')

  const asked = await act(retry)
  assert.deepEqual([asked.status, asked.body.items[0].personalization], [202, { status: 'pending', files: [] }])
  assert.equal((await act(retry)).status, 202)
  // A retry by an operator starts again with the full number of tries.
  await shop.draw(failing('error'))
  assert.equal((await personalizationOf(shop, order.id))?.status, 'pending')
  await act(retry)
  await shop.draw()
  assert.equal((await personalizationOf(shop, order.id))?.status, 'ready')
  const late = await act(retry)
  assert.deepEqual([late.status, late.body.code], [409, 'item_files_not_failed'])
  assert.equal((await act('start-production')).status, 200)
})

test('files fail after they killed the service several times', async (t) => {
  const shop = await startCardShop(t)
  const order = await shop.orderCards(await shop.finalize(), 'Ann')
  // Leaves the state of a process that died while it rendered.
  await shop.db
    .updateTable('item_files')
    .set({ attempts: PAUSES_SECONDS.length + 1 })
    .execute()
  let tries = 0
  await shop.draw(
    shop.drawingWith((job, outDir) => {
      tries += 1
      return shop.deps.designs.renderer.inBackground.print(job, outDir)
    }),
  )
  assert.deepEqual([tries, (await personalizationOf(shop, order.id))?.failure?.code], [0, 'drawing_failed'])
})

test('cancelling an order ends its rendering for good', async (t) => {
  const shop = await startCardShop(t)
  const order = await shop.orderCards(await shop.finalize([GREETING, pictureLayer(await shop.upload())]), 'Ann')
  const { sha256s } = await shop.db.selectFrom('item_files').select('sha256s').executeTakeFirstOrThrow()
  assert.equal(sha256s.length, 1)
  let tries = 0
  const cancelledMeanwhile = shop.drawingWith(async (job, outDir) => {
    tries += 1
    await shop.call('POST', `/orders/${order.id}/cancel`)
    return shop.deps.designs.renderer.inBackground.print(job, outDir)
  })
  await shop.draw(cancelledMeanwhile)
  await shop.draw(cancelledMeanwhile)
  assert.equal(tries, 1)
  assert.equal((await personalizationOf(shop, order.id))?.failure?.code, 'order_cancelled')
  assert.deepEqual((await shop.db.selectFrom('item_files').select('sha256s').execute())[0], { sha256s: [] })
  const path = `/orders/${order.id}/items/${order.items[0].id}/files/retry`
  const retried = await shop.request('POST', path, { token: shop.operator.token })
  assert.deepEqual([retried.status, retried.body.orderStatus], [409, 'cancelled'])
})

test('a try does not count while the renderer or the storage is unavailable', async (t) => {
  const shop = await startCardShop(t)
  const order = await shop.orderCards(await shop.finalize(), 'Ann', 'Bob')
  const errors = [
    new RenderQueueFull(),
    new RenderFailed('unavailable', 'closed'),
    new RenderFailed('error', 'no space left on the device', 'ENOSPC'),
  ]
  let tries = 0
  const rounds = 3 * PAUSES_SECONDS.length
  for (let round = 0; round < rounds; round += 1) {
    await shop.draw(
      shop.drawingWith(() => {
        tries += 1
        return Promise.reject(errors[round % 3] ?? new RenderQueueFull())
      }),
    )
    shop.service.clock.shift(21)
  }
  // The run stops after one try, because other items would fail for the same reason.
  assert.equal(tries, rounds)
  await shop.draw()
  assert.equal((await personalizationOf(shop, order.id, 0))?.status, 'ready')
  assert.equal((await personalizationOf(shop, order.id, 1))?.status, 'ready')
})

test('a job runs in its places only, and requests without a place start one more run', async () => {
  const gates: ((isLeft: boolean) => void)[] = []
  let asked = 0
  const run = limitRuns(
    2,
    () => new Promise<boolean>((resolve) => gates.push(resolve)),
    async () => {
      asked += 1
    },
  )
  const [first, second] = [run(), run()]
  await Promise.all([run(), run()])
  assert.equal(gates.length, 2)
  gates[0]?.(false)
  // The run ends even if new items arrive all the time, because an endless job could not be stopped.
  await first
  assert.deepEqual([gates.length, asked], [2, 1])
  const third = run()
  assert.equal(gates.length, 3)
  gates[1]?.(false)
  gates[2]?.(false)
  await Promise.all([second, third])
  assert.equal(asked, 1)
  const fourth = run()
  gates[3]?.(true)
  await fourth
  assert.equal(asked, 2)
})

// A font can make the files of an item hundreds of times as large as those of its design.
test('files of unpaid items count with their size, and without room they wait for the payment', async (t) => {
  const shop = await startCardShop(t)
  const order = await shop.orderCards(await shop.finalize(), 'ABCDEFGHIJKLMN', 'ABCDEFGHIJKLMN')
  const next = await shop.orderCards(order.items[0].designId, 'Bob')
  const [finalizationId] = order.items.map((item: { finalizationId: string }) => item.finalizationId)
  const estimated = (await fileBytesOf(shop.db, [finalizationId])).get(finalizationId) ?? 0
  const counted = async (): Promise<number> =>
    Number(
      (await sql<{ bytes: number }>`select bytes from storage_unpaid where subject = ${order.id}`.execute(shop.db))
        .rows[0]?.bytes,
    )
  const before = await counted()
  await shop.db.updateTable('item_files').set({ due_at: null }).where('order_id', '=', next.id).execute()
  await shop.draw()
  const files = (await personalizationOf(shop, order.id))?.files ?? []
  const drawn = files.reduce((total, { bytes }) => total + bytes, 0)
  assert.ok(drawn > estimated)
  // The second item has the files of the first one.
  assert.equal(await counted(), before + drawn - estimated)

  const full = { quota: { unpaid: createUnpaidBound(1) } }
  await shop.db
    .updateTable('item_files')
    .set({ due_at: new Date(0) })
    .where('order_id', '=', next.id)
    .execute()
  await shop.draw(full)
  const { due_at, attempts } = await shop.db
    .selectFrom('item_files')
    .select(['due_at', 'attempts'])
    .where('order_id', '=', next.id)
    .executeTakeFirstOrThrow()
  assert.deepEqual([due_at, attempts, (await personalizationOf(shop, next.id))?.status], [null, 0, 'pending'])
  await shop.pay(next.id)
  await shop.draw(full)
  assert.equal((await personalizationOf(shop, next.id))?.status, 'ready')
})

test('beyond the limit of unpaid items, files are rendered after payment', async (t) => {
  const shop = await startCardShop(t)
  const designId = await shop.finalize()
  const names = Array.from({ length: 100 }, () => 'Ann')
  const [first, second] = [await shop.orderCards(designId, ...names), await shop.orderCards(designId, ...names)]
  const third = await shop.orderCards(designId, 'Bob')
  const due = await shop.db.selectFrom('item_files').select('item_id').where('due_at', 'is not', null).execute()
  assert.equal(due.length, 200)
  const { rows: jobs } = await sql`
    select from graphile_worker.jobs where task_identifier = ${drawJob.name}`.execute(shop.db)
  assert.equal(jobs.length, 2)

  // One item of each order is enough for this test.
  const shown = [first.items[0].id, third.items[0].id]
  await shop.db.updateTable('item_files').set({ due_at: null }).where('item_id', 'not in', shown).execute()
  shop.service.startJobs()
  const untilReady = (orderId: string) =>
    until('the files', async () => (await personalizationOf(shop, orderId))?.status === 'ready')
  await untilReady(first.id)
  assert.equal((await personalizationOf(shop, second.id))?.status, 'pending')
  assert.equal((await personalizationOf(shop, third.id))?.status, 'pending')
  await shop.pay(third.id)
  await untilReady(third.id)
})

// A client may open any number of guests.
test('all guests of one network together have the limit of unpaid items', async (t) => {
  const shop = await startCardShop(t)
  const names = Array.from({ length: 100 }, () => 'Ann')
  for (let guest = 1; guest <= 2; guest += 1) await shop.orderAsGuest('192.0.2.1', ...names)
  const third = await shop.orderAsGuest('192.0.2.1', 'Bob')
  const waiting = await shop.db.selectFrom('item_files').select('order_id').where('due_at', 'is', null).execute()
  assert.deepEqual(
    waiting.map(({ order_id }) => order_id),
    [third.id],
  )
})
