import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { type RawBuilder, sql } from 'kysely'
import pg from 'pg'
import { makePng, upload } from '../../src/assets/factory.ts'
import { CARD } from '../../src/designs/factory.ts'
import { addMails } from '../../src/order-mails/add-mails.ts'
import { enqueueSending } from '../../src/order-mails/sending/send-job.ts'
import { listQuotes } from '../../src/orders/checkout/store.ts'
import { ADDRESS, startShop } from '../../src/orders/factory.ts'
import { emit } from '../../src/platform/outbox/index.ts'
import { makeFont } from '../../src/rendering/user-fonts/factory.ts'
import { type TestService, untilEventsVisible } from '../harness.ts'

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
async function copy(
  { db }: TestService,
  table: string,
  id: string,
  changes: Record<string, RawBuilder<unknown>> = {},
  copies = COPIES,
) {
  const newId = sql`left(${sql.lit(id)}, 20) || lpad(n::text, 10, '0')`
  const members = Object.entries({ id: newId, ...changes }).flatMap(([column, value]) => [sql.lit(column), value])
  await sql`
    insert into ${sql.table(table)} overriding system value
    select (jsonb_populate_record(t, jsonb_build_object(${sql.join(members)}))).*
    from ${sql.table(table)} t cross join generate_series(1, ${sql.lit(copies)}) n
    where t.id = ${id}`.execute(db)
  await sql`vacuum analyze ${sql.table(table)}`.execute(db)
}

interface Statement {
  text: string
  values: unknown[]
}

/** Records some of the statements that this process sends. */
function recordStatements(t: TestContext, isWanted: (statement: Statement) => boolean): Statement[] {
  const statements: Statement[] = []
  const original = pg.Client.prototype.query
  t.mock.method(pg.Client.prototype, 'query', function (this: pg.Client, ...parameters: unknown[]) {
    const [first, second] = parameters
    const statement = typeof first === 'string' ? { text: first, values: second } : (first as Statement)
    const { text, values } = statement
    if (Array.isArray(values) && isWanted({ text, values })) statements.push({ text, values })
    return Reflect.apply(original, this, parameters)
  })
  return statements
}

const withOneOf =
  (wanted: readonly unknown[]) =>
  ({ values }: Statement): boolean =>
    values.some((value) => wanted.includes(value))

