import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { Type } from 'typebox'
import { SECURITY_HEADERS } from '../../../test/lib/security-headers.ts'
import { until } from '../../../test/lib/until.ts'
import { newGuestId } from '../fair-share.ts'
import { publicRoute } from './core/guard.ts'
import { createTestApp, TEST_PRINCIPAL } from './factory.ts'
import { FLOW_LIMITS } from './flow/limits.ts'
import { PageQuery } from './responses/pagination.ts'
import type { App, HttpOptions } from './server.ts'

const Body = Type.Object(
  { name: Type.String({ maxLength: 5 }), size: Type.Optional(Type.Integer({ minimum: 1 })) },
  { additionalProperties: false },
)

async function startApp(t: TestContext, options: Partial<HttpOptions> = {}, addRoutes: (app: App) => void = () => {}) {
  const app = createTestApp({ flow: FLOW_LIMITS, ...options })
  app.get('/things', { onRequest: publicRoute, schema: { querystring: PageQuery } }, async (request) => request.query)
  app.post('/things', { onRequest: publicRoute, schema: { body: Body } }, async (request) => request.body)
  app.get('/things/:id', { onRequest: publicRoute }, async () => ({}))
  app.get('/broken', { onRequest: publicRoute }, async () => {
    throw new Error('select * from secrets')
  })
  app.get('/elsewhere', { onRequest: publicRoute }, async (_request, reply) => reply.redirect('/things'))
  addRoutes(app)
  await app.listen({ host: '127.0.0.1', port: 0 })
  t.after(() => app.close())
  const address = app.server.address()
  assert.ok(address !== null && typeof address === 'object')
  return { app, port: address.port, origin: `http://127.0.0.1:${address.port}` }
}

/** Sends raw bytes and returns the whole response as text. */
function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    let answer = ''
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      answer += chunk
    })
    socket.on('error', reject).on('close', () => resolve(answer))
    socket.setTimeout(2_000, () => socket.end())
  })
}

async function post(origin: string, body: string, type = 'application/json') {
  const response = await fetch(`${origin}/things`, {
    method: 'POST',
    body: new TextEncoder().encode(body),
    headers: type === '' ? {} : { 'content-type': type },
  })
  return {
    status: response.status,
    problem: (await response.json()) as { code: string; errors: { code: string; pointer: string }[] },
  }
}

test('HD-1: every response has the six headers once, and a request id', async (t) => {
  const { origin } = await startApp(t)
  const requests: [string, string, number][] = [
    ['GET', '/things', 200],
    ['HEAD', '/things', 200],
    ['OPTIONS', '/things', 204],
    ['GET', '/elsewhere', 302],
    ['GET', '/things?limit=0', 400],
    ['GET', '/%zz', 400],
    ['GET', '/nothing', 404],
    ['DELETE', '/things', 405],
    ['POST', '/things', 400],
    ['GET', '/broken', 500],
  ]
  for (const [method, path, status] of requests) {
    const response = await fetch(origin + path, { method, redirect: 'manual' })
    assert.equal(response.status, status, `${method} ${path}`)
    for (const [name, value] of Object.entries(SECURITY_HEADERS))
      assert.equal(response.headers.get(name), value, `${name} of ${method} ${path}`)
    assert.match(response.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/)
  }
})

test('a caller without a credential may send fewer values than others', async (t) => {
  const values = JSON.stringify({ list: Array(1_000).fill(0) })
  const anonymous = await startApp(t)
  assert.equal((await post(anonymous.origin, values)).problem.code, 'malformed_json')
  const known = await startApp(t, { authenticate: async () => TEST_PRINCIPAL })
  assert.equal((await post(known.origin, values)).problem.code, 'validation_failed')
})

