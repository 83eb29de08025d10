import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { makePng, upload } from '../../assets/factory.ts'
import { CARD, documentOf, imageLayer, textLayer } from '../../designs/factory.ts'
import type { LayerInput } from '../../drawing/index.ts'
import { ADDRESS, startShop } from '../../orders/factory.ts'
import { createProduct } from '../../products/change-product.ts'
import { newId } from '../ids.ts'
import { customerIdOf, userIdOf } from '../users/customer-id.ts'
import { insertCustomer } from './store.ts'

async function startWithKey(t: TestContext, permissions = ['customers:read', 'customers:write', 'read', 'write']) {
  const shop = await startShop(t)
  const { token: key } = await shop.signUpKey('operator', permissions)
  const call = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    shop.request(method, path, { token: key, headers, ...(body === undefined ? {} : { body }) })
  const create = async (externalId: string, more: object = {}) => {
    const created = await call('POST', '/customers', { externalId, ...more })
    assert.equal(created.status, 201, created.text)
    return created.body
  }
  return { shop, key, call, create }
}

async function addProduct({ db, service }: Awaited<ReturnType<typeof startShop>>) {
  return db.transaction().execute((trx) => createProduct(trx, CARD, service.clock.now()))
}

/** Creates a design for the holder of a token, or for the customer of the header. */
async function addDesign(shop: Awaited<ReturnType<typeof startShop>>, token: string, headers = {}, more = {}) {
  const { body: products } = await shop.request('GET', '/products')
  const [{ id: productId, variants }] = products.data.length > 0 ? products.data : [await addProduct(shop)]
  const body = { productId, variantId: variants[0].id, ...more }
  return shop.request('POST', '/designs', { token, body, headers })
}

test('a customer is created once per external id, also by two requests at once, and is found by it', async (t) => {
  const { call, create } = await startWithKey(t)
  const ada = await create('shop-1', { email: 'Ada@Example.com', name: 'Ada', locale: 'de', metadata: { tier: 2 } })
  assert.match(ada.id, /^cus_/)
  assert.deepEqual(
    [ada.externalId, ada.userId, ada.email, ada.guest, ada.hasAccount, ada.metadata],
    ['shop-1', null, 'ada@example.com', false, false, { tier: 2 }],
  )
  const again = await call('POST', '/customers', { externalId: 'shop-1' })
  assert.deepEqual([again.status, again.body.code, again.body.customerId], [409, 'customer_exists', ada.id])
  const both = await Promise.all([1, 2].map(() => call('POST', '/customers', { externalId: 'shop-2' })))
  assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409])
  for (const query of ['externalId=shop-1', 'email=ADA@example.com', 'q=ada', 'q=shop+1']) {
    const { body } = await call('GET', `/customers?${query}`)
    assert.deepEqual(body.data, [ada], query)
  }
  assert.deepEqual((await call('GET', `/customers/${ada.id}`)).body, ada)
  assert.equal((await call('GET', '/customers?q=nothing')).body.data.length, 0)
})

test('of a new and a changed customer with the same external id at once, the later request is told of the other', async (t) => {
  const { shop, call, create } = await startWithKey(t)
  const [ada, userId] = [await create('ada'), newId('user')]
  const content = { externalId: 'shared', email: null, name: null, locale: null, metadata: null }
  let changing: ReturnType<typeof call> | undefined
  await shop.db.transaction().execute(async (trx) => {
    await insertCustomer(trx, { userId, kind: 'customer', ...content }, shop.service.clock.now())
    changing = call('PATCH', `/customers/${ada.id}`, { externalId: 'shared' })
    await shop.service.untilBlocked()
  })
  const changed = await changing
  assert.deepEqual(
    [changed?.status, changed?.body.code, changed?.body.customerId],
    [409, 'customer_exists', customerIdOf(userId)],
  )
})

test('LG-1: a change of a customer is recorded with its key and the changed members, without their values', async (t) => {
  const { shop, call, create } = await startWithKey(t)
  const ada = await create('ada')
  assert.equal((await call('PATCH', `/customers/${ada.id}`, { externalId: 'ada-2', name: 'Ada Secret' })).status, 200)
  assert.equal((await call('PATCH', `/customers/${ada.id}`, { externalId: '' })).status, 400)
  const { token } = await shop.signUp('admin')
  const { body } = await shop.request('GET', '/security-events?type=customer_changed', { token })
  const [event] = body.data
  assert.deepEqual([body.data.length, event.userId, event.method], [1, userIdOf(ada.id), 'api_key'])
  assert.equal(event.details.members, 'externalId name')
  assert.match(event.details.key, /^key_/)
})

