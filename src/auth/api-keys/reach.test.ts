import assert from 'node:assert/strict'
import { connect } from 'node:net'
import test, { type TestContext } from 'node:test'
import { startService, type TestService } from '../../../test/harness.ts'
import { attempt, listOperations, permissionsFor } from '../../../test/lib/list-operations.ts'
import { GRANTS, type Grant } from '../access/permissions.ts'

interface Operation {
  method: string
  path: string
  /**
   * The permissions that an API key needs. Undefined for a public route, null for a route that admits only sessions.
   */
  permissions: readonly string[] | undefined | null
  /** Permissions, each of which suffices instead. */
  alternatives: readonly string[]
}

/** Lists every operation with the permissions that a key needs. */
async function listReach(service: TestService): Promise<Operation[]> {
  const operations = await listOperations(service)
  return operations.map((operation) => {
    const permissions = permissionsFor(operation)
    const needed = operation.security.length === 0 ? undefined : permissions.length === 0 ? null : permissions
    const alternatives = operation['x-platen-alternative-permissions'] ?? []
    return { method: operation.method, path: operation.path, permissions: needed, alternatives }
  })
}

/** `read` and `write` do not include the permissions of persons and of the service, `orders:write` includes those of the shop floor. */
function includes(grant: Grant, permission: string): boolean {
  if (grant === 'orders:write') return /^(orders|payments|production|shipping):write$/.test(permission)
  return (
    grant === permission || (permission.endsWith(`:${grant}`) && !/^(customers|users|audit|system):/.test(permission))
  )
}

async function createKeys(service: TestService, token: string): Promise<[Grant, string][]> {
  return Promise.all(
    GRANTS.map(async (grant): Promise<[Grant, string]> => {
      const wanted = { name: grant, permissions: [grant] }
      return [grant, (await service.request('POST', '/api/api-keys', { token, body: wanted })).body.key]
    }),
  )
}

test('AK-3, AK-7: on every route a key may do exactly what it was granted, and no account route admits it', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp({ role: 'admin' })
  const keys = await createKeys(service, token)
  const operations = await listReach(service)
  const counts = { public: 0, session: 0, scope: 0 }
  for (const operation of operations) {
    const { method, path, permissions, alternatives } = operation
    counts[permissions === undefined ? 'public' : permissions === null ? 'session' : 'scope'] += 1
    // Public routes do not depend on the account.
    if (permissions === undefined) continue
    await Promise.all(
      keys.map(async ([grant, key]) => {
        const refusal = permissions === null ? '403 session_required' : '403 insufficient_scope'
        const isGranted = (one: string) => includes(grant, one)
        const expected = permissions?.every(isGranted) || alternatives.some(isGranted) ? 'let in' : refusal
        assert.equal(await attempt(service, key, operation), expected, `${grant} on ${method} ${path}`)
      }),
    )
  }
  assert.ok(counts.public > 10 && counts.session > 15 && counts.scope > 25, JSON.stringify(counts))
})

/** The area of the permissions of a route, by the first part of its path. */
const RESOURCES: Readonly<Record<string, string>> = {
  designs: 'designs',
  assets: 'assets',
  fonts: 'assets',
  'color-profiles': 'products',
  products: 'products',
  templates: 'products',
  'shipping-methods': 'products',
  'shipping-settings': 'products',
  'tax-settings': 'products',
  orders: 'orders',
  quotes: 'orders',
  production: 'orders',
  events: 'events',
  'webhook-endpoints': 'webhooks',
  customers: 'customers',
  users: 'users',
  storage: 'users',
  invitations: 'users',
  'factor-resets': 'users',
  'security-events': 'audit',
  system: 'system',
  'shop-settings': 'system',
  'signing-keys': 'system',
  'mail-previews': 'system',
  'mail-texts': 'system',
  'change-records': 'products',
  dev: 'orders',
}

/** The area of what operators do with an order, by the part of the path that follows the order. */
const SHOP_FLOOR: Readonly<Record<string, string>> = {
  payments: 'payments',
  refunds: 'payments',
  hold: 'production',
  release: 'production',
  'start-production': 'production',
  items: 'production',
  shipments: 'shipping',
}

/** Operations that use POST although they only read. */
const READING_POSTS: ReadonlySet<string> = new Set([
  'POST /products/price-preview',
  'POST /mail-previews/{kind}',
  'POST /designs/{designId}/preflight',
  'POST /designs/{designId}/links',
  'POST /assets/{assetId}/links',
  'POST /orders/{orderId}/links',
  'POST /events/tickets',
  'POST /production/print-files',
])

/**
 * Operations on several orders, of which the first one also requires the permission of the action that its body names,
 * and the request log, which is for those who also read the deliveries of webhooks.
 */
const EXCEPTIONS: Readonly<Record<string, string[]>> = {
  'POST /production/bulk': ['orders:read'],
  'POST /production/batches': ['production:write'],
  'POST /production/batches/{batchId}/orders': ['production:write'],
  'DELETE /production/batches/{batchId}/orders/{orderId}': ['production:write'],
  'POST /production/batches/{batchId}/close': ['production:write'],
  'POST /production/shipments/import': ['shipping:write'],
  'GET /system/requests': ['webhooks:read'],
  'GET /system/requests/{requestId}': ['webhooks:read'],
}

