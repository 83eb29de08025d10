import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { CARD } from '../../src/designs/factory.ts'
import { insertDesign } from '../../src/designs/store.ts'
import { startShop } from '../../src/orders/factory.ts'
import { emit } from '../../src/platform/outbox/index.ts'
import { createProduct } from '../../src/products/change-product.ts'
import { startService, type TestService, untilEventsVisible } from '../harness.ts'
import { newId } from '../ids.ts'

const PAGE_BYTES = 2 * 1024 * 1024
/**
 * The factor by which a page may exceed its limit, because the service estimates the sizes of records and leaves out
 * some members.
 */
const ESTIMATE = 1.1

interface Walk {
  ids: string[]
  pages: { count: number; bytes: number }[]
}

async function walk(
  read: (
    cursor: string,
  ) => Promise<{ status: number; text: string; body: { data: { id: string }[]; nextCursor: string | null } }>,
  between: () => Promise<void> = async () => undefined,
): Promise<Walk> {
  const seen: Walk = { ids: [], pages: [] }
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { status, text, body } = await read(cursor)
    assert.equal(status, 200, text.slice(0, 300))
    seen.ids.push(...body.data.map(({ id }) => id))
    seen.pages.push({ count: body.data.length, bytes: Buffer.byteLength(text) })
    cursor = body.nextCursor
    await between()
  }
  return seen
}

function assertCut({ pages }: Walk): void {
  assert.ok(pages.length > 1, 'the list was not cut')
  for (const { count, bytes } of pages) {
    assert.ok(count > 0, 'a page is empty')
    assert.ok(bytes <= PAGE_BYTES * ESTIMATE || count === 1, `a page of ${count} records has ${bytes} bytes`)
  }
}

function reader({ request }: TestService, token: string, path: string, parameter = 'cursor') {
  const separator = path.includes('?') ? '&' : '?'
  return (cursor: string) =>
    request('GET', cursor === '' ? path : `${path}${separator}${parameter}=${cursor}`, { token })
}

async function insertDesigns({ db }: TestService, ownerId: string, sizes: readonly number[]): Promise<string[]> {
  const ids = sizes.map(() => newId('design'))
  await db.transaction().execute(async (trx) => {
    for (const [index, size] of sizes.entries()) {
      await insertDesign(trx, {
        id: ids[index] ?? '',
        ownerId,
        name: 'Large',
        productId: 'prd_none',
        variantId: 'var_none',
        documentJson: JSON.stringify({ version: 1, placements: [], filler: 'x'.repeat(size) }),
        preflightJson: '{}',
        externalReference: null,
        templateId: null,
        metadataJson: '{}',
        createdAt: new Date(),
      })
    }
  })
  return ids.sort().reverse()
}

