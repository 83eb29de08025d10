import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type StartOptions, startService, type TestResponse, type TestService } from '../../test/harness.ts'
import { makePng, upload } from './factory.ts'

type Test = Parameters<typeof startService>[0]

async function startWithAsset(t: Test, options: StartOptions = {}) {
  const service = await startService(t, options)
  const { accessToken: token } = await service.signUp()
  const png = await makePng()
  const { body: asset } = await upload(service, token, png)
  const link = (body: object, path = `/assets/${asset.id}/links`, as = token) =>
    service.request('POST', path, { token: as, body })
  return { service, token, png, asset, link }
}

/** Follows a link without a credential. The service of a test listens on another origin than it is told. */
function follow(service: TestService, url: string, headers: Record<string, string> = {}): Promise<TestResponse> {
  const { pathname, search } = new URL(url)
  return service.request('GET', `${service.origin}${pathname}${search}`, { headers })
}

function isRefused({ status, body }: TestResponse): void {
  assert.deepEqual([status, body.code], [403, 'link_invalid'])
}

test('a link gives the file without a credential, also to pages of other sites', async (t) => {
  const { service, png, link } = await startWithAsset(t)
  const before = service.clock.now().getTime()
  const { status, body, headers } = await link({ file: 'content' })
  assert.deepEqual([status, headers.get('cache-control')], [201, 'no-store'])
  assert.ok(body.url.startsWith(`${service.config.origin}/v1/links/assets/`))
  const life = new Date(body.expiresAt).getTime() - before
  assert.ok(life >= 3_600_000 && life < 3_660_000)
  const file = await follow(service, body.url, { origin: 'https://anywhere.example', 'sec-fetch-dest': 'image' })
  assert.equal(file.status, 200)
  assert.ok(png.equals(file.body))
  assert.equal(file.headers.get('content-type'), 'image/png')
  assert.equal(file.headers.get('cross-origin-resource-policy'), 'cross-origin')
  const [, maxAge] = /^private, max-age=(\d+), immutable$/.exec(file.headers.get('cache-control') ?? '') ?? []
  assert.ok(Number(maxAge) > 3_500 && Number(maxAge) <= 3_600)
  const again = await follow(service, body.url, { 'if-none-match': file.headers.get('etag') ?? '' })
  assert.equal(again.status, 304)
})

test('a link is no credential for another URL, another file or another record', async (t) => {
  const { service, token, link } = await startWithAsset(t)
  const { body: other } = await upload(service, token, await makePng('#ff0000'))
  const { url } = (await link({ file: 'thumbnail' })).body
  const { searchParams, pathname, search } = new URL(url)
  const id = pathname.split('/')[4] ?? ''
  const signature = searchParams.get('signature') ?? ''
  const last = signature.endsWith('A') ? 'B' : 'A'
  const changed = [
    url.replace('thumbnail?', 'content?'),
    url.replace(id, other.id),
    url.replace(/expires=\d+/, `expires=${Number(searchParams.get('expires')) + 1}`),
    url.replace(signature, `${signature.slice(0, -1)}${last}`),
    url.replace(signature, signature.toLowerCase()),
    url.replace(`&signature=${signature}`, ''),
    url.replace('?', '?width=100&'),
    `${url}&width=100`,
    `${url}=`,
    url.replace(search, ''),
    url.replace(id, `%61${id.slice(1)}`),
  ]
  for (const one of changed) isRefused(await follow(service, one))
  assert.equal((await follow(service, url)).status, 200)
  const asToken = await service.request('GET', `/assets/${id}`, { token: signature })
  assert.equal(asToken.status, 401)
})

test('a link ends with its time, and no copy may be kept longer', async (t) => {
  const { service, link } = await startWithAsset(t)
  const { url } = (await link({ file: 'content', expiresInSeconds: 100 })).body
  service.clock.shift(99)
  const late = await follow(service, url)
  assert.deepEqual([late.status, late.headers.get('cache-control')], [200, 'private, max-age=0, immutable'])
  service.clock.shift(2)
  isRefused(await follow(service, url))
})