test('HD-1: the response to bytes that Node.js cannot read as HTTP has the headers and a problem', async (t) => {
  const { port } = await startApp(t)
  const cases: [string, number][] = [
    ['NONSENSE\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\nHost: a\r\nBad Header: x\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n', 400],
    ['POST /things HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n', 400],
    [
      `POST /things HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\n1\r\n'.repeat(2_000)}`,
      400,
    ],
    [`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`, 431],
    [`GET /things HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(9_000)}\r\n\r\n`, 431],
    [`GET /things HTTP/1.1\r\nHost: a\r\n${'X: x\r\n'.repeat(100)}\r\n`, 431],
    [`GET /${'x'.repeat(9_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
    ['GET /long HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 404],
    [`GET /things?${'a&'.repeat(100)} HTTP/1.1\r\nHost: a\r\n\r\n`, 400],
    ['GET /things HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['TRACE /things HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 405],
    ['TRACE /nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 405],
    ['GET /things HTTP/1.1\r\nHost: a\r\nExpect: magic\r\nConnection: close\r\n\r\n', 200],
  ]
  for (const [request, status] of cases) {
    const answer = await raw(port, request)
    assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `), `${request.slice(0, 60)} -> ${answer.slice(0, 60)}`)
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
      const found = answer.split('\r\n').filter((line) => line.toLowerCase() === `${name}: ${value}`.toLowerCase())
      assert.equal(found.length, 1, `${name} in the answer to ${request.slice(0, 40)}`)
    }
    assert.match(answer, /x-request-id: [0-9a-f-]{36}/i)
  }
})

test('unreadable bytes after a request do not change its response', async (t) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { port } = await startApp(t, {}, (app) => {
    app.get('/slow', { onRequest: publicRoute }, async (_request, reply) => {
      reply.hijack()
      reply.raw.writeHead(200, { 'content-length': '10' })
      reply.raw.write('first')
      await released
      reply.raw.end('other')
    })
  })
  const socket = connect(port, '127.0.0.1', () => socket.write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n'))
  let answer = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    if (!answer.includes('first') && chunk.includes('first')) socket.write('NONSENSE\r\n\r\n')
    answer += chunk
  })
  await new Promise((resolve) => socket.on('error', resolve).on('close', resolve))
  release()
  assert.deepEqual(answer.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200'])
})

test('the response to an internal error does not state its cause', async (t) => {
  const { origin } = await startApp(t)
  const response = await fetch(`${origin}/broken`)
  const text = await response.text()
  assert.equal(response.headers.get('content-type'), 'application/problem+json; charset=utf-8')
  assert.equal(JSON.parse(text).code, 'internal_error')
  assert.doesNotMatch(text, /secrets|\.ts/)
})

test('HD-4: only a body with the media type of JSON is read as JSON', async (t) => {
  const { origin } = await startApp(t)
  const good = '{"name":"a"}'
  assert.equal((await post(origin, good, 'application/json; charset=utf-8')).status, 200)
  for (const type of [
    'text/plain',
    '',
    'application/x-www-form-urlencoded',
    'application/jsonx',
    'application/json\tx',
    'text/json',
    'application/json-patch+json',
  ]) {
    const answer = await post(origin, good, type)
    assert.equal(answer.status, 415, JSON.stringify(type))
    assert.equal(answer.problem.code, 'unsupported_media_type')
  }
})

test('HD-4: blanks around the media type do not skip the validation', async (t) => {
  const { port } = await startApp(t)
  const body = '{"nmae":1}'
  for (const type of [
    ' application/json',
    '\tapplication/json',
    'application/json\t',
    'application/json\t; charset=utf-8',
  ]) {
    const head = `POST /things HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${body.length}`
    const answer = await raw(port, `${head}\r\nContent-Type: ${type}\r\n\r\n${body}`)
    assert.match(answer, /^HTTP\/1\.1 4(00|15) /, JSON.stringify(type))
  }
})

