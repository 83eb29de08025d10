import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { CARD } from '../../../src/designs/factory.ts'
import { emit } from '../../../src/platform/outbox/index.ts'
import { startService, untilEventsVisible } from '../../../test/harness.ts'
import { newId } from '../../../test/ids.ts'
import { until } from '../../../test/lib/until.ts'
import { parseEvents } from '../src/events/parse-events.ts'
import { readChunks } from '../src/events/read-chunks.ts'
import { createPlaten } from '../src/index.ts'
import { type Fault, type SeenRequest, startFaultProxy } from './fault-proxy.ts'

const STREAM = '/v1/events/stream'

async function start(t: TestContext, decide?: (request: SeenRequest, count: number) => Fault) {
  const service = await startService(t)
  const { accessToken, refreshToken, userId } = await service.signUp()
  const proxy = await startFaultProxy(t, service.origin, decide)
  const platen = createPlaten({ url: proxy.url, auth: { token: accessToken } })
  const write = async (type = 'order.created'): Promise<string> => {
    const subject = newId('order')
    const event = { type, subject, ownerId: userId, data: { id: subject, erased: true }, at: service.clock.now() }
    await service.db.transaction().execute((trx) => emit(trx, event))
    return subject
  }
  return { service, proxy, platen, accessToken, refreshToken, write }
}

const opened = () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { promise, onOpen: resolve }
}

test('a stream continues after the last event when its connection is cut, and skips and repeats none', async (t) => {
  const { proxy, platen, write } = await start(t)
  const { promise, onOpen } = opened()
  const stream = platen.events.stream({}, { onOpen })
  const first = stream.next()
  await promise
  const subjects = [await write()]
  assert.equal((await first).value?.subject, subjects[0])
  assert.match(stream.lastEventId ?? '', /^evt_/)
  proxy.cut()
  subjects.push(await write(), await write())
  assert.equal((await stream.next()).value?.subject, subjects[1])
  assert.equal((await stream.next()).value?.subject, subjects[2])
  assert.equal(proxy.to(STREAM).length, 2)
  assert.match(String(proxy.to(STREAM)[1]?.headers['last-event-id']), /^evt_/)
  await stream.return?.()
})

test('a stream whose connection is cut before its first event misses none', async (t) => {
  const { proxy, platen, write } = await start(t)
  await write()
  const { promise, onOpen } = opened()
  const stream = platen.events.stream({}, { onOpen })
  const first = stream.next()
  await promise
  // The id of the newest event arrives with the opening of the stream.
  await delay(300)
  proxy.cut()
  const missed = await write()
  assert.equal((await first).value?.subject, missed)
  await stream.return?.()
})

test('a stream continues where an earlier program stopped', async (t) => {
  const { service, platen, write } = await start(t)
  const subjects = [await write(), await write(), await write()]
  await untilEventsVisible(service.db)
  const { data } = await platen.events.list({ limit: 1 })
  const found: string[] = []
  for await (const event of platen.events.stream({ after: data[0]?.id })) {
    found.push(event.subject)
    if (found.length === 2) break
  }
  assert.deepEqual(found, subjects.slice(1))
})

test('leaving the loop, and aborting, close the connection', async (t) => {
  const { service, proxy, platen, write } = await start(t)
  await write()
  await write()
  await untilEventsVisible(service.db)
  const { data } = await platen.events.list()
  for await (const event of platen.events.stream({ after: data[0]?.id })) {
    assert.equal(event.id, data[1]?.id)
    assert.equal(proxy.open(), 1)
    break
  }
  await untilClosed(proxy)
  const control = new AbortController()
  const { promise, onOpen } = opened()
  const next = platen.events.stream({}, { onOpen, signal: control.signal }).next()
  await promise
  control.abort(new Error('left'))
  await assert.rejects(next, /left/)
  await untilClosed(proxy)
})

const untilClosed = (proxy: { open(): number }): Promise<void> => until('no connection', () => proxy.open() === 0)

test('a stream gets a new token when its token is refused', async (t) => {
  const { proxy, write, refreshToken } = await start(t)
  const platen = createPlaten({ url: proxy.url })
  await platen.session.use({ accessToken: 'expired', refreshToken, expiresAt: Date.now() + 600_000 })
  const { promise, onOpen } = opened()
  const next = platen.events.stream({}, { onOpen }).next()
  await promise
  const subject = await write()
  assert.equal((await next).value?.subject, subject)
  assert.equal(proxy.to('/v1/api/auth/refresh').length, 1)
})