test('the list of customers continues where the last page ended, and includes accounts', async (t) => {
  const { shop, call, create } = await startWithKey(t)
  const { userId } = await shop.service.signUp({ email: 'reg@example.com' })
  for (const externalId of ['a', 'b', 'c']) await create(externalId)
  const first = (await call('GET', '/customers?limit=2')).body
  const second = (await call('GET', `/customers?limit=2&cursor=${first.nextCursor}`)).body
  const externalIds = [...first.data, ...second.data].map(({ externalId }) => externalId)
  assert.deepEqual([externalIds, second.nextCursor], [['c', 'b', 'a', null], null])
  const account = second.data.at(-1)
  assert.deepEqual(
    [account.id, account.userId, account.hasAccount, account.email],
    [customerIdOf(userId), userId, true, 'reg@example.com'],
  )
})

test('only operators and administrators reach customers, and coarse permissions do not include them', async (t) => {
  const { shop } = await startWithKey(t)
  const { token: coarse } = await shop.signUpKey('operator', ['read', 'write'])
  const customer = await shop.signUp()
  const body = { externalId: 'x' }
  const refused = async (token: string) => {
    const { status, body: problem } = await shop.request('POST', '/customers', { token, body })
    return `${status} ${problem.code}`
  }
  assert.equal(await refused(coarse), '403 insufficient_scope')
  assert.equal(await refused(customer.token), '403 insufficient_role')
  const wanted = { name: 'mine', permissions: ['customers:read'] }
  const key = await shop.request('POST', '/api/api-keys', { token: customer.token, body: wanted })
  assert.equal(key.body.code, 'insufficient_role')
  assert.equal((await shop.request('GET', '/users', { token: (await shop.signUp('admin')).token })).status, 200)
})

test('an email address identifies nobody: it can be shared, and an account keeps its own', async (t) => {
  const { shop, call, create } = await startWithKey(t)
  const person = await shop.service.signUp({ email: 'same@example.com' })
  const made = await create('one', { email: 'same@example.com' })
  await create('two', { email: 'same@example.com' })
  assert.equal((await call('GET', '/customers?email=same@example.com')).body.data.length, 3)
  const { status } = await addDesign(shop, person.accessToken)
  assert.equal(status, 201)
  const seen = await call('GET', '/designs', undefined, { 'platen-customer': made.id })
  assert.deepEqual(seen.body.data, [])
  const account = customerIdOf(person.userId)
  const refused = async (method: string, path: string, body?: object, headers = {}) => {
    const { status, body: problem } = await call(method, path, body, headers)
    return `${status} ${problem.code}`
  }
  assert.equal(await refused('PATCH', `/customers/${account}`, { email: 'x@example.com' }), '409 customer_has_account')
  assert.equal((await call('PATCH', `/customers/${account}`, { metadata: { vip: true } })).body.metadata.vip, true)
  assert.equal(await refused('DELETE', `/customers/${account}`), '409 customer_has_account')
  assert.equal(await refused('POST', `/customers/${account}/merge`, { into: made.id }), '409 customer_has_account')
  assert.equal(await refused('POST', `/customers/${made.id}/merge`, { into: account }), '409 customer_has_account')
  assert.equal(await refused('POST', `/customers/${account}/tokens`, {}), '403 customer_has_account')
  const acting = { 'platen-customer': account }
  assert.equal(await refused('GET', '/designs', undefined, acting), '403 customer_has_account')
})

test('a key acts for a customer, who owns the result, with an idempotency key for each customer', async (t) => {
  const { shop, key, call, create } = await startWithKey(t)
  const [ada, bob] = [await create('ada shop/1'), await create('bob')]
  const headers = { 'idempotency-key': 'same', 'platen-customer': 'ext:ada shop/1' }
  const design = await addDesign(shop, key, headers)
  assert.deepEqual([design.status, design.body.customerId], [201, ada.id])
  const repeated = await addDesign(shop, key, headers)
  assert.deepEqual([repeated.body.id, repeated.headers.get('idempotent-replayed')], [design.body.id, 'true'])
  const other = await addDesign(shop, key, { ...headers, 'platen-customer': bob.id })
  assert.deepEqual([other.status, other.body.customerId], [201, bob.id])
  const list = async (customer: string) =>
    (await call('GET', '/designs', undefined, { 'platen-customer': customer })).body.data
  assert.deepEqual(
    (await list(ada.id)).map(({ id }: { id: string }) => id),
    [design.body.id],
  )
  assert.deepEqual((await call('GET', '/designs')).body.data, [])
  const byCustomer = await shop.db
    .selectFrom('security_events')
    .select(['actor', 'details'])
    .where('type', '=', 'customer_acted_for')
    .execute()
  assert.equal(byCustomer.length, 2)
  const answer = await call('GET', `/designs/${design.body.id}`, undefined, { 'platen-customer': bob.id })
  assert.equal(answer.status, 404)
})

