import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService, type TestService } from '../../test/harness.ts'
import { createProduct } from './change-product.ts'
import { findProduct, seedSampleCatalogue } from './index.ts'

const NEW_PRODUCT = {
  name: 'Notebook',
  currency: 'EUR',
  printAreas: [
    {
      id: 'cover',
      name: 'Cover',
      widthMm: 148,
      heightMm: 210,
      bleedMm: 3,
      safeMarginMm: 5,
      targetDpi: 300,
      required: true,
    },
  ],
  options: [{ name: 'Ruling', values: ['lined', 'dotted'] }],
  variants: ['lined', 'dotted'].map((ruling) => ({
    sku: `NB-${ruling}`,
    options: { Ruling: ruling },
    weightGrams: 250,
    priceTiers: [{ minQuantity: 1, unitAmount: 1250 }],
  })),
}

async function startAsAdmin(t: Parameters<typeof startService>[0]) {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp({ role: 'admin' })
  return { service, token }
}

async function addProduct(service: TestService, token: string, changes: object = {}) {
  const { status, body } = await service.request('POST', '/products', { token, body: { ...NEW_PRODUCT, ...changes } })
  assert.equal(status, 201)
  return body
}

function codes(body: { errors: { code: string; pointer: string }[] }): string[] {
  return body.errors.map(({ code, pointer }) => `${code} ${pointer}`)
}

test('an administrator adds a product, which everyone can read', async (t) => {
  const { service, token } = await startAsAdmin(t)
  const created = await service.request('POST', '/products', { token, body: NEW_PRODUCT })
  assert.equal(created.status, 201)
  assert.equal(created.headers.get('location'), `/v1/products/${created.body.id}`)
  const { id, variants, createdAt, updatedAt, ...rest } = created.body
  assert.match(id, /^prd_[0-9a-z]{26}$/)
  assert.match(variants[0].id, /^var_[0-9a-z]{26}$/)
  assert.equal(variants[0].available, true)
  assert.equal(createdAt, updatedAt)
  const { variants: _variants, ...given } = NEW_PRODUCT
  const empty = { description: '', images: [], categories: [], descriptionMarkdown: '', sort: 0 }
  assert.deepEqual(rest, { ...given, ...empty, status: 'active', revision: 1 })
  const read = await service.request('GET', `/products/${id}`)
  assert.equal(read.status, 200)
  assert.deepEqual(read.body, created.body)
})

test('LG-1: the security events record what an administrator changed in the catalogue', async (t) => {
  const { service, token } = await startAsAdmin(t)
  const { id } = await addProduct(service, token)
  const path = `/products/${id}`
  const patch = (body: object) => service.request('PATCH', path, { token, body })
  assert.equal((await patch({ name: 'Log' })).status, 200)
  assert.equal((await patch({ outputProfileId: 'icc_none' })).body.code, 'product_invalid')
  assert.equal((await service.request('POST', `${path}/archive`, { token })).status, 200)
  assert.equal((await patch({ status: 'active' })).status, 200)
  assert.equal((await patch({ status: 'archived' })).status, 200)
  const { body } = await service.request('GET', '/security-events?type=shop_settings_changed', { token })
  const details = body.data.map((event: { details: object }) => event.details).reverse()
  assert.deepEqual(
    details,
    ['created', 'changed', 'archived', 'changed', 'archived'].map((change) => ({ setting: 'product', id, change })),
  )
})

test('variants of a product without options may omit `options`', async (t) => {
  const { service, token } = await startAsAdmin(t)
  const variant = { sku: 'ONE', weightGrams: 5, priceTiers: [{ minQuantity: 1, unitAmount: 100 }] }
  const created = await addProduct(service, token, { options: [], variants: [variant] as never })
  assert.deepEqual(created.variants[0]?.options, {})
})

test('a print area may be round, have a cut path and set a minimum resolution', async (t) => {
  const { service, token } = await startAsAdmin(t)
  const [cover] = NEW_PRODUCT.printAreas
  const sticker = { ...cover, widthMm: 60, heightMm: 60, minDpi: 200, shape: 'ellipse', cutPath: 'spot' }
  const created = await addProduct(service, token, { printAreas: [sticker] })
  assert.deepEqual(created.printAreas, [sticker])
  assert.deepEqual((await service.request('GET', `/products/${created.id}`)).body.printAreas, [sticker])
  const { status, body } = await service.request('PATCH', `/products/${created.id}`, {
    token,
    body: { printAreas: [{ ...sticker, minDpi: 301 }] },
  })
  assert.equal(status, 422)
  assert.deepEqual(codes(body), ['min_dpi_above_target /printAreas/0/minDpi'])
  const star = { ...NEW_PRODUCT, printAreas: [{ ...sticker, shape: 'star' }] }
  const refused = await service.request('POST', '/products', { token, body: star })
  assert.equal(refused.status, 400)
  assert.deepEqual(
    refused.body.errors.map(({ pointer }: { pointer: string }) => pointer),
    ['/printAreas/0/shape'],
  )
})

