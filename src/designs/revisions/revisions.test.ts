import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makePng, upload } from '../../assets/factory.ts'
import { documentOf, HELLO, imageLayer, startSignedIn, textLayer } from '../factory.ts'

type Shop = Awaited<ReturnType<typeof startSignedIn>>

/** A draft that was saved several times, each time with another name. */
async function savedDraft(shop: Shop, names: readonly string[]) {
  const { service, token, create } = shop
  const { body: design } = await create({ name: names[0], document: HELLO, metadata: { saved: 0 } })
  const path = `/designs/${design.id}`
  for (const [index, name] of names.entries()) {
    if (index === 0) continue
    service.clock.shift(60)
    const body = { name, metadata: { saved: index }, document: documentOf([textLayer(name)]) }
    const answer = await service.request('PATCH', path, { token, body })
    assert.equal(answer.status, 200, answer.text)
  }
  const request = (method: string, rest = '', options: { headers?: Record<string, string>; token?: string } = {}) =>
    service.request(method, `${path}${rest}`, { token, ...options })
  return { design, path, request }
}

test('every save keeps the content before it, which can be listed and read', async (t) => {
  const shop = await startSignedIn(t)
  const { design, request } = await savedDraft(shop, ['one', 'two', 'three'])
  const { body: list } = await request('GET', '/revisions')
  const seen = list.data.map(({ revision, name }: { revision: number; name: string }) => [revision, name])
  assert.deepEqual(
    [seen, list.nextCursor],
    [
      [
        [3, 'three'],
        [2, 'two'],
        [1, 'one'],
      ],
      null,
    ],
  )
  assert.equal(list.data[2].createdAt, design.createdAt)
  const [newest, middle] = list.data.map(({ createdAt }: { createdAt: string }) => Date.parse(createdAt))
  assert.ok(newest - middle >= 60_000)

  const { body: first } = await request('GET', '/revisions/1')
  const { name, variantId, document, metadata, createdAt } = design
  assert.deepEqual(first, { revision: 1, name, variantId, document, metadata, createdAt })
  const { body: now } = await request('GET')
  const { body: present } = await request('GET', '/revisions/3')
  assert.deepEqual([present.document, present.metadata, present.createdAt], [now.document, now.metadata, now.updatedAt])

  const page = await request('GET', '/revisions?limit=2')
  const next = await request('GET', `/revisions?limit=2&cursor=${page.body.nextCursor}`)
  assert.deepEqual([...page.body.data, ...next.body.data], list.data)
})

test('a restored revision becomes a new revision, and nothing between is lost', async (t) => {
  const shop = await startSignedIn(t)
  const { design, request } = await savedDraft(shop, ['one', 'two'])
  assert.equal((await request('POST', '/revisions/1/restore', { headers: { 'if-match': '"1"' } })).status, 412)
  const { status, body, headers } = await request('POST', '/revisions/1/restore', { headers: { 'if-match': '"2"' } })
  assert.deepEqual([status, body.revision, headers.get('etag')], [200, 3, '"3"'])
  const { name, document, metadata, preflight } = design
  assert.deepEqual(
    { name: body.name, document: body.document, metadata: body.metadata, preflight: body.preflight },
    { name, document, metadata, preflight },
  )
  const { body: list } = await request('GET', '/revisions')
  assert.deepEqual(
    list.data.map(({ name }: { name: string }) => name),
    ['one', 'two', 'one'],
  )
})

test('only the owner sees revisions, and only a draft is restored', async (t) => {
  const shop = await startSignedIn(t)
  const { service } = shop
  const { request } = await savedDraft(shop, ['one', 'two'])
  const operator = (await service.signUp({ role: 'operator' })).accessToken
  for (const [method, path] of [
    ['GET', '/revisions'],
    ['GET', '/revisions/1'],
    ['POST', '/revisions/1/restore'],
  ] as const) {
    const { status, body } = await request(method, path, { token: operator })
    assert.deepEqual([status, body.code], [404, 'design_not_found'], `${method} ${path}`)
  }
  for (const revision of ['0', '3', '01', '1e0', 'x', '-1', '99999999999999999999']) {
    for (const [method, rest] of [
      ['GET', ''],
      ['POST', '/restore'],
    ] as const) {
      const { status, body } = await request(method, `/revisions/${revision}${rest}`)
      assert.deepEqual([status, body.code], [404, 'revision_not_found'], `${method} ${revision}${rest}`)
    }
  }
  await request('DELETE')
  const refused = await request('POST', '/revisions/1/restore')
  assert.deepEqual([refused.status, refused.body.code], [409, 'design_not_draft'])
  assert.equal((await request('GET', '/revisions/1')).body.name, 'one')
})

