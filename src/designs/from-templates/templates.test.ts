import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { upload } from '../../assets/factory.ts'
import { makeFont } from '../../rendering/user-fonts/factory.ts'
import { CARD, documentOf, imageLayer, makePicture, textLayer } from '../factory.ts'
import { openTemplateShop, photoAndText } from './template-shop.fixture.ts'

const LAYERS = '/document/placements/0/layers'

async function pixelAt(bytes: ArrayBuffer, [x, y]: [number, number]): Promise<string> {
  const { data } = await sharp(Buffer.from(bytes))
    .extract({ left: x, top: y, width: 1, height: 1 })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return [...data].map((value) => Math.round(value / 32)).join()
}

const photoOf = (design: { document: { placements: { layers: { assetId?: string }[] }[] } }): string =>
  design.document.placements[0]?.layers[0]?.assetId ?? assert.fail('the first layer has no image')

test('an administrator publishes a draft as a template, which everyone can read', async (t) => {
  const shop = await openTemplateShop(t)
  const { service, admin, adminId, asset, product } = shop
  const draft = await shop.draft(photoAndText(asset.id))
  const { status, body, headers } = await shop.publish(draft.id, { categories: ['Seasons'] })
  assert.equal(status, 201)
  const { id, document, createdAt, updatedAt, ...rest } = body
  assert.match(id, /^tpl_[0-9a-z]{26}$/)
  assert.equal(headers.get('location'), `/v1/templates/${id}`)
  const previewUrl = `/v1/templates/${id}/preview`
  const shown = { name: 'Autumn', productId: product.id, categories: ['Seasons'], previewUrl, status: 'active' }
  assert.deepEqual([rest, createdAt], [shown, updatedAt])
  const read = await service.request('GET', `/templates/${id}`)
  assert.deepEqual([read.status, read.body], [200, body])
  const renamed = { ...draft.document.placements[0].layers[0], assetId: photoOf(body) }
  assert.deepEqual(document.placements[0].layers, [renamed, draft.document.placements[0].layers[1]])
  // Nothing of the publisher: neither the account, nor the draft, nor the asset.
  for (const secret of [adminId, adminId.slice(4), draft.id, asset.id]) assert.ok(!read.text.includes(secret), secret)
  const { body: events } = await service.request('GET', '/security-events?type=shop_settings_changed', { token: admin })
  assert.deepEqual(events.data[0].details, { setting: 'template', id, change: 'created' })
})

test('a design from a template has its document and images, without a charge for the images', async (t) => {
  const shop = await openTemplateShop(t)
  const { service, token, asset } = shop
  const { template, design } = await shop.startFrom(photoAndText(asset.id))
  assert.deepEqual([design.templateId, design.name, design.document], [template.id, 'Autumn', template.document])
  assert.deepEqual(design.preflight, { ok: true, issues: [] })
  const preview = await fetch(`${service.baseUrl}/designs/${design.id}/preview?width=850`, {
    headers: { authorization: `Bearer ${token}` },
  })
  assert.equal(await pixelAt(await preview.arrayBuffer(), [500, 300]), '4,2,1')
  const { used } = (await service.request('GET', '/me/storage', { token })).body
  assert.ok(used < asset.bytes + 2_000 && used < 5_000, `${used} bytes`)
  const photo = await service.request('GET', `/assets/${photoOf(design)}`, { token })
  assert.deepEqual([photo.status, photo.body.customerId, photo.body.sha256], [200, 'shop', asset.sha256])
  assert.equal((await service.request('GET', `/assets/${photoOf(design)}/thumbnail`, { token })).status, 200)
})

// An upload can state where a photo was taken. Its id is in the public document of the template.
test('customers read images of templates as thumbnails, and operators also as they were uploaded', async (t) => {
  const shop = await openTemplateShop(t)
  const { service, token, admin, asset } = shop
  const { design } = await shop.startFrom([imageLayer(asset.id)])
  const { accessToken: operator } = await service.signUp({ role: 'operator' })
  const path = `/assets/${photoOf(design)}`
  const linkTo = (file: string) => service.request('POST', `${path}/links`, { token, body: { file } })
  for (const { status, body } of [await service.request('GET', `${path}/content`, { token }), await linkTo('content')])
    assert.deepEqual([status, body.code], [404, 'asset_not_found'])
  assert.equal((await linkTo('thumbnail')).status, 201)
  for (const staff of [operator, admin]) {
    const { status, body } = await service.request('GET', `${path}/content`, { token: staff })
    assert.deepEqual([status, body.length], [200, asset.bytes])
  }
})