test('HD-4: a body with unknown, missing, mistyped or hostile members is refused with their pointers', async (t) => {
  const { origin } = await startApp(t)
  const cases: [string, string, string][] = [
    ['{"name":"a","nmae":"b"}', 'unknown_field', '/nmae'],
    ['{}', 'required', '/name'],
    ['{"name":1}', 'wrong_type', '/name'],
    ['{"name":"a","size":"1"}', 'wrong_type', '/size'],
    ['{"name":"a","size":0}', 'too_small', '/size'],
    ['{"name":"abcdef"}', 'too_long', '/name'],
    ['{"name":"a","__proto__":{}}', 'malformed_json', '/__proto__'],
    ['{"name":"\\u0000"}', 'malformed_json', '/name'],
    ['{"name":"a"', 'malformed_json', ''],
    ['{"name":"a","name":"b"}', 'malformed_json', ''],
    [`{"name":${'['.repeat(100)}${']'.repeat(100)}}`, 'malformed_json', ''],
    ['', 'wrong_type', ''],
  ]
  for (const [body, code, pointer] of cases) {
    const { status, problem } = await post(origin, body)
    assert.equal(status, 400, body)
    assert.deepEqual([problem.errors[0]?.code, problem.errors[0]?.pointer], [code, pointer], body)
  }
})

test('a body above the limit is rejected with 413', async (t) => {
  const { origin } = await startApp(t)
  assert.equal((await post(origin, JSON.stringify({ name: 'x'.repeat(1024 * 1024) }))).status, 413)
})

test('a route that states no guard does not start', async () => {
  await assert.rejects(async () => {
    const app = createTestApp()
    app.get('/open', async () => ({}))
    await app.ready()
  }, /GET \/open has no guard/)
})

test('requests above the limit get 429 with the headers of the IETF draft', async (t) => {
  const { origin } = await startApp(t, {
    rateLimits: { anonymous: 2, signedIn: 4 },
  })
  const first = await fetch(`${origin}/things`)
  assert.equal(first.headers.get('ratelimit-policy'), '"anonymous";q=2;w=60')
  assert.match(first.headers.get('ratelimit') ?? '', /^"anonymous";r=1;t=\d+$/)
  await fetch(`${origin}/nothing`)
  const refused = await fetch(`${origin}/things`)
  assert.equal(refused.status, 429)
  assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  assert.equal(((await refused.json()) as { code: string }).code, 'rate_limited')
})

test('a route that names an unknown rate limit does not start', async () => {
  const app = createTestApp({ rateLimits: { anonymous: 1, signedIn: 1 } })
  const options = { onRequest: publicRoute, config: { rateLimit: 'invented' } }
  assert.throws(() => app.get('/things', options, async () => ({})), /no rate limit of the name invented/)
})

test('requests are counted per credential, and separately for anonymous callers', async (t) => {
  const principal = (id: string) =>
    ({
      kind: 'api_key',
      userId: 'u',
      role: 'customer',
      staffRole: null,
      credentialId: id,
      permissions: new Set<string>(),
    }) as const
  const { origin } = await startApp(t, {
    rateLimits: { anonymous: 1, signedIn: 1 },
    authenticate: async ({ headers }) =>
      headers.authorization === undefined ? undefined : principal(headers.authorization),
  })
  const statusOf = async (who: string | undefined) =>
    (await fetch(`${origin}/things`, who === undefined ? {} : { headers: { authorization: who } })).status
  assert.deepEqual([await statusOf('a'), await statusOf('b'), await statusOf(undefined)], [200, 200, 200])
  assert.deepEqual([await statusOf('a'), await statusOf('b'), await statusOf(undefined)], [429, 429, 429])
})

test('all API keys of a customer together have twice the limit of one, and those of an operator have no common limit', async (t) => {
  const { origin } = await startApp(t, {
    rateLimits: { anonymous: 1, signedIn: 3 },
    authenticate: async ({ headers: { authorization: credentialId = '', 'x-role': role } }) => {
      const caller = { kind: 'api_key', userId: `${role}`, credentialId, permissions: new Set<string>() } as const
      return { ...caller, staffRole: null, role: role === 'operator' ? 'operator' : 'customer' }
    },
  })
  const ask = (role: string, authorization: string) =>
    fetch(`${origin}/things`, { headers: { 'x-role': role, authorization } })
  for (const key of ['a', 'a', 'b', 'b', 'c', 'c']) assert.equal((await ask('customer', key)).status, 200)
  const refused = await ask('customer', 'd')
  assert.deepEqual([refused.status, ((await refused.json()) as { code: string }).code], [429, 'rate_limited'])
  assert.equal(refused.headers.get('ratelimit-policy'), '"account-signedIn";q=6;w=60')
  assert.equal((await ask('another customer', 'e')).status, 200)
  for (const key of ['f', 'f', 'g', 'g', 'h', 'h', 'i']) assert.equal((await ask('operator', key)).status, 200)
})