test('a link lasts at most a day', async (t) => {
  const { link } = await startWithAsset(t)
  for (const expiresInSeconds of [0, 86_401, 1.5, '60', null]) {
    const { status, body } = await link({ file: 'content', expiresInSeconds })
    assert.deepEqual([status, body.pointer], [400, '/expiresInSeconds'])
  }
  assert.equal((await link({ file: 'content', expiresInSeconds: 86_400 })).status, 201)
  assert.equal((await link({ file: 'original' })).status, 400)
  assert.equal((await link({})).status, 400)
})

test('a link ends when its asset or its account is deleted', async (t) => {
  const { service, token, link } = await startWithAsset(t)
  const [content, thumbnail] = [(await link({ file: 'content' })).body, (await link({ file: 'thumbnail' })).body]
  const { body: kept } = await upload(service, token, await makePng('#00ff00'))
  const ofKept = (await link({ file: 'content' }, `/assets/${kept.id}/links`)).body
  assert.equal((await follow(service, thumbnail.url)).status, 200)
  const id = new URL(content.url).pathname.split('/')[4]
  assert.equal((await service.request('DELETE', `/assets/${id}`, { token })).status, 204)
  for (const { url } of [content, thumbnail]) isRefused(await follow(service, url))
  // From the first transaction of the deletion on, before its assets are erased.
  await service.db.updateTable('users').set({ deleted_at: new Date() }).execute()
  isRefused(await follow(service, ofKept.url))
})

test('only the owner makes links, with the permission to read', async (t) => {
  const { service, token, asset, link } = await startWithAsset(t)
  const { accessToken: other } = await service.signUp()
  const foreign = await link({ file: 'content' }, undefined, other)
  assert.deepEqual([foreign.status, foreign.body.code], [404, 'asset_not_found'])
  const keyWith = async (permissions: string[]) =>
    (await service.request('POST', '/api/api-keys', { token, body: { name: 'k', permissions } })).body.key
  const refused = await link({ file: 'content' }, undefined, await keyWith(['assets:write']))
  assert.deepEqual([refused.status, refused.body.code], [403, 'insufficient_scope'])
  assert.equal((await link({ file: 'content' }, undefined, await keyWith(['assets:read']))).status, 201)
  const anonymous = await service.request('POST', `/assets/${asset.id}/links`, { body: { file: 'content' } })
  assert.equal(anonymous.status, 401)
})

test('the signature of a link stands in no log, problem or metric', async (t) => {
  const env = { PLATEN_LOG_LEVEL: 'trace' }
  const { service, link } = await startWithAsset(t, { env })
  const { url } = (await link({ file: 'content' })).body
  const signature = new URL(url).searchParams.get('signature') ?? ''
  await follow(service, url)
  const refused = await follow(service, `${url}&x=1`)
  isRefused(refused)
  const unknown = await service.request('POST', `${service.origin}${new URL(url).pathname}${new URL(url).search}`)
  assert.equal(unknown.status, 405)
  const { accessToken: operator } = await service.signUp({ role: 'operator' })
  const metrics = await service.request('GET', `${service.origin}/metrics`, { token: operator })
  assert.equal(metrics.status, 200)
  for (const text of [service.logLines(), refused.text, unknown.text, metrics.text])
    assert.ok(!text.includes(signature))
  assert.ok(service.logLines().includes('/v1/links/assets/:assetId/content'))
})

test('a page with many linked images uses up no other anonymous requests', async (t) => {
  const env = { PLATEN_RATE_LIMITS: 'on', PLATEN_RATE_LIMIT_ANONYMOUS: '5', PLATEN_RATE_LIMIT_LINKS: '60' }
  const { service, link } = await startWithAsset(t, { env })
  const { url } = (await link({ file: 'thumbnail' })).body
  const images = await Promise.all(Array.from({ length: 50 }, () => follow(service, url)))
  assert.ok(images.every(({ status }) => status === 200))
  assert.match(images[0]?.headers.get('ratelimit-policy') ?? '', /^"links";q=60/)
  assert.equal((await service.request('GET', '/products')).status, 200)
  const rest = await Promise.all(Array.from({ length: 11 }, () => follow(service, url)))
  assert.ok(rest.some(({ status }) => status === 429))
})
