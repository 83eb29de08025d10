import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService, type TestResponse } from '../../test/harness.ts'
import { newId } from '../../test/ids.ts'
import { deleteAsset } from './delete-asset.ts'
import { countFiles, makePng, upload } from './factory.ts'
import { assetUses, findAssetsForDesign } from './index.ts'

async function startWithAsset(t: Parameters<typeof startService>[0]) {
  const service = await startService(t)
  const { accessToken: token, userId } = await service.signUp()
  const png = await makePng()
  const { body: asset } = await upload(service, token, png)
  return { service, token, userId, png, asset }
}

test('the owner reads an asset, its bytes and the list', async (t) => {
  const { service, token, png, asset } = await startWithAsset(t)
  const { body: second } = await upload(service, token, await makePng('#ff0000'))
  assert.deepEqual((await service.request('GET', `/assets/${asset.id}`, { token })).body, asset)
  const content = await service.request('GET', `/assets/${asset.id}/content`, { token })
  assert.equal(content.status, 200)
  assert.ok(png.equals(content.body))
  const expected = {
    'content-type': 'image/png',
    'content-length': String(png.length),
    'content-disposition': `inline; filename="${asset.id}.png"`,
    'cache-control': 'private, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    etag: `"${asset.sha256}"`,
  }
  for (const [name, value] of Object.entries(expected)) assert.equal(content.headers.get(name), value, name)
  const first = await service.request('GET', '/assets?limit=1', { token })
  const next = await service.request('GET', `/assets?limit=1&cursor=${first.body.nextCursor}`, { token })
  const listed = [...first.body.data, ...next.body.data]
  assert.deepEqual(new Set(listed.map(({ id }: { id: string }) => id)), new Set([asset.id, second.id]))
  assert.equal(next.body.nextCursor, null)
})

test('bytes that the client already has are not sent again', async (t) => {
  const { service, token, asset } = await startWithAsset(t)
  const headers = { 'if-none-match': `"${asset.sha256}"` }
  const answer = await service.request('GET', `/assets/${asset.id}/content`, { token, headers })
  assert.deepEqual([answer.status, answer.body.length], [304, 0])
})

test('for an asset of another account, every request gets the response for an unknown asset', async (t) => {
  const { service, token, asset } = await startWithAsset(t)
  const attempts = [
    ['GET', ''],
    ['GET', '/content'],
    ['DELETE', ''],
  ] as const
  for (const role of ['customer', 'operator', 'admin'] as const) {
    const { accessToken: other } = await service.signUp({ role })
    assert.deepEqual((await service.request('GET', '/assets', { token: other })).body.data, [])
    for (const [method, path] of attempts) {
      const theirs = await service.request(method, `/assets/${asset.id}${path}`, { token: other })
      const unknown = await service.request(method, `/assets/${newId('asset')}${path}`, { token: other })
      assert.deepEqual([theirs.status, theirs.body.code], [404, 'asset_not_found'])
      assert.deepEqual(
        { ...theirs.body, requestId: '', instance: '' },
        { ...unknown.body, requestId: '', instance: '' },
      )
    }
  }
  assert.equal((await service.request('GET', `/assets/${asset.id}`, { token })).status, 200)
})

test('assets are not accessible without a sign-in', async (t) => {
  const { service, asset } = await startWithAsset(t)
  for (const path of ['', `/${asset.id}`, `/${asset.id}/content`]) {
    assert.equal((await service.request('GET', `/assets${path}`)).status, 401)
  }
  assert.equal((await service.request('DELETE', `/assets/${asset.id}`)).status, 401)
  const headers = { 'content-type': 'image/png' }
  assert.equal((await service.request('POST', '/assets', { body: await makePng('#ff0000'), headers })).status, 401)
  assert.deepEqual(await countFiles(service), { unfinished: 0, stored: 1 })
})