test('orders of a customer carry its id, for itself, the operator and the events', async (t) => {
  const { shop, call, create } = await startWithKey(t)
  const { id } = await create('buyer')
  const designId = await shop.finalizedDesign({ ownerId: userIdOf(id) })
  const body = { items: [{ designId, quantity: 1 }], shippingAddress: ADDRESS }
  const acting = { 'platen-customer': id }
  const order = await call('POST', '/orders', body, acting)
  assert.deepEqual([order.status, order.body.customerId], [201, id], order.text)
  const quote = await call('POST', '/quotes', body, acting)
  assert.deepEqual([quote.status, quote.body.customerId], [201, id])
  const seen = await call('GET', `/orders/${order.body.id}`)
  assert.equal(seen.body.customerId, id)
  assert.equal((await call('POST', `/orders/${order.body.id}/hold`, { reason: 'x' }, acting)).status, 400)
})

test('the header names a known customer, on the operations of customers only, and from staff only', async (t) => {
  const { shop, call, create } = await startWithKey(t)
  const { id } = await create('known')
  const refused = async (header: string, path = '/designs') => {
    const { status, body } = await call('GET', path, undefined, { 'platen-customer': header })
    return `${status} ${body.code}`
  }
  assert.equal(await refused('ext:unknown'), '422 customer_unknown')
  assert.equal(await refused(customerIdOf('usr_01h455vb4pex5vsknk084sn02q')), '422 customer_unknown')
  for (const malformed of ['known', 'ext:', 'usr_01h455vb4pex5vsknk084sn02q', ''])
    assert.equal(await refused(malformed), '400 validation_failed', malformed)
  assert.equal((await call('GET', '/fonts', undefined, { 'platen-customer': id })).status, 200)
  for (const path of ['/me', '/customers', '/events', '/products', '/webhook-endpoints', '/production/orders'])
    assert.equal(await refused(id, path), '400 validation_failed', path)
  const { token } = await shop.signUp()
  const { body } = await shop.request('GET', '/designs', { token, headers: { 'platen-customer': id } })
  assert.equal(body.code, 'insufficient_role')
  assert.equal((await shop.request('GET', '/designs', { headers: { 'platen-customer': id } })).status, 401)
})

test('a customer token acts as the customer within its permissions, and never for accounts and keys', async (t) => {
  const { shop, call, create } = await startWithKey(t)
  const { id } = await create('browser')
  const issued = await call('POST', `/customers/${id}/tokens`, {})
  assert.deepEqual([issued.status, issued.body.tokenType, issued.body.expiresIn], [201, 'Bearer', 900])
  const { token } = issued.body
  const design = await addDesign(shop, token)
  assert.deepEqual([design.status, design.body.customerId], [201, id])
  const status = async (method: string, path: string, body?: object, using = token) =>
    (await shop.request(method, path, { token: using, ...(body === undefined ? {} : { body }) })).status
  for (const path of ['/me', '/api/auth/sessions', '/api/api-keys', '/customers', '/events', '/production/orders'])
    assert.equal(await status('GET', path), 403, path)
  assert.equal(await status('POST', '/api/auth/logout'), 403)
  for (const expiresInSeconds of [0, 901]) {
    assert.equal((await call('POST', `/customers/${id}/tokens`, { expiresInSeconds })).status, 400)
  }
  const reading = await call('POST', `/customers/${id}/tokens`, { permissions: ['designs:read'], expiresInSeconds: 60 })
  assert.equal(await status('GET', `/designs/${design.body.id}`, undefined, reading.body.token), 200)
  assert.equal((await addDesign(shop, reading.body.token)).body.code, 'insufficient_scope')
  assert.equal((await call('POST', `/customers/${id}/tokens`, { permissions: ['customers:read'] })).status, 400)
  shop.service.clock.shift(61)
  assert.equal(await status('GET', '/designs', undefined, reading.body.token), 401)
  assert.equal(await status('GET', '/designs'), 200)
})