test('a design from a template is finalized, duplicated and personalized like any other', async (t) => {
  const shop = await openTemplateShop(t)
  const { service, token, asset } = shop
  const layers = [imageLayer(asset.id), textLayer('Hello {{name}}', { id: 'name' })]
  const { template, design } = await shop.startFrom(layers)
  const finalized = await service.request('POST', `/designs/${design.id}/finalize`, { token })
  assert.equal(finalized.status, 200, finalized.text)
  assert.deepEqual(finalized.body.finalization.placeholders, ['name'])
  const same = await shop.draft(layers)
  const original = await service.request('POST', `/designs/${same.id}/finalize`, { token: shop.admin })
  assert.equal(finalized.body.finalization.contentHash, original.body.finalization.contentHash)
  const copy = await service.request('POST', `/designs/${design.id}/duplicate`, { token })
  assert.deepEqual([copy.body.templateId, copy.body.preflight.ok], [template.id, true])
  const address = { name: 'A', line1: 'B 1', city: 'C', postalCode: '10115', country: 'DE' }
  const items = [{ designId: design.id, quantity: 1, data: { name: 'Ada' } }]
  const order = await service.request('POST', '/orders', { token, body: { items, shippingAddress: address } })
  assert.equal(order.status, 201, order.text)
})

test('templates and their designs outlive the draft, the assets and the account of the publisher', async (t) => {
  const shop = await openTemplateShop(t)
  const { service, token, admin, asset } = shop
  await service.signUp({ role: 'admin' })
  const draft = await shop.draft([imageLayer(asset.id)])
  const { body: template } = await shop.publish(draft.id)
  const { body: design } = await shop.create({ templateId: template.id })
  await service.request('PATCH', `/designs/${draft.id}`, { token: admin, body: { document: documentOf([]) } })
  assert.equal((await service.request('DELETE', `/assets/${asset.id}`, { token: admin })).status, 204)
  const gone = await service.request('DELETE', '/me', { token: admin })
  assert.equal(gone.status, 204, gone.text)
  const report = await service.request('POST', `/designs/${design.id}/preflight`, { token })
  assert.deepEqual(report.body, { ok: true, issues: [] })
  assert.equal((await service.request('POST', `/designs/${design.id}/finalize`, { token })).status, 200)
  assert.deepEqual((await service.request('GET', `/templates/${template.id}`)).body, template)
  assert.equal((await shop.create({ templateId: template.id })).body.preflight.ok, true)
})

// Without the query for the template of the design, every design could show every image of the shop.
test('only designs from a template show its images', async (t) => {
  const shop = await openTemplateShop(t)
  const { body: other } = await upload(shop.service, shop.admin, await makePicture('#22aa66'))
  const { design } = await shop.startFrom([imageLayer(shop.asset.id)])
  const elsewhere = await shop.startFrom([imageLayer(other.id)])
  const codes = ({ preflight }: { preflight: { issues: { code: string }[] } }) =>
    preflight.issues.map(({ code }) => code)
  const plain = await shop.create({ document: documentOf([imageLayer(photoOf(design))]) })
  assert.deepEqual(codes(plain.body), ['asset_missing'])
  const body = { document: documentOf([imageLayer(photoOf(elsewhere.design))]) }
  const patched = await shop.service.request('PATCH', `/designs/${design.id}`, { token: shop.token, body })
  assert.deepEqual(codes(patched.body), ['asset_missing'])
})

