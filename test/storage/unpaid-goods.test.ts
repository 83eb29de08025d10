import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import sharp from 'sharp'
import { CARD, documentOf, imageLayer, openWithDesign, requestOf, textLayer } from '../../src/designs/factory.ts'
import {
  finalizeDesign,
  finalizeDesignLater,
  resumeFinalization,
} from '../../src/designs/finalization/finalize-design.ts'
import { QUEUED_LEASE_SECONDS } from '../../src/designs/finalization/lease.ts'
import { finalizedBytes } from '../../src/designs/store.ts'
import { ADDRESS, startShop } from '../../src/orders/factory.ts'
import { createUnpaidBound } from '../../src/platform/storage/quota/unpaid.ts'
import { createProduct } from '../../src/products/change-product.ts'
import { type TestResponse, untilBlocked } from '../harness.ts'

const MIB = 1024 * 1024
const DAY = 24 * 3600
const PERMISSIONS = ['designs:write', 'designs:read', 'orders:write', 'orders:read', 'assets:write']

/**
 * Starts a shop in which an account may add 1 MiB a day without paying. Returns also the requests of a customer who
 * uses an API key.
 */
async function startBounded(t: TestContext) {
  const shop = await startShop(t, undefined, { env: { PLATEN_STORAGE_QUOTA_MIB: '1' } })
  const { request, service } = shop
  const product = await shop.db.transaction().execute((trx) => createProduct(trx, CARD, service.clock.now()))
  const by = (token: string) => {
    const call = (method: string, path: string, body?: unknown) =>
      request(method, path, { token, ...(body === undefined ? {} : { body }) })
    return {
      call,
      upload: async (picture: Buffer): Promise<string> => {
        const options = { token, body: picture, headers: { 'content-type': 'image/jpeg' } }
        const { status, body, text } = await request('POST', '/assets', options)
        assert.equal(status, 201, text)
        return body.id
      },
      /** Creates a draft with an image, and with a text that makes its print file unique. */
      draft: async (assetId: string, text: string): Promise<string> => {
        const document = documentOf([imageLayer(assetId), textLayer(text)])
        const members = { productId: product.id, variantId: product.variants[0]?.id, document }
        return (await call('POST', '/designs', members)).body.id
      },
      finalize: (designId: string) => call('POST', `/designs/${designId}/finalize`),
      order: (designId: string, members: object = {}) =>
        call('POST', '/orders', { items: [{ designId, quantity: 1 }], shippingAddress: ADDRESS, ...members }),
    }
  }
  const customer = await shop.signUpKey('customer', PERMISSIONS)
  return { ...shop, by, customer, ...by(customer.token) }
}

/** Makes a JPEG of about 300 kB. Each print file contains its bytes. */
function makePhoto(): Promise<Buffer> {
  return sharp(randomBytes(500 * 500 * 3), { raw: { width: 500, height: 500, channels: 3 } })
    .jpeg({ quality: 90 })
    .toBuffer()
}

function assertExceeded({ status, body, text }: TestResponse): void {
  assert.deepEqual([status, body.code, body.quota], [413, 'storage_quota_exceeded', MIB], text.slice(0, 500))
  assert.ok(body.used > 0 && body.used <= MIB, text)
  assert.match(body.detail, /count for 24 hours/)
}

/** Makes a text of the given number of bytes that does not compress. */
const noise = (bytes: number) => randomBytes(bytes / 2).toString('hex')
const metadata = (bytes: number) =>
  Object.fromEntries(Array.from({ length: Math.ceil(bytes / 500) }, (_, i) => [`k${i}`, noise(500)]))

test('the size of the print files that an account has not paid for is limited for a day', async (t) => {
  const { service, call, upload, draft, finalize, order } = await startBounded(t)
  const assetId = await upload(await makePhoto())
  const designIds = await Promise.all(Array.from({ length: 12 }, (_, i) => draft(assetId, `No. ${i}`)))
  const finalized: string[] = []
  let refused: { designId: string; answer: TestResponse } | undefined
  for (const designId of designIds) {
    const answer = await finalize(designId)
    if (answer.status !== 200) {
      refused = { designId, answer }
      break
    }
    finalized.push(designId)
  }
  assert.ok(refused !== undefined, 'all were finalized')
  assertExceeded(refused.answer)
  assert.ok(finalized.length >= 1 && finalized.length <= 3, `${finalized.length} were finalized`)
  const { designId } = refused
  assert.equal((await call('GET', `/designs/${designId}`)).body.status, 'draft')
  const again = await finalize(finalized[0] ?? '')
  assert.equal(again.status, 200, 'asked again, it adds nothing')
  assertExceeded(await call('POST', `/designs/${designId}/finalize`))

  const { body: made } = await order(finalized[0] ?? '')
  assertExceeded(await finalize(designId))
  assert.equal((await call('POST', `/orders/${made.id}/cancel`)).status, 200)
  assertExceeded(await finalize(designId))
  const { body: paid } = await order(finalized[0] ?? '')
  assert.equal((await call('POST', `/orders/${paid.id}/pay`, { token: 'test_ok' })).status, 200)
  assert.equal((await finalize(designId)).status, 200)

  assertExceeded(await finalize(designIds.at(-1) ?? ''))
  service.clock.shift(DAY)
  assert.equal((await finalize(designIds.at(-1) ?? '')).status, 200)
})