test('a token has no permission that its issuer lacks, also by default', async (t) => {
  const { shop, create } = await startWithKey(t)
  const { id } = await create('limited')
  const { token: key } = await shop.signUpKey('operator', ['customers:write', 'designs:read'])
  const issue = (body: object) => shop.request('POST', `/customers/${id}/tokens`, { token: key, body })
  const refused = await issue({})
  assert.deepEqual([refused.status, refused.body.code], [403, 'insufficient_scope'])
  assert.equal((await issue({ permissions: ['designs:read'] })).status, 201)
})

test('a token for one design reaches this design and the assets of the customer only', async (t) => {
  const { shop, key, call, create } = await startWithKey(t)
  const { id } = await create('one design')
  const acting = { 'platen-customer': id }
  const [one, other] = [await addDesign(shop, key, acting), await addDesign(shop, key, acting)]
  const { body } = await call('POST', `/customers/${id}/tokens`, { designId: one.body.id })
  const reach = async (method: string, path: string, more: object = {}) =>
    (await shop.request(method, path, { token: body.token, ...more })).status
  assert.equal(await reach('GET', `/designs/${one.body.id}`), 200)
  assert.equal(await reach('PATCH', `/designs/${one.body.id}`, { body: { name: 'mine' } }), 200)
  assert.equal(await reach('GET', '/assets'), 200)
  assert.equal(await reach('GET', `/designs/${other.body.id}`), 404)
  assert.equal(await reach('PATCH', `/designs/${other.body.id}`, { body: { name: 'x' } }), 404)
  for (const path of ['/designs', '/orders']) assert.equal(await reach('GET', path), 403, path)
  assert.equal((await addDesign(shop, body.token)).status, 403)
  assert.equal(await reach('POST', `/designs/${one.body.id}/duplicate`), 403)
})

test('a token ends within a second with its key, with the role of the owner of the key, and with the customer', async (t) => {
  const shop = await startShop(t)
  const admin = await shop.signUp('admin')
  const endings: Record<
    string,
    (issuer: { token: string; userId: string; keyId: string }, id: string) => Promise<number>
  > = {
    'the key': async ({ token, keyId }) => (await shop.request('DELETE', `/api/api-keys/${keyId}`, { token })).status,
    'the role': async ({ userId }) =>
      (await shop.request('PATCH', `/users/${userId}`, { token: admin.token, body: { role: 'customer' } })).status,
    'the customer': async (_issuer, id) =>
      (await shop.request('DELETE', `/customers/${id}`, { token: admin.token })).status,
  }
  for (const [name, end] of Object.entries(endings)) {
    const { token, userId } = await shop.signUp('operator')
    const permissions = ['customers:write', 'designs:read']
    const { body: key } = await shop.request('POST', '/api/api-keys', { token, body: { name, permissions } })
    const { body: customer } = await shop.request('POST', '/customers', { token, body: { externalId: name } })
    const { body } = await shop.request('POST', `/customers/${customer.id}/tokens`, {
      token: key.key,
      body: { permissions: ['designs:read'] },
    })
    const use = async () => (await shop.request('GET', '/designs', { token: body.token })).status
    assert.equal(await use(), 200, name)
    assert.ok((await end({ token, userId, keyId: key.id }, customer.id)) < 300, name)
    assert.equal(await use(), 401, name)
  }
})

