import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { inflateSync } from 'node:zlib'
import { PDFArray, PDFDict, PDFDocument, PDFName, PDFRawStream } from '@cantoo/pdf-lib'
import sharp from 'sharp'
import { startService, type TestResponse, type TestService } from '../../test/harness.ts'
import { planPersonalized } from '../designs/index.ts'
import { SRGB_OUTPUT_PROFILE, SRGB_PROFILE } from '../rendering/color/srgb.ts'

/** Returns a CMYK profile that is part of sharp. */
async function cmykProfile(): Promise<Buffer> {
  const picture = sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } }).withIccProfile('cmyk')
  const { icc } = await sharp(await picture.tiff().toBuffer()).metadata()
  assert.ok(icc)
  return icc
}

async function start(t: TestContext) {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp({ role: 'admin' })
  return { service, token, add: (bytes: Uint8Array) => addProfile(service, token, bytes) }
}

function addProfile(service: TestService, token: string, body: Uint8Array) {
  const headers = { 'content-type': 'application/vnd.iccprofile' }
  return service.request('POST', '/color-profiles', { token, body, headers })
}

const CARD = {
  name: 'Card',
  currency: 'EUR',
  printAreas: [
    {
      id: 'front',
      name: 'Front',
      widthMm: 85,
      heightMm: 55,
      bleedMm: 3,
      safeMarginMm: 4,
      targetDpi: 300,
      required: true,
    },
  ],
  variants: [
    { sku: 'card', options: {}, weightGrams: 5, priceTiers: [{ minQuantity: 1, unitAmount: 100 }], available: true },
  ],
}

test('profiles are added once, read and deleted', async (t) => {
  const { service, token, add } = await start(t)
  const bytes = await cmykProfile()
  const created = await add(bytes)
  assert.equal(created.status, 201, created.text)
  assert.equal(created.headers.get('location'), `/v1/color-profiles/${created.body.id}`)
  const { id, createdAt: _, ...rest } = created.body
  assert.match(id, /^icc_[0-9a-z]{26}$/)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  assert.deepEqual(rest, { description: 'Chemical proof', colorSpace: 'cmyk', bytes: bytes.length, sha256 })
  const again = await add(bytes)
  assert.deepEqual([again.status, again.body], [200, created.body])
  const rgb = await add(SRGB_OUTPUT_PROFILE)
  assert.deepEqual([rgb.status, rgb.body.colorSpace], [201, 'rgb'])

  const { accessToken: operator } = await service.signUp({ role: 'operator' })
  const list = await service.request('GET', '/color-profiles', { token: operator })
  assert.deepEqual(list.body, { data: [rgb.body, created.body], nextCursor: null })
  assert.deepEqual((await service.request('GET', `/color-profiles/${id}`, { token: operator })).body, created.body)
  assert.equal((await service.request('DELETE', `/color-profiles/${id}`, { token })).status, 204)
  for (const method of ['GET', 'DELETE']) {
    const gone = await service.request(method, `/color-profiles/${id}`, { token })
    assert.deepEqual([gone.status, gone.body.code], [404, 'color_profile_not_found'])
  }
  assert.equal((await service.request('GET', '/color-profiles/nonsense', { token })).status, 404)
})

test('LG-1: the security events record the upload and the deletion of a profile', async (t) => {
  const { service, token, add } = await start(t)
  const { id } = (await add(SRGB_OUTPUT_PROFILE)).body
  assert.equal((await add(SRGB_OUTPUT_PROFILE)).status, 200)
  const named = await service.request('POST', '/products', { token, body: { ...CARD, outputProfileId: id } })
  assert.equal(named.status, 201)
  const path = `/color-profiles/${id}`
  assert.equal((await service.request('DELETE', path, { token })).body.code, 'color_profile_in_use')
  const body = { outputProfileId: null }
  assert.equal((await service.request('PATCH', `/products/${named.body.id}`, { token, body })).status, 200)
  for (const status of [204, 404]) assert.equal((await service.request('DELETE', path, { token })).status, status)
  const events = await service.request('GET', '/security-events?type=shop_settings_changed', { token })
  const details: { setting: string }[] = events.body.data.map((event: { details: object }) => event.details).reverse()
  assert.deepEqual(
    details.filter(({ setting }) => setting === 'color_profile'),
    ['created', 'deleted'].map((change) => ({ setting: 'color_profile', id, change })),
  )
})

