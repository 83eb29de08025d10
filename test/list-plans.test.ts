import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type RawBuilder, sql } from 'kysely'
import pg from 'pg'
import { makePng, upload } from '../src/assets/factory.ts'
import { CARD } from '../src/designs/factory.ts'
import { listQuotes } from '../src/orders/checkout/store.ts'
import { ADDRESS, startShop } from '../src/orders/factory.ts'
import { makeFont } from '../src/rendering/user-fonts/factory.ts'
import { type TestService, untilEventsVisible } from './harness.ts'

const COPIES = 50_000

/**
 * The most pages of 8 KiB that one statement may read for a list of one record. Reading all copies would take at least
 * 300 pages.
 */
const MAX_PAGES = 60

/**
 * Adds copies of the row with the given id.
 * @param changes an SQL expression for each column to change. `n` is the number of the copy
 */
async function copy({ db }: TestService, table: string, id: string, changes: Record<string, RawBuilder<unknown>> = {}) {
  const newId = sql`left(${sql.lit(id)}, 20) || lpad(n::text, 10, '0')`
  const members = Object.entries({ id: newId, ...changes }).flatMap(([column, value]) => [sql.lit(column), value])
  await sql`
    insert into ${sql.table(table)} overriding system value
    select (jsonb_populate_record(t, jsonb_build_object(${sql.join(members)}))).*
    from ${sql.table(table)} t cross join generate_series(1, ${sql.lit(COPIES)}) n
    where t.id = ${id}`.execute(db)
  await sql`vacuum analyze ${sql.table(table)}`.execute(db)
}

interface Statement {
  text: string
  values: unknown[]
}

/** Records the statements that this process sends with one of the given values. */
function recordStatements(t: TestContext, values: readonly unknown[]): Statement[] {
  const statements: Statement[] = []
  const original = pg.Client.prototype.query
  t.mock.method(pg.Client.prototype, 'query', function (this: pg.Client, ...parameters: unknown[]) {
    const [first, second] = parameters
    const statement = typeof first === 'string' ? { text: first, values: second } : (first as Statement)
    const { values: given } = statement
    if (Array.isArray(given) && given.some((value) => values.includes(value))) {
      statements.push({ text: statement.text, values: given })
    }
    return Reflect.apply(original, this, parameters)
  })
  return statements
}

/** Executes a statement again. Returns the number of pages that PostgreSQL reads for it. */
async function countPages({ services }: TestService, { text, values }: Statement): Promise<number> {
  if (!/^\s*(select|with)\b/i.test(text)) return 0
  const { rows } = await services.database.pool.query(`explain (analyze, buffers, format json) ${text}`, values)
  const { Plan: plan } = rows[0]['QUERY PLAN'][0]
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
}

/** Starts a shop in which one customer has 50,000 records of each kind. */
async function startLargeAccount(t: TestContext) {
  const shop = await startShop(t)
  const { service, request } = shop
  const { userId, token } = await shop.signUp()
  const add = async (path: string, body: unknown, headers: Record<string, string> = {}): Promise<{ id: string }> => {
    const answer = await request('POST', path, { token, body, headers })
    assert.ok([201, 202].includes(answer.status), `${path}: ${answer.text}`)
    return answer.body
  }
  const admin = (await shop.signUp('admin')).token
  const product = (await request('POST', '/products', { token: admin, body: CARD })).body
  const metadata = { channel: 'web', shelf: 7 }
  const document = { version: 1, placements: [{ printAreaId: 'front', layers: [] }] }
  const named = { productId: product.id, variantId: product.variants[0].id, name: 'Spring card' }
  const design = await add('/designs', { ...named, document, metadata })
  const designId = await shop.finalizedDesign({ ownerId: userId })
  const content = { items: [{ designId, quantity: 1 }], shippingAddress: ADDRESS }
  const quote = await add('/quotes', content)
  const order = await add('/orders', { ...content, metadata })
  const asset = (await upload(service, token, await makePng())).body
  const font = await add('/fonts', await makeFont(), { 'content-type': 'font/ttf' })
  const endpoint = await add('/webhook-endpoints', { url: 'https://shop.example/' })
  const delivery = await add(`/webhook-endpoints/${endpoint.id}/test`, {})
  const key = await add('/api/api-keys', { name: 'test', permissions: ['read'] })
  const [event] = (await request('GET', '/me/security-events', { token })).body.data
  const written = await service.db.selectFrom('events').select('id').where('owner_id', '=', userId).execute()

  const unique = sql`md5(n::text) || md5('2' || n::text)`
  await copy(service, 'designs', design.id)
  await copy(service, 'quotes', quote.id)
  await copy(service, 'orders', order.id, { number: sql`'copy ' || n` })
  await copy(service, 'assets', asset.id, { sha256: unique })
  await copy(service, 'fonts', font.id, { sha256: unique })
  await copy(service, 'webhook_deliveries', delivery.id, { number: sql`1000000 + n`, subject: sql`'copy ' || n` })
  await copy(service, 'api_keys', key.id, { key_hash: unique, revoked_at: sql`now()` })
  await copy(service, 'security_events', event.id, { sequence: sql`null`, seal: sql`null` })
  await copy(service, 'events', written[0]?.id ?? '', { position: sql`1000000 + n`, subject: sql`'copy ' || n` })
  await untilEventsVisible(service.db)
  return { service, userId, token, productId: product.id as string, endpointId: endpoint.id }
}