/** Executes a statement again. Returns the number of pages that PostgreSQL reads for it. */
async function countPages({ services }: TestService, { text, values }: Statement): Promise<number> {
  if (!/^\s*(select|with)\b/i.test(text)) return 0
  const { rows } = await services.database.pool.query(`explain (analyze, buffers, format json) ${text}`, values)
  return pagesOf(rows)
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
  const statements = recordStatements(t, withOneOf([userId, endpointId]))
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

/** The filters of the log of events, for `/events?`. */
function listEventFilters(): string[] {
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
  const [from, to] = [`&from=${daysAgo(10)}`, `&to=${daysAgo(9.9)}`]
  const times = ['', from + to, from, to, `&to=${daysAgo(100)}`, '&from=2100-01-01T00:00:00Z']
  const ofTypes = ['', '&type=order.created', '&type=order.cancelled'].flatMap((type) => times.map((one) => type + one))
  const ofRecords = ['&subject=none', '&subject=copy%2025000', `&subject=copy%2025000&type=order.created${from}`]
  return [...ofTypes, ...ofRecords].flatMap((filter) => [`order=asc${filter}`, `order=desc${filter}`])
}

test('the log of 50,000 events reads a few pages, whatever its filter matches', async (t) => {
  const shop = await startShop(t)
  const { service } = shop
  const { db } = service
  const customer = await shop.signUp()
  const written = { type: 'order.created', subject: 'original', ownerId: customer.userId, data: {}, at: new Date() }
  await db.transaction().execute((trx) => emit(trx, written))
  const { id } = await db.selectFrom('events').select('id').executeTakeFirstOrThrow()
  // Each copy has a transaction and a time of its own, as the events of a month have.
  await sql`update event_clock set transactions_ahead = transactions_ahead + ${COPIES}::int`.execute(db)
  await copy(service, 'events', id, {
    transaction_id: sql`t.transaction_id::text::bigint + n`,
    position: sql`1000000 + n`,
    subject: sql`'copy ' || n`,
    created_at: sql`now() - ${sql.lit(COPIES)} * interval '40 seconds' + n * interval '40 seconds'`,
  })
  await untilEventsVisible(db)
  const statements = recordStatements(t, ({ text }) => /events_readable_before|from events where created_at/.test(text))
  for (const token of [customer.token, (await shop.signUp('operator')).token]) {
    for (const filter of listEventFilters()) {
      statements.length = 0
      const path = `/events?limit=1&${filter}`
      const { status, text } = await service.request('GET', path, { token })
      assert.equal(status, 200, `${path}: ${text}`)
      const sent = [...statements]
      assert.notEqual(sent.length, 0, path)
      for (const statement of sent) {
        const pages = await countPages(service, statement)
        assert.ok(pages <= MAX_PAGES, `${path}: ${pages} pages, ${statement.text}`)
      }
    }
  }
})

const ALL = 'awaiting_payment,confirmed,in_production,partially_shipped,shipped,delivered,on_hold,cancelled'

/** Reading all of them would take at least 1,000 pages. */
const ORDERS_OF_ALL = 15_000

/** The most pages of 8 KiB for an order of each status, with the sizes of the orders. */
const MAX_PAGES_OF_ALL_STATUSES = 8 * 30

/**
 * Executes a statement as the service does after many requests, with which PostgreSQL may have chosen a plan that does
 * not depend on the values. Returns the number of pages that PostgreSQL reads for it.
 */
async function countPagesLater(service: TestService, { text, values }: Statement): Promise<number> {
  if (text.startsWith(PLANNED_EACH_TIME))
    return countPages(service, { text: text.slice(PLANNED_EACH_TIME.length), values })
  const { services } = service
  const client = await services.database.pool.connect()
  try {
    await client.query('set plan_cache_mode = force_generic_plan')
    await client.query(`prepare listed as ${text}`)
    const literals = values.map((value) => pg.escapeLiteral(toText(value)))
    const execute = `execute listed${literals.length === 0 ? '' : `(${literals.join(', ')})`}`
    const { rows } = await client.query(`explain (analyze, buffers, format json) ${execute}`)
    return pagesOf(rows)
  } finally {
    client.release(true)
  }
}

const PLANNED_EACH_TIME = '/* planned each time */'

function pagesOf(rows: { 'QUERY PLAN': { Plan: Record<string, number> }[] }[]): number {
  const plan = rows[0]?.['QUERY PLAN'][0]?.Plan
  return (plan?.['Shared Hit Blocks'] ?? Number.NaN) + (plan?.['Shared Read Blocks'] ?? Number.NaN)
}

function toText(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  return Array.isArray(value) ? `{${value.map((one) => JSON.stringify(one)).join(',')}}` : String(value)
}

// A plan that does not know the statuses sorts all orders, which takes a quarter of a second for 160,000 orders.
test('the list of operators reads a few pages of 15,000 orders, whichever statuses and order it has', async (t) => {
  const shop = await startShop(t)
  const { service, request } = shop
  const { order } = await shop.order()
  const { token } = await shop.signUp('operator')
  const statuses = ALL.split(',')
  await copy(
    service,
    'orders',
    order.id,
    {
      number: sql`'copy ' || n`,
      status: sql`(${sql.lit(`{${statuses.join(',')}}`)}::text[])[1 + n % ${sql.lit(statuses.length)}]`,
      held_status: sql`case when n % 8 = 6 then 'confirmed' end`,
      due_at: sql`timestamptz '2026-01-01' + n * interval '1 minute'`,
    },
    ORDERS_OF_ALL,
  )
  const { id: paymentId } = await service.db
    .selectFrom('payments')
    .select('id')
    .where('order_id', '=', order.id)
    .executeTakeFirstOrThrow()
  await copy(
    service,
    'payments',
    paymentId,
    {
      status: sql`case when n % 8 = 5 and n > 5 then 'captured' else 'failed' end`,
      order_id: sql`left(${sql.lit(order.id)}, 20) || lpad(n::text, 10, '0')`,
    },
    ORDERS_OF_ALL,
  )
  const sent = recordStatements(t, ({ text }) => /^(?:\/\*.*\*\/)?\s*with recursive/.test(text))
  for (const query of [
    ...['', `status=${ALL}`, `status=${ALL}&sort=createdAt`, `status=${ALL}&sort=dueAt`, 'sort=dueAt'],
    ...[
      `status=${ALL}&country=DE`,
      `status=${ALL}&paymentStatus=pending`,
      'status=delivered&paymentStatus=failed',
      'late=true&sort=dueAt',
    ],
  ]) {
    sent.length = 0
    const { status, body } = await request('GET', `/production/orders?limit=1&view=summary&${query}`, { token })
    assert.deepEqual([status, body.data.length], [200, 1], query)
    assert.equal(sent.length, 1, query)
    for (const statement of [...sent]) {
      const pages = await countPagesLater(service, statement)
      assert.ok(pages <= MAX_PAGES_OF_ALL_STATUSES, `${query}: ${pages} pages, ${statement.text}`)
    }
  }
})

// The console searches while a number is typed. Comparing all numbers takes a second for a million orders.
test('an order is found by the beginning of its number in a few pages of 50,000', async (t) => {
  const shop = await startShop(t)
  const { service, request } = shop
  const { order } = await shop.order()
  const { token } = await shop.signUp('operator')
  // 16 orders have the same first half.
  const halves = [sql`n / 16`, sql`n % 16 * 4096 + 7`].map((half) => sql`upper(lpad(to_hex(${half}), 4, '0'))`)
  await copy(service, 'orders', order.id, { number: sql`'PL-' || ${sql.join(halves, sql` || '-' || `)}` })
  const payment = await service.db.selectFrom('payments').select('id').executeTakeFirstOrThrow()
  const orderId = sql`left(${sql.lit(order.id)}, 20) || lpad(n::text, 10, '0')`
  await copy(service, 'payments', payment.id, { order_id: orderId })
  const sent = recordStatements(t, ({ text }) => /^(?:\/\*.*\*\/)?\s*with recursive/.test(text))
  for (const q of ['PL-0A3F-3', 'PL-0A3F-30', '0a3f300', '0A3F-3007']) {
    sent.length = 0
    const { status, body } = await request('GET', `/orders?view=summary&q=${q}`, { token })
    assert.deepEqual([status, body.data.map((row: { number: string }) => row.number)], [200, ['PL-0A3F-3007']], q)
    assert.equal(sent.length, 1, q)
    for (const statement of [...sent]) {
      const pages = await countPagesLater(service, statement)
      assert.ok(pages <= MAX_PAGES, `${q}: ${pages} pages, ${statement.text}`)
    }
  }
})

// The page Today reads them every 30 seconds. Reading all deliveries, or the endpoints of all customers, takes longer each
// day.
test('failed deliveries of staff are counted in a few pages, beside 50,000 deliveries of customers', async (t) => {
  const { service, request, signUp } = await startShop(t)
  const [owner, other, reader] = [await signUp('operator'), await signUp('admin'), await signUp('operator')]
  const addEndpoint = async ({ token }: { token: string }): Promise<string> =>
    (await request('POST', '/webhook-endpoints', { token, body: { url: 'https://shop.example/' } })).body.id
  const [failing, sound] = [await addEndpoint(owner), await addEndpoint(other)]
  const customer = await signUp()
  const ofCustomer = await addEndpoint(customer)
  const test = await request('POST', `/webhook-endpoints/${ofCustomer}/test`, { token: customer.token })
  await copy(service, 'users', customer.userId, { email: sql`n || '@example.com'` })
  const ownerId = sql`left(${sql.lit(customer.userId)}, 20) || lpad(n::text, 10, '0')`
  await copy(service, 'webhook_endpoints', ofCustomer, { owner_id: ownerId })
  const ofEach = sql`(array[${failing}, ${sound}, ${ofCustomer}])[least(3, 1 + n / 20)]`
  await copy(service, 'webhook_deliveries', test.body.id, {
    number: sql`1000000 + n`,
    subject: sql`'copy ' || n`,
    endpoint_id: ofEach,
    status: sql`case when n between 20 and 39 then 'delivered' else 'failed' end`,
  })
  const statements = recordStatements(t, ({ text }) => /(from|join) webhook_deliveries/.test(text))
  const { status, body } = await request('GET', '/production/statistics?days=1', { token: reader.token })
  assert.deepEqual([status, body.failedDeliveries, body.failingEndpoints.length], [200, 19, 1])
  const sent = [...statements]
  assert.equal(sent.length, 2)
  for (const statement of sent) {
    const pages = await countPagesLater(service, statement)
    assert.ok(pages <= MAX_PAGES, `${pages} pages, ${statement.text}`)
  }
})

/** The most pages of 8 KiB for the ten orders with an open dispute. Reading the timelines of all would take 1,000. */
const MAX_PAGES_OF_DISPUTES = 150

test('the orders with an open dispute are found in a few pages among 50,000', async (t) => {
  const shop = await startShop(t)
  const { service, request } = shop
  const { db } = service
  const [buyer, customer] = [await shop.signUp(), await shop.signUp()]
  const { order } = await shop.order({ person: buyer })
  const { token } = await shop.signUp('operator')
  await copy(service, 'users', buyer.userId, { email: sql`n || '@example.com'` }, 1_000)
  const ownerId = sql`left(${sql.lit(buyer.userId)}, 20) || lpad((1 + n % 1000)::text, 10, '0')`
  await copy(service, 'orders', order.id, { number: sql`'copy ' || n`, owner_id: ownerId })
  const orderId = sql`left(${sql.lit(order.id)}, 20) || lpad(n::text, 10, '0')`
  const payment = await db
    .selectFrom('payments')
    .select('id')
    .where('order_id', '=', order.id)
    .executeTakeFirstOrThrow()
  await copy(service, 'payments', payment.id, { order_id: orderId })
  await sql`
    insert into order_timeline (order_id, position, type, actor, reason, at)
    select ${orderId}, e.position, e.type, 'system', 'dp_1', now() from generate_series(1, ${COPIES}::int) n
    join (values (1, 'order.created'), (2, 'order.confirmed'), (3, 'payment.disputed'), (4, 'payment.dispute_won'))
      as e (position, type) on e.position < 3 or (n % 500 = 0 and (e.position = 3 or n % 5000 <> 0))`.execute(db)
  await sql`vacuum analyze order_timeline`.execute(db)
  const sent = recordStatements(t, ({ text }) => /^(?:\/\*.*\*\/)?\s*with recursive/.test(text))
  const expectFewPages = async (path: string, caller: string, most: number): Promise<void> => {
    sent.length = 0
    const { status, body } = await request('GET', `${path}disputed=true&limit=1&view=summary`, { token: caller })
    assert.deepEqual([status, body.data.length], [200, 1], path)
    assert.equal(sent.length, 1, path)
    for (const statement of [...sent]) {
      const pages = await countPagesLater(service, statement)
      assert.ok(pages <= most, `${path}: ${pages} pages, ${statement.text}`)
    }
  }
  for (const path of ['/orders?', '/production/orders?status=awaiting_payment&', '/orders?paymentStatus=pending&'])
    await expectFewPages(path, token, MAX_PAGES_OF_DISPUTES)

  // The disputes of others must not make the list of a customer slow. Reading all of these takes 500 pages.
  const own = await shop.order({ person: customer })
  await sql`
    insert into order_timeline (order_id, position, type, actor, reason, at)
    select ${orderId}, e.position, e.type, 'system', 'dp_2', now() from generate_series(1, ${COPIES}::int) n
    join (values (5, 'payment.disputed'), (6, 'payment.dispute_lost')) as e (position, type) on true
    union all values (${own.order.id}, 90, 'payment.disputed', 'system', 'dp_3', now())`.execute(db)
  await sql`vacuum analyze order_timeline`.execute(db)
  for (const path of ['/orders?', '/orders?paymentStatus=pending&'])
    await expectFewPages(path, customer.token, MAX_PAGES)
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
  const statements = recordStatements(t, withOneOf(['active']))
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

// Programs and attackers can add 250,000 requests a day.
test('the request log reads a few pages for each filter', async (t) => {
  const { service, request, signUp } = await startShop(t)
  const { token } = await signUp('admin')
  await sql`
    insert into request_log (request_id, ended_at, method, route, operation, parameters, status, duration_ms, caller, user_id,
      credential_id)
    select gen_random_uuid(), now() - interval '6 days' + n * interval '10 seconds', 'GET',
      case n when 99 then '/rare' else '/designs' end, 'listDesigns', '{}', case n when 99 then 502 else 200 end, 1, 'session',
      case n when 99 then 'usr_rare' else 'usr_common' end, case n when 99 then 'key_rare' else 'key_common' end
    from generate_series(1, ${COPIES}) n`.execute(service.db)
  await sql`vacuum analyze request_log`.execute(service.db)
  const statements = recordStatements(t, ({ text }) => text.includes('from request_log where'))
  const at = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
  for (const query of [
    ...['', 'status=200', 'status=502', 'status=5xx', 'status=404', 'status=4xx', 'route=/designs', 'route=/rare'],
    ...['route=/none', 'userId=usr_common', 'userId=usr_rare', 'keyId=key_common', 'keyId=key_rare', 'keyId=key_none'],
    ...[`from=${at(3)}`, `to=${at(3)}`, `to=${at(7)}`, `from=${at(5)}&to=${at(4)}`, `requestId=${randomUUID()}`],
  ]) {
    statements.length = 0
    const { status } = await request('GET', `/system/requests?limit=1&${query}`, { token })
    assert.equal(status, 200, query)
    const [statement] = [...statements]
    assert.ok(statement !== undefined, query)
    const pages = await countPages(service, statement)
    assert.ok(pages <= MAX_PAGES, `${query}: ${pages} pages, ${statement.text}`)
  }
})

test('the turn of a mail is found without reading the 50,000 mails that wait for other customers', async (t) => {
  const shop = await startShop(t)
  const { service } = shop
  const { order } = await shop.order()
  await untilEventsVisible(service.db)
  await addMails({ db: service.db, clock: service.clock, config: { orderMails: true } })
  const { id } = await service.db.selectFrom('order_mails').select('id').executeTakeFirstOrThrow()
  await sql`
    insert into order_mails (order_id, kind, cause, event_id, sequence, status, created_at, share)
    select 'copy ' || n, kind, cause, event_id, sequence, status, created_at, 'other'
    from order_mails cross join generate_series(1, ${sql.lit(COPIES)}) n where id = ${id}`.execute(service.db)
  await sql`vacuum analyze order_mails`.execute(service.db)
  const statements = recordStatements(t, ({ text }) => text.includes('as waiting'))
  await enqueueSending(service.db, [order.id])
  const [statement] = statements
  assert.ok(statement !== undefined)
  const pages = await countPagesLater(service, statement)
  assert.ok(pages <= MAX_PAGES, `${pages} pages, ${statement.text}`)
})