test('merging moves everything with its revisions to the target, makes equal assets one, and ends the source with its tokens', async (t) => {
  const { shop, key, call, create } = await startWithKey(t)
  const [from, into] = [await create('from'), await create('into')]
  const asset = async (customer: string, background: string) => {
    const uploaded = await upload(shop.service, key, await makePng(background), { 'platen-customer': customer })
    return uploaded.body.id as string
  }
  const [equal, own, kept] = [
    await asset(from.id, '#112233'),
    await asset(from.id, '#445566'),
    await asset(into.id, '#112233'),
  ]
  const document = documentOf([imageLayer(equal), { ...imageLayer(own), id: 'second' }])
  const design = await addDesign(shop, key, { 'platen-customer': from.id }, { document, externalReference: 'same' })
  await addDesign(shop, key, { 'platen-customer': into.id }, { externalReference: 'same' })
  assert.equal(design.status, 201, design.text)
  const path = `/designs/${design.body.id}`
  await call('PATCH', path, { document: documentOf([imageLayer(own)]) }, { 'platen-customer': from.id })
  const { body: issued } = await call('POST', `/customers/${from.id}/tokens`, {})
  const merge = (id: string, target: string) => call('POST', `/customers/${id}/merge`, { into: target })
  assert.equal((await merge(from.id, from.id)).body.code, 'merge_into_itself')
  const merged = await merge(from.id, into.id)
  assert.deepEqual([merged.status, merged.body.id], [200, into.id])
  assert.equal((await call('GET', `/customers/${from.id}`)).status, 404)
  assert.equal((await shop.request('GET', '/designs', { token: issued.token })).status, 401)
  const restored = await call('POST', `${path}/revisions/1/restore`, undefined, { 'platen-customer': into.id })
  assert.equal(restored.status, 200, restored.text)
  const seen = await call('GET', path, undefined, { 'platen-customer': into.id })
  assert.deepEqual([seen.status, seen.body.customerId], [200, into.id])
  assert.equal(seen.body.externalReference, null)
  // A revision keeps the former id, which is the same asset.
  assert.deepEqual(assetIdsOf(seen.body), [equal, own])
  assert.notEqual(seen.headers.get('etag'), design.headers.get('etag'))
  const assets = await call('GET', '/assets', undefined, { 'platen-customer': into.id })
  assert.deepEqual(assets.body.data.map(({ id }: { id: string }) => id).sort(), [own, kept].sort())
  assert.equal((await merge(from.id, into.id)).status, 404)
  assert.equal((await create('from')).externalId, 'from')
})

test('an asset that became one with an equal one is found by both ids, also after a second merge', async (t) => {
  const { shop, key, call, create } = await startWithKey(t)
  const customers = [await create('first'), await create('second'), await create('third')]
  const [first, second, third] = customers.map(({ id }) => ({ 'platen-customer': id }))
  assert.ok(first && second && third)
  const asset = async (headers: Record<string, string>): Promise<string> =>
    (await upload(shop.service, key, await makePng('#112233'), headers)).body.id
  const [one, two, three] = [await asset(first), await asset(second), await asset(third)]
  const addWith = async (more: LayerInput): Promise<string> => {
    const document = documentOf([{ ...imageLayer(one), width: 2, height: 2 }, more])
    const design = await addDesign(shop, key, first, { document })
    assert.equal(design.status, 201, design.text)
    return design.body.id
  }
  const small = await addWith(textLayer('small'))
  // A document that is not rewritten, because it needs much space.
  const corners = Array.from({ length: 5_000 }, () => `L${randomInt(1e5)} ${randomInt(1e5)}`)
  const path: LayerInput = {
    id: 'path',
    type: 'shape',
    shape: 'path',
    x: 0,
    y: 0,
    width: 50,
    height: 40,
    path: `M0 0${corners.join('')}`,
    fill: '#000000',
  }
  const large = await addWith(path)
  await call('POST', `/customers/${customers[0]?.id}/merge`, { into: customers[1]?.id })
  await call('POST', `/customers/${customers[1]?.id}/merge`, { into: customers[2]?.id })
  const documentOfDesign = async (id: string) => (await call('GET', `/designs/${id}`, undefined, third)).body
  assert.deepEqual(
    [assetIdsOf(await documentOfDesign(small)), assetIdsOf(await documentOfDesign(large))],
    [[three], [one]],
  )
  for (const id of [one, two, three]) {
    const found = await call('GET', `/assets/${id}`, undefined, third)
    assert.deepEqual([found.status, found.body.id], [200, id])
  }
  const finalized = await call('POST', `/designs/${large}/finalize`, {}, third)
  assert.equal(finalized.status, 200, finalized.text)
  assert.equal((await call('DELETE', `/assets/${one}`, undefined, third)).body.code, 'asset_in_use')
})

