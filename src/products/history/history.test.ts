import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Static } from 'typebox'
import { startService } from '../../../test/harness.ts'
import { CARD } from '../../designs/factory.ts'
import type { PricePreviewBody } from '../price-preview/schemas.ts'

type PricePreview = Static<typeof PricePreviewBody>

interface Change {
  revision: number
  type: string
  actor: { userId: string; name: string | null; apiKey?: { id: string; name: string | null } }
  changes: { pointer: string; before?: unknown; after?: unknown }[]
}

async function startWithProduct(t: TestContext) {
  const service = await startService(t)
  const admin = await service.signUp({ role: 'admin' })
  const token = admin.accessToken
  const { body: product } = await service.request('POST', '/products', { token, body: CARD })
  const path = `/products/${product.id}`
  const patch = (body: object, options: object = {}) => service.request('PATCH', path, { token, body, ...options })
  const history = async (query = ''): Promise<Change[]> => {
    const { status, body } = await service.request('GET', `${path}/history${query}`, { token })
    assert.equal(status, 200)
    return body.data
  }
  return { service, admin, token, product, path, patch, history }
}

test('the history names who changed which fields, with the values before and after', async (t) => {
  const { service, admin, token, product, path, patch, history } = await startWithProduct(t)
  const [variant, ...others] = product.variants
  const heavier = { ...variant, weightGrams: variant.weightGrams + 1 }
  const area = { ...product.printAreas[0], bleedMm: 4 }
  await patch({ name: 'New card', variants: [heavier, ...others], printAreas: [area, ...product.printAreas.slice(1)] })
  await service.request('POST', `${path}/archive`, { token })
  await service.request('POST', `${path}/restore`, { token })
  const [restored, archived, changed, created] = await history()
  assert.deepEqual(
    [restored, archived, changed, created].map((one) => [one?.type, one?.revision]),
    [
      ['restored', 4],
      ['archived', 3],
      ['changed', 2],
      ['created', 1],
    ],
  )
  assert.deepEqual(changed?.changes, [
    { pointer: '/name', before: CARD.name, after: 'New card' },
    { pointer: `/printAreas/${area.id}/bleedMm`, before: product.printAreas[0].bleedMm, after: 4 },
    {
      pointer: `/variants/${variant.id}/weightGrams`,
      before: variant.weightGrams,
      after: variant.weightGrams + 1,
    },
  ])
  assert.deepEqual(restored?.changes, [{ pointer: '/status', before: 'archived', after: 'active' }])
  assert.deepEqual(created?.changes[0], { pointer: '/name', after: CARD.name })
  assert.deepEqual(changed?.actor, { userId: admin.userId, name: null, email: admin.email })
})

test('the history states added and removed variants, a new order of pictures, and the API key of a program', async (t) => {
  const { service, token, product, path, history } = await startWithProduct(t)
  const { body: key } = await service.request('POST', '/api/api-keys', {
    ...{ token, body: { name: 'Price list', permissions: ['products:write'] } },
  })
  const { id: _, ...variant } = product.variants[0]
  const variants = [{ ...variant, sku: 'NEW' }]
  assert.equal((await service.request('PATCH', path, { token: key.key, body: { variants } })).status, 200)
  const [changed] = await history('?limit=1')
  assert.deepEqual(changed?.actor.apiKey, { id: key.id, name: 'Price list' })
  const removed = product.variants.map((one: object & { id: string }) => [`/variants/${one.id}`, one, undefined])
  const { body: present } = await service.request('GET', path)
  assert.deepEqual(
    changed?.changes.map(({ pointer, before, after }) => [pointer, before, after]),
    [...removed, [`/variants/${present.variants[0].id}`, undefined, present.variants[0]]],
  )
})