test('all guests of one network together have ten times the limit of one', async (t) => {
  const { origin } = await startApp(t, {
    rateLimits: { anonymous: 1, signedIn: 1 },
    authenticate: async ({ headers: { authorization: network = '' } }) => {
      const userId = newGuestId('usr', Buffer.from(network))
      const caller = { kind: 'guest', credentialId: userId, permissions: new Set<string>() } as const
      return { ...caller, userId, role: 'customer', staffRole: null }
    },
  })
  const statusOf = async (authorization: string) =>
    (await fetch(`${origin}/things`, { headers: { authorization } })).status
  for (let guest = 1; guest <= 10; guest += 1) assert.equal(await statusOf('one.'), 200)
  assert.deepEqual([await statusOf('one.'), await statusOf('two.')], [429, 200])
})

test('preflight requests do not count as requests', async (t) => {
  const { origin } = await startApp(t, {
    rateLimits: { anonymous: 1, signedIn: 1 },
  })
  for (let asked = 0; asked < 3; asked += 1) {
    assert.equal((await fetch(`${origin}/things`, { method: 'OPTIONS' })).status, 204)
  }
  assert.equal((await fetch(`${origin}/things`)).status, 200)
})

test('a caller who goes on after many refusals gets further ones late, and others do not wait', async (t) => {
  const { origin } = await startApp(t, { rateLimits: { anonymous: 1, signedIn: 1 } })
  const statuses = []
  for (let asked = 0; asked < 2; asked += 1) statuses.push((await fetch(`${origin}/things`)).status)
  assert.deepEqual(statuses, [200, 429])
  // If this process gets no processor time for a second, both responses arrive at once.
  await until('a response during the wait', async () => {
    const startedAt = performance.now()
    let isThere = false
    const late = fetch(`${origin}/things`).then((response) => {
      isThere = true
      return response
    })
    // Preflights have another limit.
    assert.equal((await fetch(`${origin}/things`, { method: 'OPTIONS' })).status, 204)
    const isDuring = !isThere
    const { status, headers } = await late
    assert.deepEqual([status, headers.get('retry-after') !== null], [429, true])
    assert.ok(performance.now() - startedAt > 900)
    return isDuring
  })
})

test('of a caller whose invented credentials are refused, all requests but a few are refused late', async (t) => {
  const { origin } = await startApp(t, {
    rateLimits: { anonymous: 2, signedIn: 2 },
    authenticate: async (_request, lookUp) => lookUp?.(async () => undefined),
  })
  const call = async () => {
    const startedAt = performance.now()
    assert.equal((await fetch(`${origin}/things`, { headers: { authorization: 'Bearer x' } })).status, 429)
    return performance.now() - startedAt
  }
  for (let asked = 0; asked < 2; asked += 1) await fetch(`${origin}/things`, { headers: { authorization: 'Bearer x' } })
  const times = await Promise.all(Array.from({ length: 80 }, call))
  // At the turn of a second, those of two seconds are looked at.
  assert.ok(times.filter((ms) => ms > 900).length >= 35, String(times))
})

test('a connection that sends nothing ends', async (t) => {
  const { origin } = await startApp(t, { headersTimeoutMs: 100 })
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
  socket.resume()
  await once(socket, 'close', { signal: AbortSignal.timeout(20_000) })
})

test('preflight requests have a limit of their own', async (t) => {
  const { origin } = await startApp(t, { rateLimits: { anonymous: 1, signedIn: 1 } })
  const statuses = []
  for (let asked = 0; asked < 51; asked += 1) {
    statuses.push((await fetch(`${origin}/things`, { method: 'OPTIONS' })).status)
  }
  assert.deepEqual([statuses.lastIndexOf(204), statuses[50]], [49, 429])
  assert.equal((await fetch(`${origin}/things`)).status, 200)
})