test('a customer reaches neither the draft nor other assets of the publisher', async (t) => {
  const shop = await openTemplateShop(t)
  const { service, token, asset } = shop
  const draft = await shop.draft([imageLayer(asset.id)])
  const { body: template } = await shop.publish(draft.id)
  for (const path of [`/designs/${draft.id}`, `/designs/${draft.id}/preview`, `/assets/${asset.id}`]) {
    assert.equal((await service.request('GET', path, { token })).status, 404, path)
  }
  const { body: secret } = await upload(service, shop.admin, await makePicture('#010203'))
  const { body: design } = await shop.create({ templateId: template.id })
  const body = { document: documentOf([imageLayer(secret.id)]) }
  const patched = await service.request('PATCH', `/designs/${design.id}`, { token, body })
  assert.equal(patched.body.preflight.issues[0].code, 'asset_missing')
})

test('an archived template is neither shown nor used, and its designs keep images and locks', async (t) => {
  const shop = await openTemplateShop(t)
  const { service, admin, token } = shop
  const { template, design } = await shop.startFrom(photoAndText(shop.asset.id))
  for (const _ of [1, 2]) {
    const archived = await service.request('POST', `/templates/${template.id}/archive`, { token: admin })
    assert.deepEqual([archived.status, archived.body.status], [200, 'archived'])
  }
  for (const path of ['', '/preview']) {
    const read = await service.request('GET', `/templates/${template.id}${path}`)
    assert.deepEqual([read.status, read.body.code], [404, 'template_not_found'])
  }
  assert.deepEqual((await service.request('GET', '/templates')).body.data, [])
  const renamed = await service.request('PATCH', `/templates/${template.id}`, { token: admin, body: { name: 'New' } })
  assert.equal(renamed.status, 404)
  const refused = await shop.create({ templateId: template.id })
  assert.deepEqual(
    [refused.status, refused.body.code, refused.body.pointer],
    [422, 'template_not_found', '/templateId'],
  )
  const body = [{ op: 'remove', path: `${LAYERS}/0` }]
  const headers = { 'content-type': 'application/json-patch+json' }
  const bytes = new TextEncoder().encode(JSON.stringify(body))
  const broken = await service.request('PATCH', `/designs/${design.id}`, { token, body: bytes, headers })
  assert.deepEqual([broken.status, broken.body.code], [422, 'layer_locked'])
  const report = await service.request('POST', `/designs/${design.id}/preflight`, { token })
  assert.equal(report.body.ok, true)
})

test('a template fits its product, and replaces the document of a request', async (t) => {
  const shop = await openTemplateShop(t)
  const template = await shop.addTemplate([textLayer('Hi')])
  const both = await shop.create({ templateId: template.id, document: documentOf([]) })
  assert.deepEqual([both.status, both.body.code, both.body.pointer], [400, 'validation_failed', '/templateId'])
  const { body: other } = await shop.service.request('POST', '/products', { token: shop.admin, body: CARD })
  const body = { productId: other.id, variantId: other.variants[0].id, templateId: template.id }
  const { status, body: mismatch } = await shop.service.request('POST', '/designs', { token: shop.token, body })
  assert.deepEqual([status, mismatch.code, mismatch.pointer], [422, 'template_product_mismatch', '/templateId'])
  for (const templateId of ['tpl_01h455vb4pex5vsknk084sn02q', 'nonsense', shop.product.id]) {
    assert.equal((await shop.create({ templateId })).body.code, 'template_not_found', templateId)
  }
})

test('guests start from templates, and keep images and locks when they claim their designs', async (t) => {
  const shop = await openTemplateShop(t)
  const { service, product, variantId, token } = shop
  const template = await shop.addTemplate(photoAndText(shop.asset.id))
  const { body: guest } = await service.request('POST', '/api/auth/guest')
  const body = { productId: product.id, variantId, templateId: template.id }
  const { status, body: design } = await service.request('POST', '/designs', { token: guest.accessToken, body })
  assert.deepEqual([status, design.preflight.ok], [201, true])
  const claim = { guestToken: guest.refreshToken }
  assert.equal((await service.request('POST', '/api/auth/guest/claim', { token, body: claim })).status, 200)
  const claimed = await service.request('GET', `/designs/${design.id}`, { token })
  assert.deepEqual([claimed.body.templateId, claimed.body.document], [template.id, template.document])
  const change = { document: documentOf([]) }
  const refused = await service.request('PATCH', `/designs/${design.id}`, { token, body: change })
  assert.equal(refused.body.code, 'layer_locked')
  assert.equal((await service.request('POST', `/designs/${design.id}/preflight`, { token })).body.ok, true)
})