test('malformed ids get the same response as unknown ids', async (t) => {
  const { service, token } = await startWithAsset(t)
  for (const id of ['nonsense', 'prd_01h455vb4pex5vsknk084sn02q', 'a%00b', '%2e%2e%2fetc']) {
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/content'],
      ['DELETE', ''],
    ] as const) {
      const answer = await service.request(method, `/assets/${id}${path}`, { token })
      assert.deepEqual([answer.status, answer.body.code], [404, 'asset_not_found'], `${method} ${id}${path}`)
    }
  }
})

test('a deleted asset is gone for its owner, but not for another account with the same bytes', async (t) => {
  const { service, token, png, asset } = await startWithAsset(t)
  const { accessToken: other } = await service.signUp()
  const { body: theirs } = await upload(service, other, png)
  assert.equal((await service.request('DELETE', `/assets/${asset.id}`, { token })).status, 204)
  assert.equal((await service.request('GET', `/assets/${asset.id}/content`, { token })).status, 404)
  assert.equal((await service.request('DELETE', `/assets/${asset.id}`, { token })).status, 404)
  const content = await service.request('GET', `/assets/${theirs.id}/content`, { token: other })
  assert.ok(png.equals(content.body))
  assert.equal((await upload(service, token, png)).status, 201)
})

test('an asset cannot be deleted while a finalized design uses it', async (t) => {
  const { service, token, asset } = await startWithAsset(t)
  const [design, another] = [newId('design'), newId('design')]
  await service.db.transaction().execute(async (trx) => {
    for (const user of [design, another, design]) assert.deepEqual(await assetUses.mark(trx, user, [asset.id]), [])
  })
  for (const user of [design, another]) {
    const refused = await service.request('DELETE', `/assets/${asset.id}`, { token })
    assert.deepEqual([refused.status, refused.body.code], [409, 'asset_in_use'])
    await service.db.transaction().execute((trx) => assetUses.release(trx, user))
  }
  assert.equal((await service.request('DELETE', `/assets/${asset.id}`, { token })).status, 204)
})

// Without the lock on the row of the asset, the deletion would not see that the finalization is recording its use.
test('a deletion waits for a finalization in flight and is then rejected', async (t) => {
  const { service, token, asset } = await startWithAsset(t)
  let pending: Promise<TestResponse> | undefined
  await service.db.transaction().execute(async (trx) => {
    await assetUses.mark(trx, newId('design'), [asset.id])
    pending = service.request('DELETE', `/assets/${asset.id}`, { token })
    await service.untilBlocked()
  })
  const refused = await pending
  assert.deepEqual([refused?.status, refused?.body.code], [409, 'asset_in_use'])
})

test('a finalization waits for a deletion in flight and then reports the missing asset', async (t) => {
  const { service, token, userId, asset } = await startWithAsset(t)
  const { body: other } = await upload(service, token, await makePng('#ff0000'))
  const design = newId('design')
  let pending: Promise<string[]> | undefined
  await service.db.transaction().execute(async (trx) => {
    await deleteAsset(trx, { id: asset.id, ownerId: userId })
    pending = service.db.transaction().execute((marking) => assetUses.mark(marking, design, [asset.id, other.id]))
    await service.untilBlocked()
  })
  assert.deepEqual(await pending, [asset.id])
  const uses = await service.db.selectFrom('asset_uses').selectAll().execute()
  assert.deepEqual(uses, [{ asset_id: other.id, design_id: design }])
})

test('designs can use only assets of their owner', async (t) => {
  const { service, userId, asset } = await startWithAsset(t)
  const { accessToken: other } = await service.signUp()
  const { body: theirs } = await upload(service, other, await makePng('#ff0000'))
  const found = await findAssetsForDesign(service.db, userId, [asset.id, theirs.id, newId('asset'), 'nonsense', '\0'])
  assert.deepEqual(
    found.map(({ id, sha256, orientation }) => ({ id, sha256, orientation })),
    [{ id: asset.id, sha256: asset.sha256, orientation: 1 }],
  )
  assert.deepEqual(await findAssetsForDesign(service.db, userId, []), [])
})
