import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { CARD } from '../../../src/designs/factory.ts'
import { startService, untilEventsVisible } from '../../../test/harness.ts'
import { until } from '../../../test/lib/until.ts'
import { createPlaten, PlatenConnectionError, PlatenError, type Product } from '../src/index.ts'
import { type Fault, type SeenRequest, startFaultProxy } from './fault-proxy.ts'

type Decide = (request: SeenRequest, count: number) => Fault | Promise<Fault>

/** Starts a service behind a proxy, and returns the client of a customer and an administrator with a product. */
async function start(t: TestContext, decide?: Decide) {
  const service = await startService(t)
  const admin = createPlaten({
    url: service.origin,
    auth: { token: (await service.signUp({ role: 'admin' })).accessToken },
  })
  const product = await admin.products.create(CARD)
  const { accessToken, userId } = await service.signUp()
  const proxy = await startFaultProxy(t, service.origin, decide)
  const platen = createPlaten({ url: proxy.url, auth: { token: accessToken } })
  return { service, proxy, platen, admin, product, userId, newDesign: newDesign(product) }
}

const newDesign = ({ id, variants }: Product) => ({ productId: id, variantId: variants[0]?.id ?? '' })

const tooMany = (headers: Record<string, string> = {}): Fault => ({ status: 429, headers })

test('a repeated request has the key of the first, so that a lost response creates nothing twice', async (t) => {
  const { platen, proxy, newDesign } = await start(t, ({ method }, count) =>
    method === 'POST' && count < 3 ? 'lose' : 'pass',
  )
  const { data: design, headers } = await platen.designs.create(newDesign).withResponse()
  const sent = proxy.to('/v1/designs')
  assert.equal(sent.length, 3)
  const keys = new Set(sent.map((request) => request.headers['idempotency-key']))
  assert.equal(keys.size, 1)
  assert.equal(headers.get('idempotent-replayed'), 'true')
  const { data } = await platen.designs.list()
  assert.deepEqual(
    data.map(({ id }) => id),
    [design.id],
  )
})

test('each call has a key of its own, unless the caller gives one', async (t) => {
  const { platen, proxy, newDesign } = await start(t)
  await platen.designs.create(newDesign)
  await platen.designs.create(newDesign)
  const key = randomUUID()
  const first = await platen.designs.create(newDesign, { idempotencyKey: key })
  assert.equal((await platen.designs.create(newDesign, { idempotencyKey: key })).id, first.id)
  assert.equal(new Set(proxy.seen.map((request) => request.headers['idempotency-key'])).size, 3)
})

test('a request that may have changed something is not repeated without a key', async (t) => {
  let isBroken = false
  const { platen, proxy, newDesign } = await start(t, () => (isBroken ? 'lose' : 'pass'))
  const { id } = await platen.designs.create(newDesign)
  const { etag } = await platen.designs.get(id).withResponse()
  isBroken = true
  await assert.rejects(Promise.resolve(platen.designs.change(id, { name: 'New' })), PlatenConnectionError)
  await assert.rejects(Promise.resolve(platen.designs.archive(id, { ifMatch: etag })), { code: 'connection_failed' })
  assert.equal(proxy.to(`/v1/designs/${id}`).length, 3)
})

test('a repetition waits as long as Retry-After asks', async (t) => {
  const { platen, proxy } = await start(t, (_, count) => (count === 1 ? tooMany({ 'retry-after': '2' }) : 'pass'))
  const startedAt = performance.now()
  await platen.designs.list()
  assert.ok(performance.now() - startedAt >= 2_000)
  assert.equal(proxy.seen.length, 2)
})

test('a wait of minutes is an error at once', async (t) => {
  const { platen, proxy } = await start(t, () => tooMany({ 'retry-after': '900' }))
  await assert.rejects(Promise.resolve(platen.designs.list()), { status: 429 })
  assert.equal(proxy.seen.length, 1)
})

test('the number of repetitions is limited, and each request can change it', async (t) => {
  const { platen, proxy } = await start(t, () => ({ status: 503, body: {} }))
  await assert.rejects(Promise.resolve(platen.designs.list({}, { maxRetries: 1 })), {
    code: 'unexpected_response',
    status: 503,
  })
  assert.equal(proxy.seen.length, 2)
  await assert.rejects(Promise.resolve(platen.designs.list({}, { maxRetries: 0 })))
  assert.equal(proxy.seen.length, 3)
})