test('deleting a customer erases its data; a session needs a step-up, and an account an administrator', async (t) => {
  const { shop, key, call, create } = await startWithKey(t)
  const { id } = await create('gone', { email: 'gone@example.com', name: 'Quillfeather' })
  await addDesign(shop, key, { 'platen-customer': id })
  assert.equal((await call('DELETE', `/customers/${id}`)).status, 204)
  assert.equal((await call('GET', `/customers/${id}`)).status, 404)
  assert.deepEqual(await shop.db.selectFrom('designs').select('id').where('owner_id', '=', userIdOf(id)).execute(), [])
  const left = await shop.db.selectFrom('users').select(['name', 'contact_email', 'external_id']).execute()
  assert.ok(!JSON.stringify(left).includes('gone') && !JSON.stringify(left).includes('Quillfeather'))
  const person = await shop.signUp()
  const account = customerIdOf(person.userId)
  const operator = await shop.signUp('operator')
  const admin = await shop.signUp('admin')
  const remove = (token: string) => shop.request('DELETE', `/customers/${account}`, { token })
  assert.equal((await remove(operator.token)).body.code, 'customer_has_account')
  const { body: adminKey } = await shop.request('POST', '/api/api-keys', {
    token: admin.token,
    body: { name: 'admin', permissions: ['customers:write'] },
  })
  assert.equal((await remove(adminKey.key)).body.code, 'customer_has_account')
  shop.service.clock.shift(601)
  assert.equal((await remove(admin.token)).body.code, 'step_up_required')
  shop.service.clock.shift(-601)
  assert.equal((await remove(admin.token)).status, 204)
  assert.equal((await shop.request('GET', '/me', { token: person.token })).status, 401)
})

test('a customer without an account cannot get a role, and is no user', async (t) => {
  const { shop, create } = await startWithKey(t)
  const { id } = await create('no role')
  const { token } = await shop.signUp('admin')
  const path = `/users/${userIdOf(id)}`
  const body = { role: 'operator' }
  assert.equal((await shop.request('PATCH', path, { token, body })).body.code, 'user_not_found')
  assert.equal((await shop.request('GET', path, { token })).status, 404)
  const { body: users } = await shop.request('GET', '/users', { token })
  assert.ok(!users.data.some((user: { id: string }) => user.id === userIdOf(id)))
})

test('refusals state what helps the caller: the permission, a customer token, or Platen-Customer', async (t) => {
  const { shop, key, call, create } = await startWithKey(t)
  const ada = await create('ada')
  const issued = await shop.request('POST', `/customers/${ada.id}/tokens`, { token: key })
  assert.equal(issued.status, 201, issued.text)
  const detailOf = async (method: string, path: string, token: string | undefined, headers = {}) =>
    (await shop.request(method, path, { headers, ...(token === undefined ? {} : { token }) })).body.detail
  const { token: narrow } = await shop.signUpKey('operator', ['designs:read'])
  assert.equal(
    await detailOf('GET', '/events', narrow),
    'This credential lacks `events:read`. Create an API key that has it.',
  )
  assert.match(await detailOf('GET', '/events', issued.body.token), /Issue a customer token with `events:read`\.$/)
  for (const path of ['/customers', '/me', '/api/api-keys'])
    assert.match(await detailOf('GET', path, issued.body.token), /Customer tokens cannot use this operation/, path)
  const { body: design } = await addDesign(shop, key, { 'platen-customer': 'ext:ada' })
  const path = `/designs/${design.id}`
  const hint = 'Design not found among the records of this account. To act for a customer, send `Platen-Customer`.'
  assert.equal((await call('GET', path)).body.detail, hint)
  for (const [token, headers] of [[(await shop.signUp()).token], [key, { 'platen-customer': 'ext:ada' }]] as const)
    assert.notEqual(await detailOf('GET', `${path}x`, token, headers), hint)
})

test('a credential that is not accepted is explained by its form', async (t) => {
  const { shop } = await startWithKey(t)
  const detailOf = async (authorization: string) => {
    const { status, body } = await shop.request('GET', '/designs', { headers: { authorization } })
    assert.deepEqual([status, body.code], [401, 'credential_not_accepted'])
    return body.detail
  }
  assert.match(await detailOf('Bearer platen_wrong'), /^This API key is not valid here/)
  assert.match(await detailOf('platen_wrong'), /must contain `Bearer`/)
  assert.match(await detailOf('Bearer '), /no credential after `Bearer`/)
  assert.match(await detailOf('Bearer e30.e30.x'), /15 minutes/)
})

function assetIdsOf({ document }: { document: { placements: { layers: { assetId?: string }[] }[] } }): string[] {
  const layers = document.placements.flatMap((placement) => placement.layers)
  return layers.flatMap(({ assetId }) => assetId ?? [])
}