test('only a draft of the administrator becomes a template', async (t) => {
  const shop = await openTemplateShop(t)
  const { service, token, admin } = shop
  const { body: foreign } = await shop.create({ document: documentOf([textLayer('Private')]) })
  for (const designId of [foreign.id, 'dsn_none']) {
    const { status, body } = await shop.publish(designId)
    assert.deepEqual([status, body.code, body.pointer], [422, 'design_not_found', '/designId'])
  }
  const draft = await shop.draft([textLayer('Hi')])
  await service.request('POST', `/designs/${draft.id}/finalize`, { token: admin })
  const finalized = await shop.publish(draft.id)
  assert.deepEqual([finalized.status, finalized.body.designStatus], [409, 'finalized'])
  const template = await shop.addTemplate([textLayer('Hi')])
  const { accessToken: operator } = await service.signUp({ role: 'operator' })
  const attempts = [
    ['POST', '/templates', { designId: foreign.id, name: 'Mine' }],
    ['PATCH', `/templates/${template.id}`, { name: 'Mine' }],
    ['POST', `/templates/${template.id}/archive`, undefined],
  ] as const
  for (const [method, path, body] of attempts) {
    for (const [caller, status] of [
      [token, 403],
      [operator, 403],
      [undefined, 401],
    ] as const) {
      const answer = await service.request(method, path, { body, ...(caller === undefined ? {} : { token: caller }) })
      assert.equal(answer.status, status, `${method} ${path}`)
    }
  }
})

// Otherwise a key without these permissions could read drafts and images by publishing them.
test('an API key needs the permissions to read what it publishes', async (t) => {
  const shop = await openTemplateShop(t)
  const draft = await shop.draft([textLayer('Hi')])
  const publish = async (...permissions: string[]) => {
    const body = { name: 'Templates', permissions }
    const { body: created } = await shop.service.request('POST', '/api/api-keys', { token: shop.admin, body })
    const input = { designId: draft.id, name: 'By key' }
    return shop.service.request('POST', '/templates', { token: created.key, body: input })
  }
  assert.equal((await publish('products:write', 'assets:read')).body.permission, 'designs:read')
  assert.equal((await publish('products:write', 'designs:read')).body.permission, 'assets:read')
  assert.equal((await publish('products:write', 'designs:read', 'assets:read')).status, 201)
})

test('a draft with an uploaded font or a deleted image is no template', async (t) => {
  const shop = await openTemplateShop(t)
  const { service, admin } = shop
  const headers = { 'content-type': 'application/octet-stream' }
  const font = await service.request('POST', '/fonts', { token: admin, body: await makeFont(), headers })
  assert.ok(font.status === 201, font.text)
  const { body: photo } = await upload(service, admin, await makePicture('#55aa00'))
  const draft = await shop.draft([imageLayer(photo.id), textLayer('Hi', { fontFamily: font.body.family })])
  await service.request('DELETE', `/assets/${photo.id}`, { token: admin })
  const { status, body } = await shop.publish(draft.id)
  assert.deepEqual([status, body.code], [422, 'template_invalid'])
  const faults = body.errors.map(({ code, pointer }: { code: string; pointer: string }) => `${code} ${pointer}`)
  assert.deepEqual(faults, [`font_uploaded ${LAYERS}/1/fontFamily`, `asset_missing ${LAYERS}/0/assetId`])
  assert.deepEqual((await service.request('GET', '/templates')).body.data, [])
})