// A record without its change, or a change without its record, would mislead who looks for a mistake.
test('a refused change leaves no record, and neither does one that changes nothing', async (t) => {
  const { product, patch, history } = await startWithProduct(t)
  assert.equal((await patch({ name: 'Changed', outputProfileId: 'icc_none' })).status, 422)
  assert.equal((await patch({ name: product.name })).status, 200)
  assert.deepEqual(
    (await history()).map(({ type }) => type),
    ['created'],
  )
})

test('a change of a version that another administrator has replaced is refused with the present product', async (t) => {
  const { service, token, product, path, patch } = await startWithProduct(t)
  const read = await service.request('GET', path)
  assert.deepEqual([read.headers.get('etag'), read.body.revision], ['"1"', 1])
  const headers = { 'if-match': '"1"' }
  const first = await patch({ name: 'First' }, { headers })
  assert.deepEqual([first.status, first.headers.get('etag'), first.body.revision], [200, '"2"', 2])
  for (const [method, url, body] of [
    ['PATCH', path, { name: 'Second' }],
    ['POST', `${path}/archive`, undefined],
    ['POST', `${path}/restore`, undefined],
  ] as const) {
    const late = await service.request(method, url, { token, headers, ...(body === undefined ? {} : { body }) })
    assert.deepEqual([late.status, late.body.code, late.headers.get('etag')], [412, 'precondition_failed', '"2"'])
    assert.deepEqual([late.body.product.id, late.body.product.name], [product.id, 'First'])
  }
  assert.equal((await service.request('GET', path)).body.name, 'First')
})

test('a change that waited for another one compares the version after it', async (t) => {
  const { service, product, path, patch } = await startWithProduct(t)
  const sent: ReturnType<typeof patch>[] = []
  await service.db.transaction().execute(async (trx) => {
    await trx.updateTable('products').set({ sort: 7 }).where('id', '=', product.id).execute()
    sent.push(patch({ name: 'Late' }, { headers: { 'if-match': '"1"' } }))
    await service.untilBlocked(1)
  })
  assert.equal((await sent[0])?.status, 412)
  assert.equal((await service.request('GET', path)).body.sort, 7)
})

test('a restored product is listed again', async (t) => {
  const { service, token, product, path } = await startWithProduct(t)
  const listed = async () => {
    const { body } = await service.request('GET', '/products?limit=100')
    return body.data.some(({ id }: { id: string }) => id === product.id)
  }
  await service.request('POST', `${path}/archive`, { token })
  assert.equal(await listed(), false)
  const { status, body } = await service.request('POST', `${path}/restore`, { token })
  assert.deepEqual([status, body.status, await listed()], [200, 'active', true])
  assert.equal((await service.request('POST', '/products/prd_none/restore', { token })).status, 404)
})

test('a preview states what quantities cost by the rules of orders, and the faults of the tiers', async (t) => {
  const { service, token } = await startWithProduct(t)
  const priceTiers = [
    { minQuantity: 1, unitAmount: 150 },
    { minQuantity: 50, unitAmount: 90 },
  ]
  const preview = (body: object) => service.request('POST', '/products/price-preview', { token, body })
  const { body } = await preview({ currency: 'EUR', priceTiers, quantities: [1, 49, 50, 1000] })
  assert.deepEqual(
    (body.prices as PricePreview['prices']).map(({ quantity, unitAmount, totalAmount }) => [
      quantity,
      unitAmount.amount,
      totalAmount.amount,
      totalAmount.currency,
    ]),
    [
      [1, 150, 150, 'EUR'],
      [49, 150, 7350, 'EUR'],
      [50, 90, 4500, 'EUR'],
      [1000, 90, 90_000, 'EUR'],
    ],
  )
  const wrong = await preview({ currency: 'XXX', priceTiers: [...priceTiers].reverse(), quantities: [1] })
  assert.deepEqual(
    wrong.body.errors.map(({ code, pointer }: { code: string; pointer: string }) => `${code} ${pointer}`),
    [
      'currency_unknown /currency',
      'first_tier_not_one /priceTiers/0/minQuantity',
      'tiers_not_ascending /priceTiers/1/minQuantity',
    ],
  )
})