test('requests that are refused before their caller is known count too', async (t) => {
  const { origin } = await startApp(t, { rateLimits: { anonymous: 2, signedIn: 2 } })
  const statuses = []
  for (let asked = 0; asked < 3; asked += 1) statuses.push((await fetch(`${origin}/things?a=%00`)).status)
  assert.deepEqual(statuses, [400, 400, 429])
})

test('requests of other services are counted separately from other anonymous requests', async (t) => {
  const rateLimits = { anonymous: 1, signedIn: 1, incoming: 2 }
  const { origin } = await startApp(t, { rateLimits }, (app) => {
    app.get('/messages', { onRequest: publicRoute, config: { countedAs: 'incoming' } }, async () => ({}))
  })
  const statusOf = async (path: string) => (await fetch(`${origin}${path}`)).status
  assert.deepEqual([await statusOf('/things'), await statusOf('/things')], [200, 429])
  assert.deepEqual(
    [await statusOf('/messages'), await statusOf('/messages'), await statusOf('/messages')],
    [200, 200, 429],
  )
})

test('BF-6: a client cannot choose the IP address that counts', async (t) => {
  const { origin } = await startApp(t, {
    rateLimits: { anonymous: 1, signedIn: 1 },
  })
  const forged = { 'x-forwarded-for': '198.51.100.9', forwarded: 'for=198.51.100.9', 'x-real-ip': '198.51.100.9' }
  assert.equal((await fetch(`${origin}/things`)).status, 200)
  assert.equal((await fetch(`${origin}/things`, { headers: forged })).status, 429)
})

test('the IP address of a request is read once, and stays', async (t) => {
  const { origin } = await startApp(t, { trustedProxies: ['127.0.0.1'] }, (app) =>
    app.get('/address', { onRequest: publicRoute }, async (request) => {
      request.raw.headers['x-forwarded-for'] = '198.51.100.1'
      return { ip: request.ip }
    }),
  )
  const response = await fetch(`${origin}/address`, { headers: { 'x-forwarded-for': '203.0.113.7' } })
  assert.deepEqual(await response.json(), { ip: '203.0.113.7' })
})

test('plain HTTP is rejected if HTTPS is required, unless a trusted proxy states HTTPS', async (t) => {
  const open = await startApp(t, { httpsOnly: true })
  const forwarded = { headers: { 'x-forwarded-proto': 'https' } }
  assert.equal((await fetch(`${open.origin}/things`, forwarded)).status, 403)
  const proxied = await startApp(t, { httpsOnly: true, trustedProxies: ['127.0.0.1'] })
  assert.equal((await fetch(`${proxied.origin}/things`)).status, 403)
  assert.equal((await fetch(`${proxied.origin}/things`, forwarded)).status, 200)
})

test('HD-3: pages of no origin can read responses', async (t) => {
  const { origin } = await startApp(t)
  for (const evil of ['https://evil.example', 'null']) {
    const response = await fetch(`${origin}/things`, { headers: { origin: evil } })
    assert.equal(response.headers.get('access-control-allow-origin'), null)
  }
})

test('without a body, the content type is neither required nor rejected', async (t) => {
  const { origin } = await startApp(t, {}, (app) => {
    app.post('/nothing', { onRequest: publicRoute }, async (request) => ({ body: request.body ?? null }))
  })
  const form = 'application/x-www-form-urlencoded'
  const send = (body: string) => fetch(`${origin}/nothing`, { method: 'POST', body, headers: { 'content-type': form } })
  const empty = await send('')
  assert.deepEqual([empty.status, await empty.json()], [200, { body: null }])
  assert.equal((await send('x=1')).status, 415)
})

test('a 405 response names the methods of the URL', async (t) => {
  const { origin } = await startApp(t)
  assert.equal((await fetch(`${origin}/things`, { method: 'PUT' })).headers.get('allow'), 'GET, HEAD, OPTIONS, POST')
  assert.equal((await fetch(`${origin}/things/7`, { method: 'DELETE' })).headers.get('allow'), 'GET, HEAD, OPTIONS')
})