test('pages of designs are limited by size and number, and show each design once despite inserts', async (t) => {
  const service = await startService(t)
  // The property generates small and large designs in any order. Some of them are larger than a page.
  const size = fc.oneof(
    fc.integer({ min: 0, max: 2_000 }),
    fc.integer({ min: 100_000, max: 900_000 }),
    fc.constant(2_500_000),
  )
  const sizes = fc.array(size, { minLength: 1, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(sizes, fc.integer({ min: 1, max: 100 }), async (designs, limit) => {
      const { userId, accessToken } = await service.signUp()
      const ids = await insertDesigns(service, userId, designs)
      const add = async () => {
        await insertDesigns(service, userId, [300_000])
      }
      const seen = await walk(reader(service, accessToken, `/designs?limit=${limit}`), add)
      assert.deepEqual(seen.ids, ids)
      for (const { count, bytes } of seen.pages) {
        assert.ok(count <= limit)
        assert.ok(bytes <= PAGE_BYTES * ESTIMATE || count === 1, `${count} designs have ${bytes} bytes`)
      }
      // The number of pages shows that no page ended earlier than necessary.
      const wholeBytes = designs.reduce((sum, one) => sum + one + 5_000, 0)
      assert.ok(seen.pages.length <= Math.ceil(designs.length / limit) + Math.ceil((2 * wholeBytes) / PAGE_BYTES))
    }),
    { numRuns: 8 },
  )
})

test('a design has the same representation in a list and alone', async (t) => {
  const service = await startService(t)
  const { userId, accessToken: token } = await service.signUp()
  const [id] = await insertDesigns(service, userId, [10])
  const { body } = await service.request('GET', '/designs', { token })
  assert.deepEqual(body.data, [(await service.request('GET', `/designs/${id}`, { token })).body])
})

test('an export holds every large record once', async (t) => {
  const service = await startService(t)
  const { userId, accessToken: token } = await service.signUp()
  const ids = await insertDesigns(service, userId, [900_000, 10, 900_000, 2_500_000, 900_000])
  const { body } = await service.request('GET', '/me/export', { token })
  assert.deepEqual(
    body.designs.map((design: { id: string }) => design.id),
    ids,
  )
})

test('pages of events are limited by size, and show each event once despite inserts', async (t) => {
  const service = await startService(t)
  const { userId: ownerId, accessToken } = await service.signUp()
  const write = async (size: number): Promise<void> => {
    const event = {
      type: 'order.created',
      subject: newId('order'),
      ownerId,
      data: { filler: 'x'.repeat(size) },
    } as const
    await service.db.transaction().execute((trx) => emit(trx, { ...event, at: new Date() }))
  }
  for (const size of [700_000, 10, 700_000, 700_000, 2_500_000, 10, 10, 700_000]) await write(size)
  let written = 8
  await untilEventsVisible(service.db)
  const seen = await walk(reader(service, accessToken, '/events?limit=100', 'after'), async () => {
    if (written >= 10) return
    written += 1
    await write(700_000)
    await untilEventsVisible(service.db)
  })
  assertCut(seen)
  assert.equal(seen.ids.length, written)
  assert.equal(new Set(seen.ids).size, written)
})

test('pages of orders are limited by size, for customers and in production', async (t) => {
  const shop = await startShop(t)
  const person = await shop.signUp()
  const operator = await shop.signUp('operator')
  const ids: string[] = []
  for (let made = 0; made < 5; made += 1) ids.unshift((await shop.order({ person })).order.id)
  await sql`update order_items set data = json_build_object('name', repeat('x', 700000))`.execute(shop.db)
  const own = await walk(reader(shop.service, person.token, '/orders?limit=100'))
  assertCut(own)
  assert.deepEqual(own.ids, ids)
  for (const sort of ['createdAt', '-createdAt']) {
    const path = `/production/orders?limit=100&status=awaiting_payment&sort=${sort}`
    const all = await walk(reader(shop.service, operator.token, path))
    assertCut(all)
    assert.deepEqual(all.ids, sort === 'createdAt' ? ids.toReversed() : ids)
  }
  // Operators also get the receipt of each item.
  await sql`update order_items set data = null`.execute(shop.db)
  await sql`update price_locks set receipt = repeat('x', 700000)`.execute(shop.db)
  const path = '/production/orders?limit=100&status=awaiting_payment'
  assertCut(await walk(reader(shop.service, operator.token, path)))
})

test('pages of webhook deliveries are limited by size', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const body = { url: 'https://example.com/hook' }
  const { id } = (await service.request('POST', '/webhook-endpoints', { token, body })).body
  const path = `/webhook-endpoints/${id}`
  const ids: string[] = []
  for (let sent = 0; sent < 5; sent += 1) {
    ids.unshift((await service.request('POST', `${path}/test`, { token })).body.id)
  }
  await sql`
    update webhook_deliveries set attempts = json_build_array(json_build_object(
      'at', now(), 'durationMs', 1, 'url', 'https://example.com/hook', 'status', 500, 'responseBody', repeat('x', 700000)
    ))`.execute(service.db)
  const seen = await walk(reader(service, token, `${path}/deliveries?limit=100`))
  assertCut(seen)
  assert.deepEqual(seen.ids, ids)
})

test('pages of products are limited by size', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const priceTiers = Array.from({ length: 50 }, (_, n) => ({
    minQuantity: n * 20_000 + 1,
    unitAmount: 999_999_950 - n,
  }))
  const values = Array.from({ length: 20 }, (_, n) => String(n))
  const variants = values.flatMap((a) =>
    values.map((b) => ({ sku: `CARD-${a}-${b}`, weightGrams: 2, priceTiers, options: { a, b } })),
  )
  const ids: string[] = []
  for (let made = 0; made < 5; made += 1) {
    const product = { ...CARD, options: ['a', 'b'].map((name) => ({ name, values })), variants }
    const { id } = await service.db.transaction().execute((trx) => createProduct(trx, product, new Date()))
    ids.push(id)
  }
  const seen = await walk(reader(service, token, '/products?limit=100'))
  assertCut(seen)
  assert.deepEqual(seen.ids, ids)
})