test('the last 100 revisions are kept, the present one included', async (t) => {
  const shop = await startSignedIn(t)
  const { service, token } = shop
  const { design, path, request } = await savedDraft(shop, ['one', 'two'])
  await service.db.updateTable('designs').set({ revision: 99 }).where('id', '=', design.id).execute()
  const save = () => service.request('PATCH', path, { token, body: { metadata: {} } })
  const revisions = async () =>
    (await request('GET', '/revisions?limit=100')).body.data.map(({ revision }: { revision: number }) => revision)
  await save()
  assert.deepEqual(await revisions(), [100, 99, 1])
  await save()
  assert.deepEqual(await revisions(), [101, 100, 99])
  assert.equal((await request('GET', '/revisions/1')).status, 404)
})

test('an image of earlier revisions alone can be deleted, and a restored revision reports it', async (t) => {
  const { service, token, create } = await startSignedIn(t)
  const { body: asset } = await upload(service, token, await makePng())
  const { body: design } = await create({ document: documentOf([imageLayer(asset.id)]) })
  const path = `/designs/${design.id}`
  await service.request('PATCH', path, { token, body: { document: HELLO } })
  assert.equal((await service.request('DELETE', `/assets/${asset.id}`, { token })).status, 204)
  const { status, body } = await service.request('POST', `${path}/revisions/1/restore`, { token })
  assert.equal(status, 200)
  assert.deepEqual(
    body.preflight.issues.map(({ code }: { code: string }) => code),
    ['asset_missing'],
  )
})

test('revisions count towards the storage quota as its reconciliation counts them', async (t) => {
  const shop = await startSignedIn(t)
  const { service, token } = shop
  const used = async () => (await service.request('GET', '/me/storage', { token })).body.used
  await savedDraft(shop, ['one', 'two', 'three'])
  const charged = await used()
  const { body: design } = (await service.request('GET', '/designs', { token })).body.data.map((body: unknown) => ({
    body,
  }))[0]
  const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
  assert.ok(charged > bytes(design.document) + bytes(design.metadata) + bytes(design.preflight) + 2 * 512)
  await service.db.updateTable('storage_usage').set({ reconciled_at: null, bytes: 0 }).execute()
  assert.equal(await used(), charged)
})

test('where the quota has no room for revisions, the oldest are dropped and the draft is saved', async (t) => {
  const shop = await startSignedIn(t, { env: { PLATEN_STORAGE_QUOTA_MIB: '1' } })
  const { service, token } = shop
  const { path, request } = await savedDraft(shop, ['one'])
  const box = { x: 10, y: 10, width: 20, height: 20 }
  const drawn = { type: 'shape', shape: 'path', path: `M0 0${'L20 20L0 1'.repeat(400)}Z`, fill: '#000000' } as const
  const document = documentOf(Array.from({ length: 40 }, (_, n) => ({ ...box, ...drawn, id: `path-${n}` })))
  for (let saved = 0; saved < 8; saved += 1) {
    const answer = await service.request('PATCH', path, { token, body: { document, metadata: { saved } } })
    assert.equal(answer.status, 200, answer.text)
  }
  const { body: list } = await request('GET', '/revisions')
  const revisions = list.data.map(({ revision }: { revision: number }) => revision)
  assert.ok(revisions.length >= 2 && revisions.length < 9, String(revisions))
  assert.deepEqual(
    revisions,
    Array.from(revisions, (_, index) => 9 - index),
  )
  const { used, quota } = (await service.request('GET', '/me/storage', { token })).body
  assert.ok(used <= quota)
})

test('revisions are exported and erased with the account', async (t) => {
  const shop = await startSignedIn(t)
  const { service, token } = shop
  const { design } = await savedDraft(shop, ['Quillfeather', 'two', 'three'])
  const { body } = await service.request('GET', '/me/export', { token })
  assert.deepEqual(
    body.designRevisions.map(({ designId, revision, name }: Record<string, unknown>) => [designId, revision, name]),
    [
      [design.id, 1, 'Quillfeather'],
      [design.id, 2, 'two'],
    ],
  )
  assert.deepEqual(body.designRevisions[0].document, design.document)
  assert.equal((await service.request('DELETE', '/me', { token })).status, 204)
  assert.deepEqual(await service.db.selectFrom('design_revisions').select('revision').execute(), [])
})