test('requests in flight are completed when the service stops', async (t) => {
  const { promise: started, resolve: start } = Promise.withResolvers<void>()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { app, origin } = await startApp(t, {}, (one) => {
    one.get('/slow', { onRequest: publicRoute }, async () => {
      start()
      await released
      return { done: true }
    })
  })
  const answer = fetch(`${origin}/slow`)
  await started
  const closed = app.close()
  release()
  assert.deepEqual(await (await answer).json(), { done: true })
  await closed
})

test('HD-4: a body with a content encoding or a charset other than UTF-8 is refused', async (t) => {
  const { origin } = await startApp(t)
  const sent: Record<string, string>[] = [
    { 'content-type': 'application/json; charset=iso-8859-1' },
    { 'content-type': 'application/json', 'content-encoding': 'gzip' },
  ]
  for (const headers of sent) {
    const response = await fetch(`${origin}/things`, { method: 'POST', body: '{"name":"a"}', headers })
    assert.equal(response.status, 415, JSON.stringify(headers))
  }
})

test('an id of any length gets 404, and every problem states what is wrong', async (t) => {
  const { origin } = await startApp(t)
  assert.equal((await fetch(`${origin}/things/${'a'.repeat(5_000)}`)).status, 200)
  const problem = (await (await fetch(`${origin}/nothing`)).json()) as { detail?: string; instance?: string }
  assert.ok((problem.detail ?? '').length > 0)
  assert.equal(problem.instance, '/nothing')
})

test('HD-4: a NUL in a query is refused, because PostgreSQL text cannot contain NUL', async (t) => {
  const { origin } = await startApp(t)
  const ask = async (path: string) => {
    const answer = await fetch(`${origin}${path}`)
    const { code, errors } = (await answer.json()) as { code: string; errors?: { parameter: string }[] }
    return [answer.status, code, errors?.[0]?.parameter]
  }
  assert.deepEqual(await ask('/things?limit=1&cursor=a%00b'), [400, 'validation_failed', 'cursor'])
  assert.deepEqual(await ask('/things?limit=1?&cursor=a?%00'), [400, 'validation_failed', 'cursor'])
  assert.deepEqual(await ask('/things?a%00=1'), [400, 'validation_failed', 'a\0'])
  for (const id of ['a%00b', 'a%2500b']) assert.equal((await fetch(`${origin}/things/${id}`)).status, 200)
})

test('a request with several Host headers, or without one in HTTP/1.1, gets a complete 400 response', async (t) => {
  const { port } = await startApp(t, { pageOrigins: ['https://shop.example'] })
  const end = 'Connection: close\r\n\r\n'
  const malformed = [
    `GET /things HTTP/1.1\r\nHost: a\r\nHost: b\r\n${end}`,
    `GET /things HTTP/1.1\r\nHost: a\r\nHost: a\r\n${end}`,
    `GET /things HTTP/1.1\r\nhost: a\r\nAccept: */*\r\nHOST:\r\n${end}`,
    `GET /things HTTP/1.0\r\nHost: a\r\nHost: b\r\n${end}`,
    `GET /nothing HTTP/1.1\r\nHost: a\r\nHost: b\r\n${end}`,
    `TRACE /things HTTP/1.1\r\nHost: a\r\nHost: b\r\n${end}`,
    `OPTIONS /things HTTP/1.1\r\nHost: a\r\nHost: b\r\nOrigin: https://shop.example\r\nAccess-Control-Request-Method: GET\r\n${end}`,
    `GET /things HTTP/1.1\r\n${end}`,
  ]
  for (const request of malformed) {
    const answer = await raw(port, request)
    assert.match(answer, /^HTTP\/1\.1 400 /, request)
    assert.match(answer, /"code":"malformed_request"/, request)
    for (const [name, value] of Object.entries({ ...SECURITY_HEADERS, 'x-request-id': '' })) {
      assert.ok(answer.toLowerCase().includes(`\r\n${name}: ${value.toLowerCase()}`), `${name} ${request}`)
    }
  }
  for (const request of [`GET /things HTTP/1.1\r\nHost: a\r\n${end}`, `GET /things HTTP/1.0\r\n${end}`]) {
    assert.match(await raw(port, request), /^HTTP\/1\.1 200 /, request)
  }
})