test('templates are listed newest first by product and category, without documents if asked', async (t) => {
  const shop = await openTemplateShop(t)
  const { service, admin, product } = shop
  const first = await shop.addTemplate([textLayer('1')], { categories: ['Seasons'] })
  const second = await shop.addTemplate([textLayer('2')])
  const ids = async (query: string) =>
    (await service.request('GET', `/templates${query}`)).body.data.map(({ id }: { id: string }) => id)
  assert.deepEqual(await ids(''), [second.id, first.id])
  assert.deepEqual(await ids(`?productId=${product.id}&category=Seasons`), [first.id])
  assert.deepEqual(await ids('?productId=prd_none'), [])
  const { body: page } = await service.request('GET', '/templates?limit=1')
  assert.deepEqual(await ids(`?limit=1&cursor=${page.nextCursor}`), [first.id])
  const { document: _, ...summary } = second
  const { body: summaries } = await service.request('GET', '/templates?view=summary')
  assert.deepEqual(summaries.data[0], summary)
  const changes = { name: 'Spring', categories: ['Seasons'] }
  const { body } = await service.request('PATCH', `/templates/${second.id}`, { token: admin, body: changes })
  assert.deepEqual(body, { ...second, ...changes, updatedAt: body.updatedAt })
  await service.request('POST', `/products/${product.id}/archive`, { token: admin })
  assert.deepEqual(await ids(''), [])
})

test('the preview of a template is public, and drawn like that of a design', async (t) => {
  const shop = await openTemplateShop(t)
  const template = await shop.addTemplate([imageLayer(shop.asset.id)])
  const get = (query = '', headers = {}) => fetch(`${shop.service.origin}${template.previewUrl}${query}`, { headers })
  const response = await get('?width=1280')
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('cache-control'), 'public, max-age=3600')
  assert.equal(response.headers.get('content-type'), 'image/webp')
  assert.equal(await pixelAt(await response.arrayBuffer(), [750, 450]), '4,2,1')
  const etag = response.headers.get('etag') ?? ''
  assert.equal((await get('?width=1280', { 'if-none-match': etag })).status, 304)
  assert.equal((await get('?printAreaId=back')).status, 200)
  assert.equal((await get('?printAreaId=none')).status, 404)
  assert.equal((await get('?width=1000')).status, 400)
})

test('administrators find archived templates and restore them, which the record states once', async (t) => {
  const shop = await openTemplateShop(t)
  const { service, admin, product } = shop
  const { id } = await shop.addTemplate([textLayer('Your name')], { categories: ['Seasons'] })
  const kept = await shop.addTemplate([textLayer('Another')])
  const ids = async (query: string, token?: string): Promise<string[]> => {
    const { status, body, text } = await service.request(
      'GET',
      `/templates?${query}`,
      token === undefined ? {} : { token },
    )
    assert.equal(status, 200, text)
    return body.data.map((one: { id: string }) => one.id)
  }
  const change = (act: string) => service.request('POST', `/templates/${id}/${act}`, { token: admin })
  await change('archive')
  // The archived template of an archived product is found too.
  await service.request('POST', `/products/${product.id}/archive`, { token: admin })
  assert.deepEqual(await ids('status=archived&category=Seasons', admin), [id])
  assert.deepEqual(await ids('status=archived&view=summary', admin), [id])
  await service.request('POST', `/products/${product.id}/restore`, { token: admin })
  assert.deepEqual(await ids(''), [kept.id])
  const operator = (await service.signUp({ role: 'operator' })).accessToken
  for (const [token, status] of [
    [undefined, 401],
    [shop.token, 403],
    [operator, 403],
  ] as const) {
    const options = token === undefined ? {} : { token }
    assert.equal((await service.request('GET', '/templates?status=archived', options)).status, status)
    assert.equal((await service.request('POST', `/templates/${id}/restore`, options)).status, status)
  }
  for (const attempt of [1, 2]) {
    const { status, body } = await change('restore')
    assert.deepEqual([status, body.status], [200, 'active'], `attempt ${attempt}`)
  }
  assert.deepEqual(await ids(''), [kept.id, id])
  assert.equal((await shop.create({ templateId: id })).status, 201)
  const { body: events } = await service.request('GET', '/security-events?type=shop_settings_changed', { token: admin })
  const changes = events.data.flatMap(({ details }: { details: { id: string; change: string } }) =>
    details.id === id ? [details.change] : [],
  )
  assert.deepEqual(changes, ['restored', 'archived', 'created'])
})