test('a connection without data counts as lost', async () => {
  const silent = new ReadableStream<Uint8Array>()
  const isLost = await new Promise((resolve) => {
    const chunks = readChunks(silent, 50, () => resolve(true))[Symbol.asyncIterator]()
    chunks.next().then(() => resolve(false), resolve)
  })
  assert.equal(isLost, true)
})

test('a stream waits when the service is busy, and ends with errors that another connection cannot overcome', async (t) => {
  const { platen, proxy, write } = await start(t, (_, count) =>
    count < 3
      ? { status: 503, headers: { 'retry-after': '0' }, body: { code: 'event_streams_full', detail: '' } }
      : 'pass',
  )
  const { promise, onOpen } = opened()
  const next = platen.events.stream({}, { onOpen }).next()
  await promise
  await write()
  await next
  assert.equal(proxy.to(STREAM).length, 3)
  await assert.rejects(platen.events.stream({ after: newId('event') }).next(), { code: 'event_not_found' })
})

test('a ticket opens each connection in place of a credential', async (t) => {
  const { proxy, platen, write } = await start(t)
  const page = createPlaten({ url: proxy.url })
  const { promise, onOpen } = opened()
  const ticket = async () => (await platen.events.createStreamTicket()).ticket
  const stream = page.events.stream({ ticket, type: 'order.shipped' }, { onOpen })
  const next = stream.next()
  await promise
  await write('order.created')
  const subject = await write('order.shipped')
  assert.equal((await next).value?.subject, subject)
  const [request] = proxy.to(STREAM)
  assert.equal(request?.headers.authorization, undefined)
  proxy.cut()
  const later = await write('order.shipped')
  assert.equal((await stream.next()).value?.subject, later)
})

const chunked = async function* (text: string, size: number): AsyncIterable<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

test('events are read from pieces of any size, and an incomplete one is dropped', async () => {
  const text =
    'retry: 50\n\n:\n\nid: 1\nevent: a\ndata: {"x":"é🎈"}\n\nid: 2\r\ndata: a\r\ndata:b\r\n\r\nid: 3\n\nid: 4\ndata: c\n'
  for (const size of [1, 2, 3, 7, 1000]) {
    const state = { lastEventId: undefined, retryMs: 0 }
    const found: unknown[] = []
    for await (const data of parseEvents(chunked(text, size), state)) found.push([{ ...state }.lastEventId, data])
    assert.deepEqual(found, [
      ['1', '{"x":"é🎈"}'],
      ['2', 'a\nb'],
    ])
    assert.deepEqual(state, { lastEventId: '3', retryMs: 50 })
  }
})

test('an event with every kind of line separator in its data arrives', async (t) => {
  const { service, platen, accessToken: token } = await start(t)
  const { accessToken: admin } = await service.signUp({ role: 'admin' })
  const { body: product } = await service.request('POST', '/products', { token: admin, body: CARD })
  const note = 'a\u2028b\u2029c\u0085d'
  const body = { productId: product.id, variantId: product.variants[0].id, metadata: { note } }
  const { body: design } = await service.request('POST', '/designs', { token, body })
  const { promise, onOpen } = opened()
  const stream = platen.events.stream({}, { onOpen })
  const next = stream.next()
  await promise
  await service.request('DELETE', `/designs/${design.id}`, { token })
  const { value } = await next
  assert.ok(value?.type === 'design.archived' && !('erased' in value.data))
  assert.deepEqual(value.data.metadata, { note })
  await stream.return?.()
})

test('a long line is read in linear time, and an endless one is an error', async () => {
  const read = async (megabytes: number) => {
    const piece = new TextEncoder().encode('x'.repeat(64 * 1024))
    const chunks = Readable.from(
      (function* () {
        yield new TextEncoder().encode('data: ')
        for (let n = 0; n < megabytes * 16; n += 1) yield piece
        yield new TextEncoder().encode('\n\n')
      })(),
    )
    for await (const data of parseEvents(chunks, { lastEventId: undefined, retryMs: 0 })) return data.length
    return 0
  }
  assert.equal(await read(16), 16 * 1024 * 1024)
  await assert.rejects(read(40), RangeError)
})
