import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../../../../test/lib/until.ts'
import { shareOf } from '../../fair-share.ts'
import { createMetrics } from '../../telemetry/metrics.ts'
import { extendGuard, publicRoute } from '../core/guard.ts'
import type { Principal } from '../core/principal.ts'
import { createTestApp } from '../factory.ts'
import { FLOW_LIMITS, type FlowLimits } from './limits.ts'

const MIB = 1024 * 1024
/** More than the kernel buffers for a connection on which the client reads nothing. */
const LARGE = 32 * MIB
const UNLIMITED: FlowLimits = { ...FLOW_LIMITS, accountBytes: 1024 * MIB, totalBytes: 1024 * MIB }

/** An HTTP app whose callers identify themselves in `X-User` and `X-Key`. */
async function startApp(t: TestContext, limits: Partial<FlowLimits>) {
  const metrics = createMetrics()
  const app = createTestApp({
    metrics,
    flow: { ...UNLIMITED, ...limits },
    authenticate: async ({ headers }) => principalOf(headers),
    // New customers have the share of their network.
    findShare: async (userId) => (userId.startsWith('usr_new') ? `guests abc${userId.slice(-3)}` : shareOf(userId)),
    drainMs: 20,
  })
  let gate = Promise.withResolvers<void>()
  const large = Buffer.alloc(LARGE, 'x')
  app.get('/large', { onRequest: publicRoute }, async (_request, reply) => reply.send(large))
  app.post('/large', { onRequest: publicRoute }, async (_request, reply) => reply.send(large))
  let piecesRead = 0
  const countPiece = (): void => {
    piecesRead += 1
  }
  app.get('/file', { onRequest: publicRoute }, async (_request, reply) =>
    reply.header('Content-Length', LARGE).send(Readable.from(piecesOfFile(large, countPiece))),
  )
  app.get('/failing-file', { onRequest: publicRoute }, async (_request, reply) => {
    const destroy = (_error: Error | null, done: (error: Error) => void): void => done(new Error('ended early'))
    return reply.send(new Readable({ read: () => undefined, destroy }))
  })
  app.get('/text', { onRequest: publicRoute }, async () => ({ text: 'ä'.repeat(MIB) }))
  app.post('/things', { onRequest: publicRoute }, async () => ({}))
  app.route({
    method: ['GET', 'POST'],
    url: '/slow',
    onRequest: publicRoute,
    handler: async () => {
      await gate.promise
      return {}
    },
  })
  const upload = { onRequest: publicRoute, config: { rateLimit: 'upload' } } as const
  app.post('/uploads', upload, async () => {
    await gate.promise
    return {}
  })
  app.register(async (scope) => {
    scope.addContentTypeParser('*', async (_request: unknown, body: unknown) => body)
    scope.post('/files', upload, async ({ body }) => {
      await gate.promise
      let bytes = 0
      for await (const chunk of body as AsyncIterable<Buffer>) bytes += chunk.length
      return { bytes }
    })
  })
  app.get('/stream', { onRequest: publicRoute, config: { staysOpen: true } }, async () => {
    await gate.promise
    return {}
  })
  app.post('/slow-without-content', { onRequest: publicRoute }, async (_request, reply) => {
    reply.code(204)
    await gate.promise
  })
  let handled = 0
  const onRequest = extendGuard(publicRoute, () => gate.promise)
  app.post('/slow-guard', { onRequest }, async () => {
    handled += 1
    return {}
  })
  const requests = new Set<object>()
  app.server.on('request', (request, response) => {
    requests.add(request)
    response.once('close', () => requests.delete(request))
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const sockets: Socket[] = []
  t.after(async () => {
    gate.resolve()
    for (const socket of sockets) socket.destroy()
    await app.close()
  })
  const address = app.server.address()
  assert.ok(address !== null && typeof address === 'object')
  const origin = `http://127.0.0.1:${address.port}`
  /** Sends the head of a request. Reads nothing until the test does. */
  const open = async (method: string, path: string, headers: Record<string, string> = {}): Promise<Socket> => {
    const socket = connect(address.port, '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(`${method} ${path} HTTP/1.1\r\nHost: a\r\n${lines.join('')}\r\n`)
    return socket
  }
  return {
    open,
    call: (path: string, init: RequestInit = {}) => fetch(origin + path, init),
    /** Lets the handler of the waiting requests respond. */
    letGo: (): void => {
      gate.resolve()
      gate = Promise.withResolvers()
    },
    /** Waits until this many connections were cut. A client that does not read cannot see the end of its connection. */
    untilCut: async (reason: string, count = 1): Promise<void> => {
      const countCut = async (): Promise<number> => {
        const { values } = await metrics.flow.cut.get()
        return values.find(({ labels }) => labels.reason === reason)?.value ?? 0
      }
      await until(`${count} cut connections`, async () => (await countCut()) >= count)
      assert.equal(await countCut(), count)
    },
    /** How many requests the handler behind the slow guard has got. */
    handled: () => handled,
    /** How many pieces of the file were read. */
    pieces: () => piecesRead,
    inFlight: async (count: number): Promise<void> => {
      await until(`${count} requests`, () => requests.size >= count)
      await delay(50)
    },
  }
}

function* piecesOfFile(file: Buffer, onPiece: () => void): Generator<Buffer> {
  for (let at = 0; at < file.length; at += 64 * 1024) {
    onPiece()
    yield file.subarray(at, at + 64 * 1024)
  }
}

function principalOf(headers: Record<string, unknown>): Principal | undefined {
  const userId = headers['x-user']
  if (typeof userId !== 'string') return undefined
  const credentialId = String(headers['x-key'] ?? userId)
  return { kind: 'api_key', userId, role: 'customer', staffRole: null, credentialId, permissions: new Set() }
}

test('a client that does not read its response is disconnected after the stall time', async (t) => {
  const app = await startApp(t, { stallMs: 1_000 })
  await app.open('GET', '/large')
  await app.untilCut('stalled_response')
})

test('a response that waits for an earlier response on its connection does not count as stalled', async (t) => {
  const app = await startApp(t, { stallMs: 1_000 })
  const socket = await app.open('GET', '/slow')
  socket.write('GET /text HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  await delay(3_000)
  assert.equal(socket.closed, false)
  app.letGo()
  const answers = (await socket.toArray()).join('')
  assert.equal(answers.match(/HTTP\/1\.1 200/g)?.length, 2)
})

test('a client that reads only a few bytes from time to time is disconnected', async (t) => {
  const app = await startApp(t, { stallMs: 2_000 })
  const socket = await app.open('GET', '/large')
  const timer = setInterval(() => socket.read(100), 50)
  t.after(() => clearInterval(timer))
  await app.untilCut('stalled_response')
})

test('a slow client that reads steadily gets its whole response', async (t) => {
  const app = await startApp(t, { stallMs: 2_000 })
  const socket = await app.open('GET', '/large')
  let bytes = 0
  while (bytes < LARGE / 2) {
    const chunk: Buffer | null = socket.read()
    bytes += chunk?.length ?? 0
    assert.equal(socket.closed, false, `disconnected after ${bytes} bytes`)
    // The whole takes longer than the stall time.
    await delay(20)
  }
})

test('a client that reads gets the complete response with its length', async (t) => {
  const app = await startApp(t, {})
  const whole = await app.call('/large')
  assert.deepEqual(
    [whole.headers.get('content-length'), (await whole.arrayBuffer()).byteLength],
    [String(LARGE), LARGE],
  )
  const text = await app.call('/text')
  assert.equal(((await text.json()) as { text: string }).text, 'ä'.repeat(MIB))
  const head = await app.call('/large', { method: 'HEAD' })
  assert.deepEqual([head.headers.get('content-length'), (await head.arrayBuffer()).byteLength], [String(LARGE), 0])
})

test('a request whose body stalls is rejected after the stall time, even if single bytes arrive', async (t) => {
  const app = await startApp(t, { stallMs: 1_000 })
  const headers = { 'content-type': 'application/json', 'content-length': '1000' }
  const silent = await app.open('POST', '/things', headers)
  const trickling = await app.open('POST', '/things', headers)
  const timer = setInterval(() => trickling.writable && trickling.write(' '), 100)
  t.after(() => clearInterval(timer))
  for (const socket of [silent, trickling]) {
    const [answer] = await once(socket, 'data')
    assert.match(String(answer), /^HTTP\/1\.1 408 [\s\S]*"request_timeout"/)
    if (!socket.closed) await once(socket, 'close')
  }
  await app.untilCut('stalled_request', 2)
})

test('a slow handler does not count as a slow client', async (t) => {
  const app = await startApp(t, { stallMs: 1_000 })
  const answer = app.call('/slow')
  await delay(3_000)
  app.letGo()
  assert.equal((await answer).status, 200)
})

test('an upload that the service itself does not read for some time does not count as a slow client', async (t) => {
  const app = await startApp(t, { stallMs: 1_000 })
  const headers = { 'content-type': 'image/png', 'x-user': 'usr_1' }
  const answer = app.call('/files', { method: 'POST', headers, body: new Uint8Array(LARGE) })
  const whole = answer.then(async (response) => [response.status, await response.json()])
  await Promise.race([whole, delay(3_000)])
  app.letGo()
  assert.deepEqual(await whole, [200, { bytes: LARGE }])
})

test('requests in flight are limited per credential, uploads separately, and streams do not count', async (t) => {
  const app = await startApp(t, { requests: 2, uploads: 1 })
  const key = (name: string) => ({ headers: { 'x-user': 'usr_1', 'x-key': name } })
  const waiting = [
    ...['a', 'a', 'b'].map((name) => app.call('/slow', key(name))),
    app.call('/uploads', { method: 'POST', ...key('a') }),
    app.call('/stream', key('a')),
  ]
  await app.inFlight(waiting.length)
  const refused = await app.call('/slow', key('a'))
  assert.deepEqual([refused.status, ((await refused.json()) as { code: string }).code], [429, 'rate_limited'])
  assert.equal(refused.headers.get('retry-after'), '1')
  assert.equal((await app.call('/uploads', { method: 'POST', ...key('a') })).status, 429)
  // Another API key of the same account, and an anonymous caller.
  waiting.push(app.call('/slow', key('b')), app.call('/slow'), app.call('/slow'))
  await app.inFlight(waiting.length)
  assert.equal((await app.call('/things', { method: 'POST' })).status, 429)
  app.letGo()
  for (const answer of waiting) assert.equal((await answer).status, 200)
  assert.equal((await app.call('/things', { method: 'POST', ...key('a') })).status, 200)
})

test('all credentials of an account together may have twice as many requests in flight as one of them', async (t) => {
  const app = await startApp(t, { requests: 2, uploads: 1 })
  const key = (user: string, name: string) => ({ headers: { 'x-user': user, 'x-key': name } })
  const push = (user: string, name: string) => app.call('/uploads', { method: 'POST', ...key(user, name) })
  const waiting = [
    ...['a', 'a', 'b', 'c'].map((name) => app.call('/slow', key('usr_1', name))),
    ...['a', 'b'].map((name) => push('usr_1', name)),
  ]
  await app.inFlight(waiting.length)
  // Without the limit, this request would wait with the others.
  const signal = AbortSignal.timeout(60_000)
  const slow = app.call('/slow', { ...key('usr_1', 'd'), signal })
  const pushed = app.call('/uploads', { method: 'POST', ...key('usr_1', 'd'), signal })
  for (const refused of await Promise.all([slow, pushed])) {
    assert.equal(refused.status, 429)
    assert.match(((await refused.json()) as { detail: string }).detail, /of this account are in flight/)
  }
  waiting.push(app.call('/slow', key('usr_2', 'a2')), push('usr_2', 'a2'))
  await app.inFlight(waiting.length)
  app.letGo()
  for (const answer of waiting) assert.equal((await answer).status, 200)
  // A rejected request no longer counts.
  assert.equal((await app.call('/things', { method: 'POST', ...key('usr_1', 'd') })).status, 200)
})

test('an account with too many waiting responses gets no further ones with any API key, but other accounts do', async (t) => {
  const app = await startApp(t, { accountBytes: LARGE })
  const socket = await app.open('GET', '/large', { 'x-user': 'usr_1', 'x-key': 'a' })
  await once(socket, 'readable')
  const call = (user: string, method = 'GET') =>
    app.call('/large', { method, headers: { 'x-user': user, 'x-key': 'b' } })
  const refused = await call('usr_1')
  assert.deepEqual([refused.status, ((await refused.json()) as { code: string }).code], [429, 'rate_limited'])
  assert.equal((await (await call('usr_2')).arrayBuffer()).byteLength, LARGE)
  // The POST has changed something, so its caller must get the response.
  assert.equal((await (await call('usr_1', 'POST')).arrayBuffer()).byteLength, LARGE)
  socket.destroy()
  let answer = await call('usr_1')
  while (answer.status === 429) answer = await call('usr_1')
  assert.equal((await answer.arrayBuffer()).byteLength, LARGE)
})

test('if the memory for all clients is used up, slow clients are disconnected to free memory', async (t) => {
  const begin = performance.now()
  let passedMs = 0
  t.mock.method(performance, 'now', () => begin + passedMs)
  const app = await startApp(t, { totalBytes: 2 * LARGE })
  const first = await app.open('GET', '/large', { 'x-user': 'usr_1' })
  const second = await app.open('GET', '/large', { 'x-user': 'usr_2' })
  await Promise.all([once(first, 'readable'), once(second, 'readable')])
  const call = (user: string) => app.call('/large', { headers: { 'x-user': user } })
  // Both clients have only just begun to wait, and use no more than the third one would.
  const refused = await call('usr_3')
  assert.deepEqual([refused.status, ((await refused.json()) as { code: string }).code], [503, 'service_unavailable'])
  assert.equal((await app.call('/things', { method: 'POST' })).status, 200)
  // The service measures once a second who waits.
  await until('room for a third client', async () => {
    await delay(200)
    passedMs += 1_000
    const answer = await call('usr_3')
    const { byteLength } = await answer.arrayBuffer()
    return answer.status === 200 && byteLength === LARGE
  })
  await app.untilCut('memory')
})

test('the connection of an account with many bytes is cut immediately for an account with few', async (t) => {
  const app = await startApp(t, { totalBytes: 2 * LARGE })
  // A response to POST is never refused, so the account can get more than its share.
  const sockets = await Promise.all([1, 2].map(() => app.open('POST', '/large', { 'x-user': 'usr_1' })))
  await Promise.all(sockets.map((socket) => once(socket, 'readable')))
  const answer = await app.call('/large', { headers: { 'x-user': 'usr_2' } })
  assert.equal((await answer.arrayBuffer()).byteLength, LARGE)
  await app.untilCut('memory')
})

// Bodies wait like this while all checking processes are busy.
test('accounts that hold as much as they may leave room for others', async (t) => {
  const app = await startApp(t, { accountBytes: 8 * MIB, totalBytes: 16 * MIB })
  const body = JSON.stringify({ text: 'x'.repeat(MIB - 100) })
  const send = (path: string, user: string) =>
    app.call(path, { method: 'POST', body, headers: { 'content-type': 'application/json', 'x-user': user } })
  const statuses: number[] = []
  for (const user of ['usr_1', 'usr_2', 'usr_3', 'usr_4', 'usr_5', 'usr_6']) {
    for (let i = 0; i < 10; i += 1) void send('/slow', user).then(({ status }) => statuses.push(status))
  }
  // Only what is refused ends while the gate is closed.
  while (statuses.length < 60 - 16) await delay(20)
  assert.deepEqual(new Set(statuses), new Set([429]))
  assert.equal((await send('/things', 'usr_7')).status, 200)
  assert.equal((await (await app.call('/text', { headers: { 'x-user': 'usr_7' } })).text()).length, MIB + 11)
})

test('a steady reader of a file keeps its connection while small bodies of others fill the memory', async (t) => {
  const app = await startApp(t, { accountBytes: 8 * MIB, totalBytes: 4 * MIB, stallMs: 60_000 })
  const reader = await app.open('GET', '/file', { 'x-user': 'usr_reader' })
  const body = JSON.stringify({ text: 'x'.repeat(60 * 1024) })
  const send = (user: number) =>
    app.call('/slow', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'x-user': `usr_${user}` },
    })
  const sent = Array.from({ length: 90 }, (_, i) => send(i))
  await app.inFlight(91)
  let bytes = 0
  while (bytes < LARGE / 2) {
    const chunk: Buffer | null = reader.read()
    bytes += chunk?.length ?? 0
    // The service measures once a second. The reader is behind each time.
    await delay(chunk === null ? 5 : 20)
    assert.equal(reader.destroyed, false, `cut after ${bytes} bytes`)
  }
  app.letGo()
  for (const { status } of await Promise.all(sent)) assert.equal(status, 200)
})

test('a response to HEAD reads nothing of its file', async (t) => {
  const app = await startApp(t, {})
  const { pieces } = app
  const response = await app.call('/file', { method: 'HEAD' })
  assert.deepEqual([response.status, response.headers.get('content-length')], [200, String(LARGE)])
  const failing = await app.call('/failing-file', { method: 'HEAD' })
  assert.equal(failing.status, 200)
  await delay(300)
  assert.ok(pieces() <= 2, `${pieces()} pieces of the file were read`)
})

test('bodies that arrive slowly count like responses that are read slowly', async (t) => {
  const app = await startApp(t, { accountBytes: MIB, totalBytes: 4 * MIB })
  const headers = { 'content-type': 'application/json', 'content-length': String(600 * 1024), 'x-user': 'usr_1' }
  const slow = await app.open('POST', '/things', headers)
  await app.inFlight(1)
  const body = JSON.stringify({ text: 'x'.repeat(600 * 1024) })
  const call = (user: string) =>
    app.call('/things', { method: 'POST', body, headers: { 'content-type': 'application/json', 'x-user': user } })
  assert.equal((await call('usr_1')).status, 429)
  assert.equal((await call('usr_2')).status, 200)
  slow.destroy()
  let status = 429
  while (status === 429) status = (await call('usr_1')).status
  assert.equal(status, 200)
})

// A client may have any number of accounts and addresses.
test('the visitors of one network hold at most a quarter of the memory, and others have the rest', async (t) => {
  const app = await startApp(t, { totalBytes: 16 * MIB })
  const body = { 'content-type': 'application/json', 'content-length': '900000' }
  const userOf = (guest: number) =>
    guest % 2 === 0 ? `usr_01h455vb4pgex5vsknkxabc1${10 + guest}` : `usr_new${100 + guest}`
  for (let guest = 0; guest < 4; guest += 1) await app.open('POST', '/things', { ...body, 'x-user': userOf(guest) })
  await app.inFlight(4)
  const post = (user: string) =>
    app.call('/things', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-user': user },
      body: `"${'x'.repeat(800_000)}"`,
    })
  assert.equal((await post(userOf(4))).status, 429)
  assert.equal((await post(userOf(5))).status, 429)
  assert.equal((await post('usr_bo')).status, 200)
  const small = { method: 'POST', headers: { 'content-type': 'application/json', 'x-user': userOf(6) }, body: '{}' }
  assert.equal((await app.call('/things', small)).status, 200)
})

// Each account holds too little to be cut, and each network too little to be refused.
test('the visitors of many networks hold at most half of the memory, and those who keep it longest are cut', async (t) => {
  const app = await startApp(t, { totalBytes: 16 * MIB })
  const type = { 'content-type': 'application/json' }
  const userOf = (network: number, guest: number) => `usr_01h455vb4pgex5vsknkxab${'abcdefghjkm'[network]}1${11 + guest}`
  for (let network = 0; network < 9; network += 1) {
    await app.open('POST', '/things', { ...type, 'content-length': '900000', 'x-user': userOf(network, 0) })
  }
  await app.inFlight(9)
  const post = (user: string) =>
    app.call('/things', { method: 'POST', headers: { ...type, 'x-user': user }, body: `"${'x'.repeat(950_000)}"` })
  // All have only just begun to send, and no network holds more than this one would.
  assert.equal((await post(userOf(10, 0))).status, 429)
  await app.untilCut('memory', 0)
  assert.equal((await post('usr_bo')).status, 200)
  await delay(2_500)
  assert.equal((await post(userOf(10, 0))).status, 200)
  await app.untilCut('memory', 1)
})

test('if small accounts of many networks fill the memory, none of their connections is cut', async (t) => {
  const app = await startApp(t, { totalBytes: 16 * MIB })
  const body = { 'content-type': 'application/json', 'content-length': '900000' }
  for (let user = 0; user < 17; user += 1) await app.open('POST', '/things', { ...body, 'x-user': `usr_${user}` })
  await app.inFlight(17)
  await delay(2_500)
  const { status } = await app.call('/text', { headers: { 'x-user': 'usr_bo' } })
  assert.equal(status, 503)
  await app.untilCut('memory', 0)
})

// Otherwise a client could send bodies and leave, and each would wait with its handler, counted by no limit.
for (const path of ['/slow', '/slow-without-content'])
  test(`a request to ${path} and its body count until the handler has ended, although the client has left`, async (t) => {
    const app = await startApp(t, { requests: 2, accountBytes: MIB })
    const body = JSON.stringify({ text: 'x'.repeat(600 * 1024) })
    const headers = { 'content-type': 'application/json', 'x-user': 'usr_1' }
    const socket = await app.open('POST', path, { ...headers, 'content-length': String(body.length) })
    socket.write(body)
    const other = await app.open('POST', path, { 'x-user': 'usr_1', 'content-length': '0' })
    await app.inFlight(2)
    await delay(300)
    for (const one of [socket, other]) one.destroy()
    await delay(300)
    const call = (key: string, content?: string) =>
      app.call('/things', { method: 'POST', headers: { ...headers, 'x-key': key }, body: content ?? '{}' })
    assert.equal((await call('usr_1')).status, 429, 'requests in flight')
    assert.equal((await call('b', body)).status, 429, 'bytes')
    assert.equal((await call('b')).status, 200)
    app.letGo()
    await until('room for the caller', async () => (await call('usr_1')).status === 200)
    await until('room for the body', async () => (await call('b', body)).status === 200)
  })

test('a handler does not begin if the client has left before, and the request does not count any more', async (t) => {
  const app = await startApp(t, { requests: 1 })
  const socket = await app.open('POST', '/slow-guard', { 'content-length': '0', 'x-user': 'usr_1' })
  await app.inFlight(1)
  socket.destroy()
  const call = (path: string) =>
    app.call(path, { method: 'POST', headers: { 'content-type': 'application/json', 'x-user': 'usr_1' }, body: '{}' })
  await until('room for the caller', async () => (await call('/things')).status === 200)
  app.letGo()
  await delay(200)
  assert.equal(app.handled(), 0)
  const answer = call('/slow-guard')
  await delay(100)
  app.letGo()
  assert.equal((await answer).status, 200)
  assert.equal(app.handled(), 1)
})