test('the limit of unpaid storage does not apply to operators, who finalize and order for others', async (t) => {
  const { by, signUpKey } = await startBounded(t)
  const operator = by((await signUpKey('operator', PERMISSIONS)).token)
  const assetId = await operator.upload(await makePhoto())
  for (const text of ['a', 'b', 'c', 'd', 'e']) {
    assert.equal((await operator.finalize(await operator.draft(assetId, text))).status, 200)
  }
})

test('unpaid orders and quotes count towards the limit by their size in the database', async (t) => {
  const { customer, finalizedDesign, call, order, db } = await startBounded(t)
  const designId = await finalizedDesign({ ownerId: customer.userId })
  const answers: TestResponse[] = []
  while (answers.length < 50 && answers.at(-1)?.status !== 413) {
    const answer = await order(designId, { metadata: metadata(20_000) })
    answers.push(answer)
    // A cancelled order still occupies space.
    if (answer.status === 201) await call('POST', `/orders/${answer.body.id}/cancel`)
  }
  assertExceeded(answers.at(-1) as TestResponse)
  const { rows } = await sql<{ bytes: number }>`
    select (pg_total_relation_size('orders') + pg_total_relation_size('events'))::int as bytes`.execute(db)
  assert.ok((rows[0]?.bytes ?? 0) < 2 * MIB, `${rows[0]?.bytes} bytes`)
  assertExceeded(await order(designId, { metadata: metadata(20_000) }))

  const names = Array.from({ length: 100 }, () => ({ designId, quantity: 1 }))
  const quote = () => call('POST', '/quotes', { items: names, shippingAddress: ADDRESS })
  const statuses: number[] = []
  for (let tries = 0; tries < 50 && statuses.at(-1) !== 413; tries += 1) statuses.push((await quote()).status)
  assert.equal(statuses.at(-1), 413)
})

test('repeated cancellations store no response, whatever their keys', async (t) => {
  const { customer, finalizedDesign, request, order, db } = await startBounded(t)
  const { body: made } = await order(await finalizedDesign({ ownerId: customer.userId }))
  for (const key of ['a', 'b', 'c', 'a']) {
    const options = { token: customer.token, headers: { 'idempotency-key': key } }
    const { status, body } = await request('POST', `/orders/${made.id}/cancel`, options)
    assert.deepEqual([status, body.status], [200, 'cancelled'])
  }
  const { rows } = await sql<{ key: string }>`select key from idempotency_keys`.execute(db)
  assert.deepEqual(rows, [{ key: 'a' }])
})

test('files of items that would exceed the limit are rendered when their order is paid for', async (t) => {
  const { call, upload, draft, finalize, db } = await startBounded(t)
  const designId = await draft(await upload(await makePhoto()), 'For {{name}}')
  assert.equal((await finalize(designId)).status, 200)
  const items = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ designId, quantity: 1, data: { name: `N ${i}` } }))
  const dueOf = async (orderId: string): Promise<number> => {
    const { rows } = await sql<{ due: number }>`
      select count(due_at)::int as due from item_files where order_id = ${orderId}`.execute(db)
    return rows[0]?.due ?? -1
  }
  const small = await call('POST', '/orders', { items: items(1), shippingAddress: ADDRESS })
  assert.equal(small.status, 201, small.text)
  assert.equal(await dueOf(small.body.id), 1)
  const large = await call('POST', '/orders', { items: items(20), shippingAddress: ADDRESS })
  assert.equal(large.status, 201, large.text)
  assert.equal(await dueOf(large.body.id), 0)
  assert.equal((await call('POST', `/orders/${large.body.id}/pay`, { token: 'test_ok' })).status, 200)
  assert.equal(await dueOf(large.body.id), 20)
})