test('a list of an account with 50,000 records reads a few pages, whatever its filter matches', async (t) => {
  const { service, userId, token, productId, endpointId } = await startLargeAccount(t)
  const statements = recordStatements(t, [userId, endpointId])
  const read = async (path: string): Promise<void> => {
    const { status, text } = await service.request('GET', path, { token })
    assert.equal(status, 200, `${path}: ${text}`)
  }
  const product = `productId=${productId}`
  const designs = ['', 'status=draft', 'status=finalizing', 'status=finalized', 'status=archived', product]
  designs.push('productId=prd_none', `${product}&status=archived`, `${product}&status=draft`)
  const labels = ['metadata[channel]=web', 'metadata[channel]=none', 'metadata[channel]=web&metadata[shelf]=8']
  labels.push('metadata[shelf]=7&metadata[channel]=web&view=summary', 'externalReference=none')
  designs.push('q=spring', 'q=spring%20none', 'q=card&status=archived')
  designs.push(...labels, 'metadata[channel]=web&status=archived', 'metadata[channel]=none&status=draft')
  const lists = [
    ...designs.map((filter) => `/designs?${filter}`),
    ...['', 'status=awaiting_payment', 'status=delivered', ...labels].map((filter) => `/orders?${filter}`),
    ...['', 'type=order.created', 'type=order.cancelled'].map((filter) => `/events?${filter}`),
    ...['', 'type=sign_in', 'type=password_changed', 'type=refresh'].map((filter) => `/me/security-events?${filter}`),
    ...['', 'status=pending', 'status=failed'].map((filter) => `/webhook-endpoints/${endpointId}/deliveries?${filter}`),
    ...['/assets?', '/fonts/uploads?', '/webhook-endpoints?', '/api/api-keys?', '/api/auth/sessions?'],
  ].map((path): [string, () => Promise<unknown>] => [path, () => read(`${path}&limit=1`)])
  lists.push(['quotes', () => listQuotes(service.db, { ownerId: userId, after: undefined, limit: 1 })])
  for (const [name, list] of lists) {
    statements.length = 0
    await list()
    const sent = [...statements]
    assert.notEqual(sent.length, 0, name)
    for (const statement of sent) {
      const pages = await countPages(service, statement)
      assert.ok(pages <= MAX_PAGES, `${name}: ${pages} pages, ${statement.text}`)
    }
  }
})

/** The most pages of 8 KiB for each product of a page of the shop, with the data of the product. */
const MAX_PAGES_OF_PRODUCT = 10

// Visitors read the catalogue without a credential. Sorting all products takes 40 ms, computing their words a second.
test('a list and a search of 50,000 products read a few pages', async (t) => {
  const { service, request, signUp } = await startShop(t)
  const { token } = await signUp('admin')
  const add = async (name: string, category: string) =>
    (await request('POST', '/products', { token, body: { ...CARD, name, categories: [category] } })).body.id as string
  const rare = await add('Spring card', 'Rare')
  await copy(service, 'products', await add('Autumn card', 'Common'))
  const statements = recordStatements(t, ['active'])
  const read = async (path: string, most: number) => {
    statements.length = 0
    const { status, body } = await service.request('GET', path)
    assert.equal(status, 200)
    const sent = [...statements]
    assert.notEqual(sent.length, 0, path)
    for (const statement of sent) {
      const pages = await countPages(service, statement)
      assert.ok(pages <= most, `${path}: ${pages} pages, ${statement.text}`)
    }
    return body
  }
  for (const words of ['spring', 'spr', 'none', 'spring none', 'autumn none']) {
    const { data } = await read(`/products?q=${encodeURIComponent(words)}`, MAX_PAGES)
    assert.deepEqual(
      data.map(({ id }: { id: string }) => id),
      words.startsWith('spr') && !words.endsWith('none') ? [rare] : [],
    )
  }
  const { nextCursor } = await read('/products?limit=1', MAX_PAGES)
  for (const filter of [`cursor=${nextCursor}`, 'category=Common', 'category=Rare', 'category=none'])
    await read(`/products?limit=1&${filter}`, MAX_PAGES)
  for (const page of ['', '?category=Common', '?category=Rare'])
    await read(`${service.origin}/${page}`, 60 * MAX_PAGES_OF_PRODUCT)
})