test('only administrators change profiles, only operators see them, and unusable profiles are rejected', async (t) => {
  const { service, add } = await start(t)
  const { body: profile } = await add(SRGB_OUTPUT_PROFILE)
  const { accessToken: operator } = await service.signUp({ role: 'operator' })
  const { accessToken: customer } = await service.signUp()
  assert.equal((await addProfile(service, operator, SRGB_OUTPUT_PROFILE)).status, 403)
  assert.equal((await service.request('DELETE', `/color-profiles/${profile.id}`, { token: operator })).status, 403)
  assert.equal((await service.request('GET', '/color-profiles', { token: customer })).status, 403)
  assert.equal((await service.request('GET', '/color-profiles')).status, 401)
  await refuseUseless(add)
})

async function refuseUseless(add: (bytes: Uint8Array) => Promise<TestResponse>): Promise<void> {
  const cmyk = await cmykProfile()
  const withoutTables = Buffer.from(cmyk)
  withoutTables.write('XXXX', withoutTables.indexOf('B2A0'), 'latin1')
  const damaged = (tag: string) => {
    const bytes = Buffer.from(cmyk)
    const start = bytes.readUInt32BE(bytes.indexOf(tag) + 4)
    return bytes.fill(0xee, start, start + 60)
  }
  const huge = Buffer.from(SRGB_OUTPUT_PROFILE)
  huge.writeUInt32BE(0x7fffffff, huge.indexOf('B2A0') + 8)
  for (const [bytes, status, code] of [
    [SRGB_PROFILE, 422, 'color_profile_unsupported'],
    [withoutTables, 422, 'color_profile_unsupported'],
    [cmyk.subarray(0, -1), 422, 'color_profile_unreadable'],
    [Buffer.from('%PDF-1.4'), 422, 'color_profile_unreadable'],
    [huge, 422, 'color_profile_unreadable'],
    [damaged('A2B0'), 422, 'color_profile_unreadable'],
    [damaged('B2A0'), 422, 'color_profile_unreadable'],
    [Buffer.alloc(4 * 1024 * 1024 + 1), 413, 'body_too_large'],
  ] as const) {
    const refused = await add(bytes)
    assert.deepEqual([refused.status, refused.body.code], [status, code], refused.text)
  }
}

test('a product names an existing profile, which cannot be deleted until the product removes it', async (t) => {
  const { service, token, add } = await start(t)
  const { body: profile } = await add(SRGB_OUTPUT_PROFILE)
  const remove = () => service.request('DELETE', `/color-profiles/${profile.id}`, { token })
  const unknown = { ...CARD, outputProfileId: 'icc_01h455vb4pex5vsknk084sn02q' }
  const refused = await service.request('POST', '/products', { token, body: unknown })
  assert.deepEqual(
    [refused.status, refused.body.errors[0].code, refused.body.errors[0].pointer],
    [422, 'color_profile_unknown', '/outputProfileId'],
  )
  const body = { ...CARD, outputProfileId: profile.id }
  const { body: product } = await service.request('POST', '/products', { token, body })
  assert.equal(product.outputProfileId, profile.id)
  const inUse = await remove()
  assert.deepEqual([inUse.status, inUse.body.code], [409, 'color_profile_in_use'])
  const patch = (changes: object) => service.request('PATCH', `/products/${product.id}`, { token, body: changes })
  assert.equal((await patch({ outputProfileId: 'icc_nonsense' })).status, 422)
  assert.equal((await patch({ name: 'Other' })).body.outputProfileId, profile.id)
  assert.equal('outputProfileId' in (await patch({ outputProfileId: null })).body, false)
  assert.equal((await remove()).status, 204)
  assert.equal((await patch({ outputProfileId: profile.id })).status, 422)
})