test('a problem is an error with the members of its code', async (t) => {
  const { platen, newDesign, product } = await start(t)
  const error: unknown = await platen.designs.create({ ...newDesign, name: '' }).catch((reason: unknown) => reason)
  assert.ok(error instanceof PlatenError && error instanceof Error)
  assert.ok(error.code === 'validation_failed')
  assert.deepEqual([error.status, error.operation, error.errors[0]?.pointer], [400, 'designs.create', '/name'])
  assert.match(error.requestId ?? '', /./)
  assert.match(error.message, /^designs\.create: The body does not match its schema\. `\/name`: \S/)
  const layer = {
    id: 'a',
    type: 'text',
    x: 500,
    y: 0,
    width: 10,
    height: 5,
    text: 'x',
    fontFamily: 'Nowhere',
    fontSizePt: 12,
  } as const
  const document = {
    version: 1 as const,
    placements: [{ printAreaId: product.printAreas[0]?.id ?? '', layers: [layer] }],
  }
  const { id } = await platen.designs.create({ ...newDesign, document })
  const failed: unknown = await platen.designs.finalize(id).catch((reason: unknown) => reason)
  assert.ok(failed instanceof PlatenError && failed.code === 'preflight_failed', String(failed))
  assert.ok(failed.errors.every(({ severity, detail }) => severity === 'error' && detail !== ''))
  assert.match(failed.message, /^designs\.finalize: .+ `\/\S+`: \S/)
  const twice = { ...document, placements: [{ ...document.placements[0], layers: [layer, layer] }] } as typeof document
  await assert.rejects(Promise.resolve(platen.designs.create({ ...newDesign, document: twice })), {
    code: 'document_invalid',
    message: /^designs\.create: .+ `\/\S+`: \S/,
  })
  await platen.designs.change(id, { externalReference: 'mine' })
  const taken: unknown = await platen.designs
    .create({ ...newDesign, externalReference: 'mine' })
    .catch((reason: unknown) => reason)
  assert.ok(taken instanceof PlatenError && taken.code === 'external_reference_taken' && taken.id === id)
})

test('a missing permission is named in the message', async (t) => {
  const { platen, service } = await start(t)
  const { key } = await platen.apiKeys.create({ name: 'shop', permissions: ['orders:read'] })
  const shop = createPlaten({ url: service.origin, auth: { apiKey: key ?? '' } })
  await assert.rejects(Promise.resolve(shop.designs.list()), {
    code: 'insufficient_scope',
    permission: 'designs:read',
    message: /^designs\.list: .*`designs:read`/,
  })
})

test('an aborted request ends with the reason of its signal, also while it waits for a repetition', async (t) => {
  const { platen, proxy } = await start(t, () => tooMany({ 'retry-after': '30' }))
  const control = new AbortController()
  let responses = 0
  const countingFetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    responses += 1
    return response
  }
  const counting = createPlaten({ url: proxy.url, auth: { token: 'any' }, fetch: countingFetch })
  const call = Promise.resolve(counting.designs.list({}, { signal: control.signal }))
  call.catch(() => undefined)
  await until('the first response', () => responses > 0)
  await delay(100)
  const abortedAt = performance.now()
  control.abort(new Error('closed'))
  await assert.rejects(call, /closed/)
  assert.ok(performance.now() - abortedAt < 20_000)
  assert.equal(proxy.seen.length, 1)
  await assert.rejects(Promise.resolve(platen.designs.list({}, { signal: AbortSignal.abort() })), {
    name: 'AbortError',
  })
  assert.equal(proxy.seen.length, 1)
})

test('an attempt without a response ends with the timeout', async (t) => {
  const { platen } = await start(t, () => new Promise<Fault>(() => undefined))
  const call = platen.designs.list({}, { timeoutMs: 200, maxRetries: 1 })
  await assert.rejects(Promise.resolve(call), { code: 'timeout', name: 'PlatenConnectionError' })
})

test('a failed connection is an error with the URL without its query, and the code of the system', async (t) => {
  const { platen, proxy } = await start(t, (_, count) => (count === 1 ? 'refuse' : new Promise<Fault>(() => undefined)))
  const failed: unknown = await platen.designs
    .list({ cursor: 'x' }, { maxRetries: 0 })
    .catch((reason: unknown) => reason)
  assert.ok(failed instanceof PlatenConnectionError)
  const url = `${proxy.url}/v1/designs`
  assert.deepEqual([failed.code, failed.url], ['connection_failed', url])
  const [before, code] = failed.message.split(' (')
  assert.equal(before, `designs.list: the connection to ${url} failed`)
  assert.match(String(code), /^(UND_ERR_SOCKET|ECONNRESET)\)$/)
  await assert.rejects(Promise.resolve(platen.designs.list({}, { timeoutMs: 100, maxRetries: 0 })), {
    message: `designs.list: no response in time from ${url}`,
  })
})

