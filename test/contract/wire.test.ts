import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { documentOf, startSignedIn, textLayer } from '../../src/designs/factory.ts'
import { ADDRESS } from '../../src/orders/factory.ts'
import { startService } from '../harness.ts'

test('a response without a body has no type, no length and no bytes', async (t) => {
  const { service, token, create } = await startSignedIn(t)
  const { body: design } = await create({ document: documentOf([textLayer('Hello')]) })
  const path = `/designs/${design.id}`
  await service.request('POST', `${path}/finalize`, { token })
  const addresses = [
    path,
    `${path}/files/print`,
    `${path}/preview`,
    `${service.origin}/v1/schemas/design-document.json`,
  ]
  for (const address of addresses) {
    const read = await service.request('GET', address, { token })
    const again = { 'if-none-match': read.headers.get('etag') ?? '' }
    const { status, headers, text } = await service.request('GET', address, { token, headers: again })
    assert.deepEqual([status, text], [304, ''], address)
    assert.deepEqual([headers.get('content-type'), headers.get('content-length')], [null, null], address)
    assert.equal(headers.get('etag'), again['if-none-match'])
  }
})

test('private responses are not cached, or are revalidated', async (t) => {
  const { service, token, create } = await startSignedIn(t)
  const { body: design } = await create({ document: documentOf([textLayer('Hello')]) })
  const rules = Object.fromEntries(
    await Promise.all(
      ['/designs', '/orders', '/events', '/me', `/designs/${design.id}`, '/products'].map(async (path) => {
        const { headers } = await service.request('GET', path, path === '/products' ? {} : { token })
        return [path.replace(design.id, '{id}'), headers.get('cache-control')] as const
      }),
    ),
  )
  assert.deepEqual(rules, {
    '/designs': 'no-store',
    '/orders': 'no-store',
    '/events': 'no-store',
    '/me': 'no-store',
    '/designs/{id}': 'private, no-cache',
    '/products': null,
  })
})

test('an invalid credential is rejected even if the operation needs no credential', async (t) => {
  const service = await startService(t)
  const { body: products } = await service.request('GET', '/products')
  assert.deepEqual(products.data, [])
  for (const path of ['/products', '/products/prd_none', '/fonts', '/shipping-methods', '/shipping-methods/standard']) {
    const { status, body, headers } = await service.request('GET', path, { token: 'platen_wrong' })
    assert.deepEqual([status, body.code], [401, 'credential_not_accepted'], path)
    assert.match(headers.get('www-authenticate') ?? '', /^Bearer .*error="invalid_token"/)
  }
})

test('a problem with a single fault has its pointer at the top level as well', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const body = { items: [{ designId: 'dsn_none', quantity: 1 }], shippingAddress: ADDRESS }
  const refused = await service.request('POST', '/orders', { token, body })
  assert.deepEqual(
    [refused.status, refused.body.code, refused.body.pointer],
    [422, 'design_not_found', '/items/0/designId'],
  )
  assert.equal(refused.body.errors[0].pointer, '/items/0/designId')
  const query = await service.request('GET', '/designs?limit=0', { token })
  assert.deepEqual([query.status, query.body.parameter], [400, 'limit'])
  const several = await service.request('POST', '/orders', { token, body: { ...body, x: 1, y: 2 } })
  assert.deepEqual([several.body.errors.length, several.body.pointer], [2, undefined])
})

test('a created resource is found at its Location', async (t) => {
  const { service, token, create } = await startSignedIn(t)
  const { body: design } = await create({ document: documentOf([textLayer('Hello')]) })
  await service.request('POST', `/designs/${design.id}/finalize`, { token })
  const made = [
    ['/orders', { items: [{ designId: design.id, quantity: 1 }], shippingAddress: ADDRESS }],
    ['/webhook-endpoints', { url: 'https://example.com/hook' }],
    ['/api/api-keys', { name: 'Shop', permissions: ['read'] }],
  ] as const
  for (const [path, body] of made) {
    const { status, headers, body: thing } = await service.request('POST', path, { token, body })
    assert.deepEqual([status, headers.get('location')], [201, `/v1${path}/${thing.id}`])
    assert.equal((await service.request('GET', `${service.origin}${headers.get('location')}`, { token })).status, 200)
  }
})

test('a request that is repeated with the other form of its URL counts as the same request', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const options = { token, body: { name: 'Shop', permissions: ['read'] }, headers: { 'idempotency-key': randomUUID() } }
  const first = await service.request('POST', '/api/api-keys', options)
  const again = await service.request('POST', `${service.origin}/api/api-keys`, options)
  assert.deepEqual([first.status, again.status, again.body.id], [201, 201, first.body.id])
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
})

test('the list of shipping methods has pages like every other list', async (t) => {
  const service = await startService(t)
  const { accessToken: admin } = await service.signUp({ role: 'admin' })
  const whole = (await service.request('GET', '/shipping-methods')).body
  assert.deepEqual([whole.data.length, whole.nextCursor], [2, null])
  for (const path of ['/shipping-methods', '/shipping-settings']) {
    const first = (await service.request('GET', `${path}?limit=1`, { token: admin })).body
    const rest = (await service.request('GET', `${path}?limit=1&cursor=${first.nextCursor}`, { token: admin })).body
    const ids = [...first.data, ...rest.data].map(({ id }: { id: string }) => id)
    assert.deepEqual([ids, rest.nextCursor], [whole.data.map(({ id }: { id: string }) => id), null])
    const strange = await service.request('GET', `${path}?cursor=eA`, { token: admin })
    assert.deepEqual([strange.status, strange.body.code], [400, 'invalid_cursor'])
  }
})

test('pages of known origins may use the whole API and read its responses', async (t) => {
  const service = await startService(t, { env: { PLATEN_REDIRECT_URIS: 'https://shop.example/done' } })
  const { headers } = await fetch(`${service.baseUrl}/tax-settings`, {
    method: 'OPTIONS',
    headers: { origin: 'https://shop.example', 'access-control-request-method': 'PUT' },
  })
  const { body: openapi } = await service.request('GET', '/openapi.json')
  const methods = new Set(Object.values<object>(openapi.paths).flatMap((operations) => Object.keys(operations)))
  const allowed = new Set(headers.get('access-control-allow-methods')?.toLowerCase().split(', '))
  assert.deepEqual(
    [...methods].filter((method) => !allowed.has(method)),
    [],
  )
  const exposed = headers.get('access-control-expose-headers') ?? ''
  for (const name of ['Content-Disposition', 'Preference-Applied']) assert.ok(exposed.includes(name), name)
})

test('no parameter that has a default is documented as required', async (t) => {
  const service = await startService(t)
  const { body } = await service.request('GET', '/openapi.json')
  const operations = Object.values<Record<string, { parameters?: Parameter[] }>>(body.paths).flatMap(Object.values)
  const parameters: Parameter[] = operations.flatMap((operation) => operation.parameters ?? [])
  assert.ok(parameters.length > 50)
  assert.deepEqual(
    parameters.filter(({ required, schema }) => required === true && 'default' in schema),
    [],
  )
})

interface Parameter {
  required?: boolean
  schema: object
}