/** Operations of administrators that need a recent authentication, which a key cannot have. */
const NEEDS_STEP_UP: ReadonlySet<string> = new Set(['POST /signing-keys/rotate'])

/** Operations that return events also need the permission to read events. */
const EVENTS_TOO: ReadonlySet<string> = new Set([
  'POST /webhook-endpoints',
  'PATCH /webhook-endpoints/{endpointId}',
  'POST /webhook-endpoints/{endpointId}/replay',
  'POST /webhook-endpoints/{endpointId}/deliveries/{deliveryId}/retry',
])

test('AK-3: the permission of a route follows from its area and whether it reads or writes', async (t) => {
  const service = await startService(t)
  for (const { method, path, permissions } of await listReach(service)) {
    const [, first = '', , third = ''] = path.split('/')
    const isReading = method === 'GET' || READING_POSTS.has(`${method} ${path}`)
    const resource = (first === 'orders' && !isReading && SHOP_FLOOR[third]) || RESOURCES[first]
    const more = EVENTS_TOO.has(`${method} ${path}`) ? ['events:read'] : []
    // Keys never give permissions to accounts.
    const isForbidden = (resource === 'users' && !isReading) || NEEDS_STEP_UP.has(`${method} ${path}`)
    const derived = resource && [`${resource}:${isReading ? 'read' : 'write'}`, ...more]
    const expected = isForbidden ? null : (EXCEPTIONS[`${method} ${path}`] ?? derived)
    // A public route needs no permission, nor does a route that admits no key.
    if (permissions != null || (method !== 'GET' && resource !== undefined)) {
      assert.deepEqual(permissions, expected, `${method} ${path}`)
    }
  }
})

test('AK-7: a key is accepted in a single Authorization header only', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const { key } = (
    await service.request('POST', '/api/api-keys', { token, body: { name: 'ci', permissions: ['read'] } })
  ).body
  const get = async (path: string, headers: Record<string, string> = {}) =>
    (await service.request('GET', path, { headers })).status
  for (const name of ['api_key', 'apiKey', 'key', 'access_token', 'token']) {
    assert.equal(await get(`/designs?${name}=${key}`), 401, name)
  }
  for (const name of ['x-api-key', 'api-key', 'x-authorization', 'cookie']) {
    assert.equal(await get('/designs', { [name]: name === 'cookie' ? `api_key=${key}` : key }), 401, name)
  }
  for (const authorization of ['', key, `Basic ${key}`, `Bearer ${key}, Bearer ${key}`, `Bearer ${key} ${key}`]) {
    assert.equal(await get('/designs', { authorization }), 401, authorization.slice(0, 10))
  }
  const header = `Authorization: Bearer ${key}`
  assert.match(await raw(service, [header, `authorization: Bearer ${token}`]), /^HTTP\/1\.1 401 /)
  assert.match(await raw(service, [header, header]), /^HTTP\/1\.1 401 /)
  assert.match(await raw(service, ['Authorization:', header]), /^HTTP\/1\.1 401 /)
  assert.match(await raw(service, [header]), /^HTTP\/1\.1 200 /)
})

test('AK-7: a request counts once, whatever its result, against its key only', async (t) => {
  const env = { PLATEN_RATE_LIMITS: 'on', PLATEN_RATE_LIMIT_SIGNED_IN: '12' }
  const service = await startService(t, { env })
  const { accessToken: token } = await service.signUp()
  const create = async (): Promise<string> =>
    (await service.request('POST', '/api/api-keys', { token, body: { name: 'ci', permissions: ['designs:read'] } }))
      .body.key
  const [key, other] = [await create(), await create()]
  const call = async (path: string, credential = key) => {
    const { status, headers } = await service.request('GET', path, { token: credential })
    return `${status} ${/;r=(\d+);/.exec(headers.get('ratelimit') ?? '')?.[1]}`
  }
  const calls: [string, number][] = [
    ['/designs', 200],
    ['/designs/unknown', 404],
    ['/orders', 403],
    ['/me', 403],
    ['/products', 200],
    ['/nowhere', 404],
  ]
  let left = 12
  for (const [path, status] of [...calls, ...calls]) {
    left -= 1
    assert.equal(await call(path), `${status} ${left}`, path)
  }
  assert.equal(await call('/designs'), '429 0')
  assert.equal(await call('/designs', other), '200 11')
})

/** Sends raw header lines, which client libraries would reject or merge. */
async function raw(service: TestService, lines: string[]): Promise<string> {
  const { port, hostname } = new URL(service.origin)
  const socket = connect(Number(port), hostname)
  socket.write(`GET /v1/designs HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n${lines.join('\r\n')}\r\n\r\n`)
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  return text
}

async function keyOf(t: TestContext, permissions: Grant[]) {
  const service = await startService(t)
  const { accessToken: token, userId } = await service.signUp()
  const { body } = await service.request('POST', '/api/api-keys', { token, body: { name: 'ci', permissions } })
  return { service, token, userId, ...(body as { id: string; key: string }) }
}

test('AK-4, TK-6: disabling or deleting an account disables its keys', async (t) => {
  const { service, token, key } = await keyOf(t, ['read'])
  assert.equal((await service.request('GET', '/designs', { token: key })).status, 200)
  assert.equal((await service.request('DELETE', '/me', { token })).status, 204)
  for (const credential of [key, token])
    assert.equal((await service.request('GET', '/designs', { token: credential })).status, 401)
})
