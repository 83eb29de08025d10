import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { startService } from '../../../test/harness.ts'
import { makePng, upload } from '../../assets/factory.ts'
import { seedSampleCatalogue } from '../index.ts'

const PRODUCT = {
  name: 'Card',
  currency: 'EUR',
  printAreas: [
    {
      ...{ id: 'front', name: 'Front', widthMm: 85, heightMm: 55 },
      ...{ bleedMm: 3, safeMarginMm: 3, targetDpi: 300, required: true },
    },
  ],
  variants: [{ sku: 'ONE', weightGrams: 5, priceTiers: [{ minQuantity: 1, unitAmount: 100 }] }],
}

async function startWithImage(t: Parameters<typeof startService>[0]) {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp({ role: 'admin' })
  const wide = await sharp({ create: { width: 900, height: 600, channels: 3, background: '#c04020' } })
    .jpeg()
    .toBuffer()
  const { body: asset } = await upload(service, token, wide)
  const images = [{ assetId: asset.id, alt: 'A red card' }]
  const created = await service.request('POST', '/products', { token, body: { ...PRODUCT, images } })
  assert.equal(created.status, 201, created.text)
  const product = created.body
  const patch = (body: object) => service.request('PATCH', `/products/${product.id}`, { token, body })
  return { service, token, asset, product, patch }
}

const image = (service: Awaited<ReturnType<typeof startService>>, url: string, headers = {}) =>
  fetch(`${service.origin}${url}`, { headers })

test('everyone can read an image of a product in a few sizes, and caches may keep it', async (t) => {
  const { service, asset, product } = await startWithImage(t)
  const [{ id, url, alt }] = product.images
  assert.deepEqual([alt, url], ['A red card', `/v1/products/${product.id}/images/${id}`])
  assert.notEqual(id, asset.id)
  const response = await image(service, url)
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'image/webp')
  assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable')
  assert.equal(response.headers.get('cross-origin-resource-policy'), 'cross-origin')
  const sizes: (number | undefined)[] = [(await sharp(Buffer.from(await response.arrayBuffer())).metadata()).width]
  for (const width of [160, 1280]) {
    const bytes = await (await image(service, `${url}?width=${width}`)).arrayBuffer()
    sizes.push((await sharp(Buffer.from(bytes)).metadata()).width)
  }
  assert.deepEqual(sizes, [640, 160, 900])
  assert.equal((await image(service, `${url}?width=161`)).status, 400)
  const etag = response.headers.get('etag') ?? ''
  assert.equal((await image(service, url, { 'if-none-match': etag })).status, 304)
})

// The product would lose its image with the asset, or the image would name the administrator.
test('a product keeps its images when the administrator deletes the assets', async (t) => {
  const { service, token, asset, product } = await startWithImage(t)
  assert.equal((await service.request('DELETE', `/assets/${asset.id}`, { token })).status, 204)
  const [{ id, url }] = product.images
  assert.equal((await image(service, url)).status, 200)
  const { accessToken: customer } = await service.signUp()
  const read = await service.request('GET', `/assets/${id}`, { token: customer })
  assert.deepEqual([read.status, read.body.customerId, read.body.widthPx], [200, 'shop', 900])
  assert.equal((await service.request('DELETE', `/assets/${id}`, { token: customer })).status, 404)
  assert.equal((await service.request('DELETE', `/assets/${id}`, { token })).status, 404)
  assert.deepEqual((await service.request('GET', '/assets', { token: customer })).body.data, [])
})

test('images of the shop count in no storage quota', async (t) => {
  const { service, token, asset } = await startWithImage(t)
  const { used } = (await service.request('GET', '/me/storage', { token })).body
  assert.equal(used, asset.bytes)
})

test('a change can keep, reorder and remove images, and names them by their ids', async (t) => {
  const { service, token, product, patch } = await startWithImage(t)
  const [{ id, url }] = product.images
  const { body: second } = await upload(service, token, await makePng('#00ff00'))
  const images = [
    { assetId: second.id, alt: 'Green' },
    { assetId: id, alt: '' },
  ]
  const { status, body } = await patch({ images })
  assert.equal(status, 200)
  assert.deepEqual(
    body.images.map((one: { alt: string }) => one.alt),
    ['Green', ''],
  )
  assert.equal(body.images[1].id, id)
  assert.deepEqual((await patch({ name: 'Renamed' })).body.images, body.images)
  await patch({ images: [] })
  assert.equal((await image(service, url)).status, 404)
})

// Otherwise the image of a product would show a stranger's upload to everyone.
test('images are assets of the administrator or of the shop, each once', async (t) => {
  const { service, asset, product, patch } = await startWithImage(t)
  const { accessToken: customer } = await service.signUp()
  const { body: foreign } = await upload(service, customer, await makePng('#0000ff'))
  for (const assetId of [foreign.id, 'ast_none', 'toString']) {
    const { status, body } = await patch({ images: [{ assetId, alt: '' }] })
    assert.deepEqual([status, body.errors?.[0]?.pointer], [422, '/images/0/assetId'])
  }
  const [{ id }] = product.images
  const twice = await patch({ images: [asset.id, id].map((assetId) => ({ assetId, alt: '' })) })
  assert.deepEqual([twice.status, twice.body.errors[0].code], [422, 'duplicate'])
  assert.equal((await image(service, `/v1/products/${product.id}/images/${foreign.id}`)).status, 404)
  assert.equal((await image(service, `/v1/products/prd_none/images/${id}`)).status, 404)
})

// With only `products:write`, the key could read the image through the public product.
test('an API key needs assets:read to show assets', async (t) => {
  const { service, token, asset, product } = await startWithImage(t)
  const create = (permissions: string[]) =>
    service.request('POST', '/api/api-keys', { token, body: { name: 'Catalogue', permissions } })
  const show = async (permissions: string[]) => {
    const { body } = await create(permissions)
    const images = [{ assetId: asset.id, alt: '' }]
    return service.request('PATCH', `/products/${product.id}`, { token: body.key, body: { images } })
  }
  const refused = await show(['products:write'])
  assert.deepEqual([refused.status, refused.body.permission], [403, 'assets:read'])
  assert.equal((await show(['products:write', 'assets:read'])).status, 200)
})

test('the sample products have pictures that match their descriptions', async (t) => {
  const service = await startService(t)
  const { storage, clock } = service.services
  assert.equal(await seedSampleCatalogue(service.db, clock.now(), storage), 5)
  assert.equal(await seedSampleCatalogue(service.db, clock.now(), storage), 0)
  const { body } = await service.request('GET', '/products')
  const names = body.data.map(({ name }: { name: string }) => name)
  assert.deepEqual(names, ['Business card', 'A6 postcard', 'A3 poster', 'T-shirt', 'Mug'])
  for (const { name, images, categories, descriptionMarkdown } of body.data) {
    assert.ok(categories.length > 0 && descriptionMarkdown.length > 100, name)
    const [{ url, alt }] = images
    assert.match(alt.toLowerCase(), new RegExp(name.split(' ').at(-1).toLowerCase()), name)
    const response = await image(service, `${url}?width=1280`)
    const { width, height } = await sharp(Buffer.from(await response.arrayBuffer())).metadata()
    assert.deepEqual([width, height], [1200, 900])
  }
})