test('a list iterates over the records of all pages', async (t) => {
  const { platen, proxy, newDesign } = await start(t)
  const ids: string[] = []
  for (let count = 0; count < 5; count += 1) ids.unshift((await platen.designs.create(newDesign)).id)
  const found: string[] = []
  for await (const { id } of platen.designs.list({ limit: 2, view: 'summary' })) found.push(id)
  assert.deepEqual(found, ids)
  const pages = proxy.to('/v1/designs').filter(({ method }) => method === 'GET')
  assert.equal(pages.length, 3)
  assert.ok(pages.every(({ path }) => path.includes('view=summary')))
  const sizes: number[] = []
  for await (const { data } of platen.designs.list({ limit: 4 }).pages()) sizes.push(data.length)
  assert.deepEqual(sizes, [4, 1])
  for await (const { id } of platen.designs.list({ limit: 2 })) {
    assert.equal(id, ids[0])
    break
  }
  assert.equal(proxy.to('/v1/designs').filter(({ method }) => method === 'GET').length, 6)
})

test('events iterate over all pages', async (t) => {
  const { service, platen, newDesign } = await start(t)
  const ids: string[] = []
  for (let count = 0; count < 3; count += 1) {
    const { id } = await platen.designs.create(newDesign)
    await platen.designs.archive(id)
    ids.push(id)
  }
  await untilEventsVisible(service.db)
  const subjects: string[] = []
  for await (const { subject } of platen.events.list({ limit: 1 })) subjects.push(subject)
  assert.deepEqual(subjects, ids)
})

test('versions: a current record is undefined, and a stale change is refused', async (t) => {
  const { platen, newDesign } = await start(t)
  const { id } = await platen.designs.create(newDesign)
  const { etag = '' } = await platen.designs.get(id).withResponse()
  assert.equal(await platen.designs.get(id, { ifNoneMatch: etag }), undefined)
  await platen.designs.change(id, [{ op: 'replace', path: '/name', value: 'New' }], { ifMatch: etag })
  assert.equal((await platen.designs.get(id, { ifNoneMatch: etag }))?.name, 'New')
  await assert.rejects(Promise.resolve(platen.designs.change(id, { name: 'x' }, { ifMatch: etag })), {
    code: 'precondition_failed',
  })
})

test('an operator acts for the customer of the client, on the operations that take one', async (t) => {
  const { service, admin, newDesign } = await start(t)
  const customer = await admin.customers.create({ externalId: 'shop-7' })
  const { accessToken } = await service.signUp({ role: 'operator' })
  const operator = createPlaten({ url: service.origin, auth: { token: accessToken }, customer: 'ext:shop-7' })
  assert.equal((await operator.designs.create(newDesign)).customerId, customer.id)
  assert.equal((await operator.customers.get(customer.id)).externalId, 'shop-7')
  const other = await admin.customers.create({ externalId: 'shop-8' })
  assert.equal((await operator.designs.create(newDesign, { customer: other.id })).customerId, other.id)
})

test('a function fetches a customer token once, and again when the service refuses it', async (t) => {
  const { proxy, admin, newDesign } = await start(t)
  const customer = await admin.customers.create({ externalId: 'shop-9' })
  let fetched = 0
  const platen = createPlaten({
    url: proxy.url,
    auth: {
      token: async () => {
        fetched += 1
        return fetched === 1 ? 'dead' : admin.customers.createToken(customer.id, { expiresInSeconds: 60 })
      },
    },
  })
  await Promise.all([platen.designs.list(), platen.designs.list()])
  assert.equal(fetched, 2)
  assert.equal((await platen.designs.create(newDesign)).customerId, customer.id)
  assert.equal(fetched, 2)
})

test('files are responses that can be read as a stream', async (t) => {
  const { platen, newDesign } = await start(t)
  const { id } = await platen.designs.create(newDesign)
  const preview = await platen.designs.preview(id, { width: 100 }, { accept: 'image/png' })
  assert.equal(preview.headers.get('content-type'), 'image/png')
  assert.equal((await preview.bytes()).subarray(1, 4).toString(), String([80, 78, 71]))
})

test('a credential that is not set is an error of the program, in place of a client without one', () => {
  for (const name of ['apiKey', 'token'] as const)
    for (const wrong of [undefined, '', ' ', null]) {
      const auth = { [name]: wrong } as unknown as { apiKey: string }
      const message = new RegExp(`^auth\\.${name} is (undefined|null|empty)\\.`)
      assert.throws(() => createPlaten({ url: 'http://127.0.0.1:1', auth }), { name: 'TypeError', message })
    }
})

test('an empty id, and dots, are an error, because their path would be another operation', async (t) => {
  const { platen, proxy } = await start(t)
  for (const id of ['', '.', '..']) await assert.rejects(Promise.resolve(platen.designs.archive(id)), TypeError)
  await assert.rejects(Promise.resolve(platen.designs.archive('../users')), { code: 'design_not_found' })
  assert.deepEqual(
    proxy.seen.map(({ path }) => path),
    ['/v1/designs/..%2Fusers'],
  )
})