test('a deletion and a change that assigns the profile to a product wait for each other, and the first one succeeds', async (t) => {
  const { service, token, add } = await start(t)
  const { body: profile } = await add(SRGB_OUTPUT_PROFILE)
  const { body: product } = await service.request('POST', '/products', { token, body: CARD })
  const removing = await service.db.transaction().execute(async (trx) => {
    await trx.updateTable('products').set({ output_profile_id: profile.id }).where('id', '=', product.id).execute()
    const answer = service.request('DELETE', `/color-profiles/${profile.id}`, { token })
    await service.untilBlocked()
    return { answer }
  })
  const { status, body } = await removing.answer
  assert.deepEqual([status, body.code], [409, 'color_profile_in_use'])

  // In this part, the creation of a product waits for the deletion.
  await service.request('PATCH', `/products/${product.id}`, { token, body: { outputProfileId: null } })
  const adding = await service.db.transaction().execute(async (trx) => {
    await trx.deleteFrom('color_profiles').where('id', '=', profile.id).execute()
    const body = { ...CARD, outputProfileId: profile.id }
    const answer = service.request('POST', '/products', { token, body })
    await service.untilBlocked()
    return { answer }
  })
  const refused = await adding.answer
  assert.deepEqual([refused.status, refused.body.errors?.[0].code], [422, 'color_profile_unknown'])
})

test('print files name the profile of the product, even after the product removes it', async (t) => {
  const { service, token, add } = await start(t)
  const bytes = await cmykProfile()
  const { body: profile } = await add(bytes)
  const body = { ...CARD, outputProfileId: profile.id }
  const { body: product } = await service.request('POST', '/products', { token, body })
  const plain = await finalize(service, token, product)
  assert.ok((await outputProfileOf(service, token, plain)).equals(bytes))

  await service.request('PATCH', `/products/${product.id}`, { token, body: { outputProfileId: null } })
  assert.equal((await service.request('DELETE', `/color-profiles/${profile.id}`, { token })).status, 204)
  const other = await finalize(service, token, product)
  assert.notEqual(other.finalization.contentHash, plain.finalization.contentHash)
  assert.ok((await outputProfileOf(service, token, other)).equals(SRGB_OUTPUT_PROFILE))
  const { rows } = await service.db
    .getExecutor()
    .executeQuery(service.db.selectFrom('finalizations').select('output_profile_sha256').orderBy('id').compile())
  assert.deepEqual(rows, [{ output_profile_sha256: profile.sha256 }, { output_profile_sha256: null }])

  // Order items with personal texts are rendered later, with the profile of the finalization.
  const { designs, renderer, storage } = service.services
  const finalizationId = plain.finalization.id
  const template = { finalizationId, values: {}, sources: { images: {} } }
  const again = await planPersonalized(
    service.db,
    { ...designs, renderer, checker: service.services.checker },
    template,
  )
  const print = (await again.draw()).find(({ kind }) => kind === 'print')
  const file = await readFile(await storage.localPath(print?.sha256 ?? ''))
  assert.ok((await outputProfileIn(file)).equals(bytes))
})

async function finalize(service: TestService, token: string, product: { id: string; variants: { id: string }[] }) {
  const layer = { id: 'a', type: 'shape', shape: 'rect', x: 10, y: 10, width: 20, height: 20, fill: '#336699' }
  const document = { version: 1, placements: [{ printAreaId: 'front', layers: [layer] }] }
  const body = { name: 'Card', productId: product.id, variantId: product.variants[0]?.id, document }
  const { body: design } = await service.request('POST', '/designs', { token, body })
  const answer = await service.request('POST', `/designs/${design.id}/finalize`, { token })
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

async function outputProfileOf(service: TestService, token: string, design: { id: string }): Promise<Buffer> {
  const { body } = await service.request('GET', `/designs/${design.id}/files/print`, { token })
  return outputProfileIn(body)
}

async function outputProfileIn(pdf: Buffer): Promise<Buffer> {
  const { catalog } = await PDFDocument.load(pdf, { updateMetadata: false })
  const intent = catalog.lookup(PDFName.of('OutputIntents'), PDFArray).lookup(0, PDFDict)
  const stream = intent.lookup(PDFName.of('DestOutputProfile'))
  assert.ok(stream instanceof PDFRawStream)
  return inflateSync(stream.contents)
}