// Otherwise a customer could fill the disk by paying and cancelling repeatedly.
test('what a cancelled order stores counts again, except a design in another paid order', async (t) => {
  const { call, upload, draft, finalize, order, db } = await startBounded(t)
  const assetId = await upload(await makePhoto())
  const [once, twice] = [await draft(assetId, 'Once'), await draft(assetId, 'Twice')]
  for (const designId of [once, twice]) assert.equal((await finalize(designId)).status, 200)
  const pay = async (designIds: string[]): Promise<string> => {
    const items = designIds.map((designId) => ({ designId, quantity: 1 }))
    const { body } = await order(once, { items })
    assert.equal((await call('POST', `/orders/${body.id}/pay`, { token: 'test_ok' })).status, 200)
    return body.id
  }
  const counted = async () => {
    const { rows } = await sql<{ subject: string; bytes: number }>`
      select subject, bytes from storage_unpaid where counts_until > now()`.execute(db)
    return new Map(rows.map(({ subject, bytes }) => [subject, bytes]))
  }
  const before = await counted()
  const [cancelled] = [await pay([once, twice]), await pay([twice])]
  assert.equal((await counted()).size, 0)
  const file = { id: 'print', kind: 'print', mediaType: 'application/pdf', bytes: MIB, sha256: 'a'.repeat(64) }
  // As files with other texts, which the service renders after the payment.
  await sql`
    insert into item_files (item_id, order_id, status, content_hash, sha256s, files)
    select id, order_id, 'ready', repeat('b', 64), array[repeat('a', 64)], ${JSON.stringify([file])}::json
    from order_items where order_id = ${cancelled}`.execute(db)
  assert.equal((await call('POST', `/orders/${cancelled}/cancel`, {})).body.status, 'cancelled')
  assert.deepEqual(
    await counted(),
    new Map([
      [once, before.get(once)],
      [cancelled, MIB],
    ]),
  )
  assert.equal((await finalize(await draft(assetId, 'Next'))).body.code, 'storage_quota_exceeded')
})

test('a design in two orders that are cancelled at the same time counts again', async (t) => {
  const { call, upload, draft, finalize, order, db } = await startBounded(t)
  const designId = await draft(await upload(await makePhoto()), 'Both')
  assert.equal((await finalize(designId)).status, 200)
  const orders = [(await order(designId)).body.id, (await order(designId)).body.id]
  for (const id of orders) assert.equal((await call('POST', `/orders/${id}/pay`, { token: 'test_ok' })).status, 200)
  let both: Promise<TestResponse[]> | undefined
  await db.transaction().execute(async (trx) => {
    await sql`select from storage_unpaid for update`.execute(trx)
    both = Promise.all(orders.map((id) => call('POST', `/orders/${id}/cancel`, {})))
    await untilBlocked(db, 2)
  })
  assert.deepEqual(
    (await both)?.map(({ status }) => status),
    [200, 200],
  )
  const { rows } = await sql<{
    subject: string
  }>`select subject from storage_unpaid where counts_until > now()`.execute(db)
  assert.deepEqual(rows.map(({ subject }) => subject).sort(), [designId, ...orders].sort())
})

test('a design counts during its finalization, but not after a failure', async (t) => {
  const shop = await openWithDesign(t)
  const { deps, ownerId, product, asset, design, renderer } = shop
  const unpaid = createUnpaidBound(1.5 * (asset.bytes + finalizedBytes(design)))
  const other = await shop.addDesign(product, ownerId, documentOf([imageLayer(asset.id)]))
  const finalize = (one: typeof design) => finalizeDesign(deps, { ...requestOf(one), unpaid })
  const drawing = renderer.hold()
  const first = finalize(design)
  first.catch(() => undefined)
  await drawing.entered
  t.after(() => drawing.letGo())
  // If the request was not rejected, it must not wait for the renderer.
  renderer.pass()
  await assert.rejects(finalize(other), { code: 'storage_quota_exceeded' })
  drawing.letGo(new Error('the renderer failed'))
  await assert.rejects(first)
  assert.equal((await finalize(other)).status, 'finalized')
})

test('a design that waits for a job counts even after its lease has ended', async (t) => {
  const shop = await openWithDesign(t)
  const { deps, db, ownerId, product, asset, design, clock } = shop
  const unpaid = createUnpaidBound(1.5 * (asset.bytes + finalizedBytes(design)))
  const other = await shop.addDesign(product, ownerId, documentOf([imageLayer(asset.id)]))
  const finalizeLater = (one: typeof design) => finalizeDesignLater(deps, { ...requestOf(one), unpaid })
  await finalizeLater(design)
  clock.shift(QUEUED_LEASE_SECONDS + 1)
  await assert.rejects(finalizeLater(other), { code: 'storage_quota_exceeded' })
  // Another request continues the finalization, so the job has nothing left to do.
  await sql`update designs set status = 'draft', lease_token = null, lease_until = null`.execute(db)
  const { rows } = await sql<{ payload: Parameters<typeof resumeFinalization>[1] }>`
    select payload from graphile_worker._private_jobs`.execute(db)
  for (const { payload } of rows) await resumeFinalization(deps, payload)
  await finalizeLater(other)
})

test('the files of a finalization count even if an image was deleted during the finalization', async (t) => {
  const shop = await openWithDesign(t)
  const { deps, db, asset, design, renderer } = shop
  const unpaid = createUnpaidBound(100 * MIB)
  const drawing = renderer.hold()
  const finalizing = finalizeDesign(deps, { ...requestOf(design), unpaid })
  finalizing.catch(() => undefined)
  await drawing.entered
  await sql`delete from assets where id = ${asset.id}`.execute(db)
  drawing.letGo()
  await assert.rejects(finalizing, { code: 'preflight_failed' })
  const { rows } = await sql<{ subject: string; bytes: number }>`select subject, bytes from storage_unpaid`.execute(db)
  assert.equal(rows.length, 1)
  assert.ok((rows[0]?.bytes ?? 0) > 1_000)
})
