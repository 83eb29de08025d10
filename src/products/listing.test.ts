import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '../../test/harness.ts'

const AREA = { id: 'front', name: 'Front', widthMm: 85, heightMm: 55, bleedMm: 3, safeMarginMm: 3, targetDpi: 300 }
const MINIMAL = {
  currency: 'EUR',
  printAreas: [{ ...AREA, required: true }],
  variants: [{ sku: 'ONE', weightGrams: 5, priceTiers: [{ minQuantity: 1, unitAmount: 100 }] }],
}

async function startCatalogue(
  t: Parameters<typeof startService>[0],
  products: ({ name: string } & Record<string, unknown>)[],
) {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp({ role: 'admin' })
  const ids = new Map<string, string>()
  for (const product of products) {
    const { status, body, text } = await service.request('POST', '/products', {
      token,
      body: { ...MINIMAL, ...product },
    })
    assert.equal(status, 201, text)
    ids.set(product.name, body.id)
  }
  const list = async (query = '') => {
    const { status, body, text } = await service.request('GET', `/products${query}`)
    assert.equal(status, 200, text)
    return body as { data: { id: string; name: string }[]; nextCursor: string | null }
  }
  const names = async (query = '') => (await list(query)).data.map(({ name }) => name)
  return { service, token, ids, list, names }
}

test('a product has categories, a longer description and its place in the list', async (t) => {
  const { service, token, ids } = await startCatalogue(t, [{ name: 'Card' }])
  const path = `/products/${ids.get('Card')}`
  const { body: before } = await service.request('GET', path)
  assert.deepEqual([before.images, before.categories, before.descriptionMarkdown, before.sort], [[], [], '', 0])
  const changes = { categories: ['Cards', 'Büro'], descriptionMarkdown: '**Heavy** board', sort: -5 }
  const { status, body } = await service.request('PATCH', path, { token, body: changes })
  assert.equal(status, 200)
  assert.deepEqual(body, { ...before, ...changes, revision: 2, updatedAt: body.updatedAt })
  assert.deepEqual((await service.request('GET', path)).body, body)
  for (const refused of [{ categories: ['A', 'A'] }, { categories: [''] }, { categories: ['a\nb'] }, { sort: 0.5 }]) {
    const { status: code } = await service.request('PATCH', path, { token, body: refused })
    assert.equal(code, 400, JSON.stringify(refused))
  }
})

test('lists are in the order of `sort`, then of the names', async (t) => {
  const products = [
    { name: 'zebra', sort: 1 },
    { name: 'Apple', sort: 2 },
    { name: 'banana', sort: 1 },
    { name: 'First', sort: -1 },
  ]
  const { names } = await startCatalogue(t, products)
  assert.deepEqual(await names(), ['First', 'banana', 'zebra', 'Apple'])
})

test('pages of equal products neither repeat nor skip any, even when products are added', async (t) => {
  const { service, token, list } = await startCatalogue(
    t,
    Array.from({ length: 5 }, () => ({ name: 'Same' })),
  )
  const seen: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const page = await list(`?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`)
    seen.push(...page.data.map(({ id }) => id))
    cursor = page.nextCursor
    await service.request('POST', '/products', { token, body: { ...MINIMAL, name: 'Added before', sort: -1 } })
  }
  assert.equal(new Set(seen).size, 5)
  assert.equal(seen.length, 5)
})

test('a category selects products that are in it exactly', async (t) => {
  const { names } = await startCatalogue(t, [
    { name: 'Mug', categories: ['Gifts'] },
    { name: 'Card', categories: ['Cards', 'Gifts'] },
    { name: 'Poster', categories: ['Gifts for walls'] },
  ])
  assert.deepEqual(await names('?category=Gifts'), ['Card', 'Mug'])
  assert.deepEqual(await names('?category=gifts'), [])
})

test('a search finds words and beginnings of words in name, descriptions and categories', async (t) => {
  const { names } = await startCatalogue(t, [
    { name: 'Wedding invitation', categories: ['Papeterie für Feste'] },
    { name: 'Café mug', description: 'Ceramic, dishwasher safe' },
    { name: 'Poster', descriptionMarkdown: 'For **frames** of oak' },
  ])
  const search = (words: string) => names(`?q=${encodeURIComponent(words)}`)
  assert.deepEqual(await search('wed'), ['Wedding invitation'])
  assert.deepEqual(await search('CAFE'), ['Café mug'])
  assert.deepEqual(await search('dish ceram'), ['Café mug'])
  assert.deepEqual(await search('papet'), ['Wedding invitation'])
  assert.deepEqual(await search('frames'), ['Poster'])
  assert.deepEqual(await search('mug poster'), [])
  assert.deepEqual(await search("%' _ \\ & | !"), await search('&'))
})