test('only administrators can change the catalogue', async (t) => {
  const { service, token } = await startAsAdmin(t)
  const { id } = await addProduct(service, token)
  const attempts = [
    ['POST', '/products', NEW_PRODUCT],
    ['PATCH', `/products/${id}`, { name: 'Mine' }],
    ['POST', `/products/${id}/archive`, undefined],
  ] as const
  const { accessToken: customer } = await service.signUp()
  const { accessToken: operator } = await service.signUp({ role: 'operator' })
  for (const [method, path, body] of attempts) {
    assert.equal((await service.request(method, path, { body })).status, 401)
    for (const other of [customer, operator]) {
      assert.equal((await service.request(method, path, { token: other, body })).status, 403)
    }
  }
  const { body } = await service.request('GET', `/products/${id}`)
  assert.deepEqual([body.name, body.status], ['Notebook', 'active'])
})

test('a body that does not match the schema is rejected with the pointer of each fault', async (t) => {
  const { service, token } = await startAsAdmin(t)
  const [area] = NEW_PRODUCT.printAreas
  const body = { ...NEW_PRODUCT, currency: 'euro', colour: 'red', printAreas: [{ ...area, widthMm: 0 }] }
  const answer = await service.request('POST', '/products', { token, body })
  assert.equal(answer.status, 400)
  assert.deepEqual(codes(answer.body).sort(), [
    'too_small /printAreas/0/widthMm',
    'unknown_field /colour',
    'wrong_format /currency',
  ])
})

test('an inconsistent product is rejected when it is added and when it is changed', async (t) => {
  const { service, token } = await startAsAdmin(t)
  const [first] = NEW_PRODUCT.variants
  const added = await service.request('POST', '/products', {
    token,
    body: { ...NEW_PRODUCT, variants: [{ ...first, options: {} }] },
  })
  assert.equal(added.status, 422)
  assert.equal(added.body.code, 'product_invalid')
  assert.deepEqual(codes(added.body), ['option_missing /variants/0/options/Ruling'])

  const { id } = await addProduct(service, token)
  const body = { options: [{ name: 'Ruling', values: ['lined'] }] }
  const changed = await service.request('PATCH', `/products/${id}`, { token, body })
  assert.equal(changed.status, 422)
  assert.deepEqual(codes(changed.body), ['option_value_unknown /variants/1/options/Ruling'])
  assert.deepEqual((await service.request('GET', `/products/${id}`)).body.options, NEW_PRODUCT.options)
})

test('a change replaces the given members, and variants keep their ids', async (t) => {
  const { service, token } = await startAsAdmin(t)
  const { id, variants } = await addProduct(service, token)
  service.clock.shift(60)
  const body = {
    description: 'A5, 120 pages.',
    variants: [
      { ...variants[1], available: false },
      { ...NEW_PRODUCT.variants[0], sku: 'NB-lined-2' },
    ],
  }
  const changed = await service.request('PATCH', `/products/${id}`, { token, body })
  assert.equal(changed.status, 200)
  assert.deepEqual([changed.body.name, changed.body.description], ['Notebook', 'A5, 120 pages.'])
  assert.deepEqual([changed.body.variants[0].id, changed.body.variants[0].available], [variants[1].id, false])
  assert.ok(!variants.some((variant: { id: string }) => variant.id === changed.body.variants[1].id))
  assert.ok(changed.body.updatedAt > changed.body.createdAt)
})

test('variants cannot have unknown ids or duplicate ids', async (t) => {
  const { service, token } = await startAsAdmin(t)
  const { id, variants } = await addProduct(service, token)
  const other = await addProduct(service, token)
  for (const stranger of [other.variants[1].id, variants[0].id]) {
    const body = { variants: [variants[0], { ...variants[1], id: stranger }] }
    const answer = await service.request('PATCH', `/products/${id}`, { token, body })
    assert.equal(answer.status, 422)
    assert.deepEqual(codes(answer.body), ['variant_unknown /variants/1/id'])
  }
})

