import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { runInNewContext } from 'node:vm'
import { until } from '../../../test/lib/until.ts'
import { createPlaten, type FileBody } from '../src/index.ts'
import { retryAfterMs } from '../src/request/retry.ts'
import { wait } from '../src/request/wait.ts'

// Proxies, captive portals, wrong URLs and hostile servers respond in ways in which the service never does.

type Respond = (request: IncomingMessage, response: ServerResponse) => void

async function start(t: TestContext, respond: Respond) {
  const seen: string[] = []
  const headers: IncomingMessage['headers'][] = []
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    headers.push(request.headers)
    request.resume()
    respond(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, seen, headers, platen: createPlaten({ url, auth: { apiKey: 'platen_key' } }) }
}

const json = (response: ServerResponse, status: number, body: unknown, type = 'application/json') =>
  response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body))

const page: Respond = (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello')

test('no method but GET follows a redirect, so that no body reaches another server', async (t) => {
  const other = await start(t, (_request, response) => json(response, 200, { data: [], nextCursor: null }))
  for (const status of [301, 307]) {
    const { platen, url, seen } = await start(t, ({ url: path }, response) => {
      response.writeHead(status, { location: `${other.url}${path}` }).end()
    })
    const login = createPlaten({ url }).auth.login({ email: 'ada@example.com', password: 'a quiet lake at dusk' })
    const expected = { code: 'unexpected_response', status, message: /redirects to http:\S+, and POST follows no/ }
    await assert.rejects(Promise.resolve(login), expected)
    await assert.rejects(Promise.resolve(platen.designs.create({ productId: 'p', variantId: 'v' })), expected)
    assert.equal(seen.length, 2)
    assert.deepEqual((await platen.designs.list()).data, [])
  }
  assert.deepEqual(other.seen, ['GET /v1/designs', 'GET /v1/designs'])
  assert.equal(other.headers[0]?.authorization, undefined)
})

test('a page in place of JSON or of an event stream is an unexpected response, and not requested again', async (t) => {
  const { platen, seen } = await start(t, page)
  const expected = { name: 'PlatenError', code: 'unexpected_response', status: 200, message: /text\/html/ }
  await assert.rejects(Promise.resolve(platen.designs.list()), expected)
  await assert.rejects(platen.events.stream().next(), expected)
  assert.equal(seen.length, 2)
})

test('an error response of another server cannot change the error itself', async (t) => {
  const problem = 'application/problem+json'
  const bodies: [unknown, string][] = [
    [{ code: 'not_found' }, problem],
    [{ code: 'not_found', detail: 'Nothing here.' }, 'application/json'],
    [
      { code: 'x', detail: 'd', name: 'n', message: 'm', stack: 's', errors: null, status: 200, operation: 'o' },
      problem,
    ],
  ]
  const { platen } = await start(t, (_request, response) => {
    const [body, type] = bodies.shift() ?? []
    json(response, 404, body, type)
  })
  const base = { name: 'PlatenError', status: 404, operation: 'designs.get', errors: [] }
  const get = () => Promise.resolve(platen.designs.get('d'))
  for (let n = 0; n < 2; n += 1)
    await assert.rejects(get(), { ...base, code: 'unexpected_response', message: /status 404 and is not a problem/ })
  await assert.rejects(get(), { ...base, code: 'x', message: 'designs.get: d' })
})

test('a list that repeats its cursor, or has none, ends', async (t) => {
  for (const page of [{ data: [1], nextCursor: 'same' }, { data: [1] }]) {
    const { platen, seen } = await start(t, (_request, response) => json(response, 200, page))
    const found: unknown[] = []
    for await (const one of platen.designs.list()) found.push(one)
    assert.equal(found.length, seen.length)
    assert.ok(seen.length <= 2, `${seen.length} requests`)
  }
})

test('a deletion whose response was lost has succeeded if the record is gone', async (t) => {
  const gone = { code: 'asset_not_found', detail: 'There is no such asset.' }
  let count = 0
  const { platen } = await start(t, (request, response) => {
    count += 1
    if (count === 1) request.socket.destroy()
    else json(response, 404, gone, 'application/problem+json')
  })
  assert.equal(await platen.assets.delete('ast_1'), undefined)
  await assert.rejects(Promise.resolve(platen.assets.delete('ast_1')), { code: 'asset_not_found' })
})

test('a request whose first attempt is in progress waits for its response, beyond the number of retries', async (t) => {
  let count = 0
  const { platen } = await start(t, (request, response) => {
    count += 1
    if (count === 1) request.socket.destroy()
    else if (count < 7)
      json(response, 409, { code: 'idempotency_key_in_progress', detail: 'Wait.' }, 'application/problem+json')
    else json(response, 201, { id: 'dsn_1' })
  })
  assert.equal((await platen.designs.create({ productId: 'p', variantId: 'v' })).id, 'dsn_1')
})

test('programs state the version of the client', async (t) => {
  const { platen, headers } = await start(t, (_request, response) =>
    json(response, 200, { data: [], nextCursor: null }),
  )
  await platen.designs.list()
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'))
  assert.equal(headers[0]?.['user-agent'], `platen-client/${version}`)
})

test('a URL or a credential that cannot be meant is an error without the credential', () => {
  for (const url of ['', 'print.example.com', 'ftp://print.example.com', undefined]) {
    assert.throws(() => createPlaten({ url: url as string }), {
      name: 'TypeError',
      message: /^url must be a URL such as/,
    })
  }
  const auth = { apiKey: 'platen_first\nplaten_second' }
  assert.throws(
    () => createPlaten({ url: 'http://127.0.0.1:1', auth }),
    ({ message }: Error) => {
      return /^auth\.apiKey contains/.test(message) && !message.includes('platen_')
    },
  )
})

test('files of another realm are sent as bytes, and streams of Node.js are an error', async (t) => {
  const { platen, headers } = await start(t, (_request, response) => json(response, 201, { id: 'ast_1' }))
  const bytes = runInNewContext('new Uint8Array([1, 2, 3])') as FileBody
  await platen.assets.upload(bytes)
  assert.deepEqual([headers[0]?.['content-type'], headers[0]?.['content-length']], ['application/octet-stream', '3'])
  const stream = Readable.from(['a']) as unknown as FileBody
  await assert.rejects(Promise.resolve(platen.assets.upload(stream)), { name: 'TypeError', message: /Readable\.toWeb/ })
})

test('an upload that a browser redirected is an error', async (t) => {
  const { url, platen } = await start(t, (_request, response) => json(response, 201, { id: 'ast_1' }))
  /** Follows a redirect, as `XMLHttpRequest` does. */
  class Redirected {
    status = 200
    responseURL = `${url}/v1/other`
    response = new TextEncoder().encode('{"data":[]}').buffer
    upload = {}
    onload = () => undefined
    open() {}
    setRequestHeader() {}
    getAllResponseHeaders = () => 'content-type: application/json'
    send() {
      setTimeout(() => this.onload())
    }
  }
  Object.assign(globalThis, { XMLHttpRequest: Redirected })
  t.after(() => Reflect.deleteProperty(globalThis, 'XMLHttpRequest'))
  const upload = platen.assets.upload(new Uint8Array([1]), { onProgress: () => undefined })
  await assert.rejects(Promise.resolve(upload), { code: 'unexpected_response', message: /redirects to \S+\/v1\/other/ })
})

test('an own fetch sends uploads with progress too', async (t) => {
  const { url } = await start(t, (_request, response) => json(response, 201, { id: 'ast_1' }))
  let calls = 0
  const own: typeof fetch = (input, init) => {
    calls += 1
    return fetch(input, init)
  }
  class Xhr {
    open() {
      throw new Error('used XMLHttpRequest')
    }
  }
  Object.assign(globalThis, { XMLHttpRequest: Xhr })
  t.after(() => Reflect.deleteProperty(globalThis, 'XMLHttpRequest'))
  await createPlaten({ url, fetch: own }).assets.upload(new Uint8Array([1]), { onProgress: () => undefined })
  assert.equal(calls, 1)
})

test('waits are limited to the longest time of a timer, and an endless timeout is none', async (t) => {
  const { url, platen } = await start(t, (_request, response) => json(response, 200, { data: [], nextCursor: null }))
  const control = new AbortController()
  const endless = wait(Number(retryAfterMs('99999999999')), control.signal).then(
    () => 'waited',
    () => 'aborted',
  )
  await delay(20)
  control.abort()
  assert.equal(await endless, 'aborted')
  assert.deepEqual((await platen.designs.list({}, { timeoutMs: Number.POSITIVE_INFINITY })).data, [])
  assert.deepEqual((await createPlaten({ url, timeoutMs: 2 ** 40 }).products.list()).data, [])
})

const stream = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' })

test('a stream waits before each connection, whatever the server asks for', async (t) => {
  const { platen, seen } = await start(t, (_request, response) => {
    stream(response).end('retry: 99999999999\n\n')
  })
  const events = platen.events.stream()
  const next = events.next()
  await until('the first connection', () => seen.length > 0)
  await delay(200)
  assert.equal(seen.length, 1)
  assert.deepEqual(await events.return?.(), { done: true, value: undefined })
  assert.deepEqual(await next, { done: true, value: undefined })
})

test('a stream waits as long as Retry-After asks, and reports the failures', async (t) => {
  const { platen, seen } = await start(t, (_request, response) => {
    response.setHeader('retry-after', '120')
    json(response, 503, { code: 'service_unavailable', detail: 'Later.' }, 'application/problem+json')
  })
  const errors: unknown[] = []
  const events = platen.events.stream({}, { onError: (error) => errors.push(error) })
  const next = events.next()
  await until('the first failure', () => errors.length > 0)
  await delay(200)
  assert.deepEqual([seen.length, errors.length], [1, 1])
  await events.return?.()
  await next
})

test('a function for tickets that fails for a moment is called again, and a mistake in the program ends the stream', async (t) => {
  const { platen } = await start(t, (_request, response) => {
    stream(response).write('id: evt_1\ndata: {"id":"evt_1"}\n\n')
  })
  const tickets = [() => Promise.reject(new TypeError('Failed to fetch')), () => Promise.resolve('ticket')]
  const events = platen.events.stream({ ticket: () => tickets.shift()?.() as Promise<string> })
  assert.equal((await events.next()).value?.id, 'evt_1')
  await events.return?.()
  await requireEndOfMistakes(t)
  const onOpen = () => {
    throw new TypeError('a mistake')
  }
  await assert.rejects(platen.events.stream({}, { onOpen }).next(), /a mistake/)
})

/** A function that fails is called for five minutes, here with a clock that passes them. */
async function requireEndOfMistakes(t: TestContext): Promise<void> {
  const { platen } = await start(t, (_request, response) => stream(response).end())
  const startedAt = Date.now()
  let passed = 0
  t.mock.method(Date, 'now', () => startedAt + passed)
  const errors: unknown[] = []
  const onError = (error: unknown) => {
    errors.push(error)
    passed += 200_000
  }
  const ticket = () => Promise.reject(new RangeError('a mistake'))
  await assert.rejects(platen.events.stream({ ticket }, { onError }).next(), RangeError)
  assert.equal(errors.length, 2)
  t.mock.restoreAll()
}