test('an archived product is not listed but readable, and archiving can be repeated and undone', async (t) => {
  const { service, token } = await startAsAdmin(t)
  const { id } = await addProduct(service, token)
  for (let times = 0; times < 2; times += 1) {
    const archived = await service.request('POST', `/products/${id}/archive`, { token })
    assert.deepEqual([archived.status, archived.body.status], [200, 'archived'])
  }
  assert.deepEqual((await service.request('GET', '/products')).body, { data: [], nextCursor: null })
  assert.equal((await service.request('GET', '/products?status=archived')).body.data[0].id, id)
  assert.equal((await service.request('GET', `/products/${id}`)).body.status, 'archived')
  await service.request('PATCH', `/products/${id}`, { token, body: { status: 'active' } })
  assert.equal((await service.request('GET', '/products')).body.data[0].id, id)
})

test('the list contains every product once, even if products are added in the meantime', async (t) => {
  const { service, token } = await startAsAdmin(t)
  const added: string[] = []
  for (const name of ['Bag', 'Card', 'Mug']) added.push((await addProduct(service, token, { name })).id)
  const first = await service.request('GET', '/products?limit=2')
  await addProduct(service, token, { name: 'Apron' })
  const second = await service.request('GET', `/products?limit=2&cursor=${first.body.nextCursor}`)
  const seen = [...first.body.data, ...second.body.data].map(({ id }: { id: string }) => id)
  assert.deepEqual(seen, added)
  assert.equal(second.body.nextCursor, null)
  assert.equal((await service.request('GET', '/products?cursor=nonsense')).body.code, 'invalid_cursor')
  assert.equal((await service.request('GET', '/products?status=deleted')).status, 400)
})

test('unknown and malformed ids get the same response', async (t) => {
  const { service, token } = await startAsAdmin(t)
  for (const id of ['prd_01h455vb4pex5vsknk084sn02q', 'dsn_01h455vb4pex5vsknk084sn02q', 'nonsense', 'a%00b', '%27']) {
    const read = await service.request('GET', `/products/${id}`)
    assert.deepEqual([read.status, read.body.code], [404, 'product_not_found'], id)
    const changed = await service.request('PATCH', `/products/${id}`, { token, body: { name: 'x' } })
    assert.equal(changed.status, 404, id)
  }
})

test('a repeated request with the same Idempotency-Key adds one product', async (t) => {
  const { service, token } = await startAsAdmin(t)
  const headers = { 'idempotency-key': 'notebook-1' }
  const first = await service.request('POST', '/products', { token, headers, body: NEW_PRODUCT })
  const again = await service.request('POST', '/products', { token, headers, body: NEW_PRODUCT })
  assert.deepEqual([again.status, again.body], [201, first.body])
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  assert.equal((await service.request('GET', '/products')).body.data.length, 1)
})

// Without the row lock, the second change would overwrite the first.
test('two concurrent changes are both stored', async (t) => {
  const { service, token } = await startAsAdmin(t)
  const { id } = await addProduct(service, token)
  let pending: ReturnType<TestService['request']> | undefined
  await service.db.transaction().execute(async (trx) => {
    await trx.updateTable('products').set({ name: 'Sketchbook' }).where('id', '=', id).execute()
    pending = service.request('PATCH', `/products/${id}`, { token, body: { description: 'Blank pages.' } })
    await service.untilBlocked()
  })
  const changed = await pending
  assert.deepEqual([changed?.body.name, changed?.body.description], ['Sketchbook', 'Blank pages.'])
})

test('the sample catalogue is loaded only if there are no products', async (t) => {
  const { service, token } = await startAsAdmin(t)
  const now = service.clock.now()
  await service.db.deleteFrom('products').execute()
  assert.equal(await seedSampleCatalogue(service.db, now), 5)
  const { body } = await service.request('GET', '/products')
  assert.deepEqual(body.data.map(({ name }: { name: string }) => name).sort(), [
    'A3 poster',
    'A6 postcard',
    'Business card',
    'Mug',
    'T-shirt',
  ])
  for (const { id } of body.data) await service.request('POST', `/products/${id}/archive`, { token })
  assert.equal(await seedSampleCatalogue(service.db, now), 0)
  assert.equal((await findProduct(service.db, body.data[0].id))?.status, 'archived')
})

// Two processes that start at once must not both find the catalogue empty.
test('the sample catalogue waits for a product that is being added', async (t) => {
  const { service } = await startAsAdmin(t)
  const now = service.clock.now()
  await service.db.deleteFrom('products').execute()
  let pending: Promise<number> | undefined
  await service.db.transaction().execute(async (trx) => {
    await createProduct(trx, NEW_PRODUCT, now)
    pending = seedSampleCatalogue(service.db, now)
    await service.untilBlocked()
  })
  assert.equal(await pending, 0)
})
