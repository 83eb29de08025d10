import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { test } from 'node:test'
import { sql } from 'kysely'
import sharp from 'sharp'
import { startService, type TestResponse, type TestService } from '../../../test/harness.ts'
import { until } from '../../../test/lib/until.ts'
import { pngClaiming } from '../../rendering/images/factory.ts'
import { countFiles, formOf, makePng, upload } from '../factory.ts'
import { MAX_ASSET_BYTES } from './add-asset.ts'

async function startSignedIn(t: Parameters<typeof startService>[0]) {
  const service = await startService(t)
  const { accessToken: token, userId } = await service.signUp()
  return { service, token, userId }
}

async function assertNothingKept(service: TestService, token: string): Promise<void> {
  assert.deepEqual(await countFiles(service), { unfinished: 0, stored: 0 })
  assert.deepEqual((await service.request('GET', '/assets', { token })).body.data, [])
}

function assertRefused(answer: TestResponse, status: number, code: string, error?: string): void {
  assert.deepEqual([answer.status, answer.body.code], [status, code])
  if (error === undefined) return
  const found = answer.body.errors.map((one: { code: string; pointer: string }) => `${one.code} ${one.pointer}`)
  assert.deepEqual(found, [error])
}

/** Sends the given bytes as the body. The headers may contradict the bytes. */
function sendRaw(service: TestService, token: string, headers: Record<string, string | number>, body: Uint8Array[]) {
  const request = httpRequest(`${service.baseUrl}/assets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, ...headers },
  })
  for (const part of body) request.write(part)
  return request
}

test('accepts an image as a form or as the body and returns its properties', async (t) => {
  const { service, token } = await startSignedIn(t)
  const png = await makePng()
  const created = await upload(service, token, formOf(['file', png]))
  assert.equal(created.status, 201)
  assert.equal(created.headers.get('location'), `/v1/assets/${created.body.id}`)
  const { id, customerId, createdAt, ...rest } = created.body
  assert.match(customerId, /^cus_[0-9a-z]{26}$/)
  assert.match(id, /^ast_[0-9a-z]{26}$/)
  assert.ok(Math.abs(Date.parse(createdAt) - service.clock.now().getTime()) < 10_000)
  assert.deepEqual(rest, {
    mediaType: 'image/png',
    bytes: png.length,
    sha256: createHash('sha256').update(png).digest('hex'),
    widthPx: 24,
    heightPx: 16,
    hasAlpha: false,
    colorSpace: 'srgb',
  })
  const raw = await upload(service, token, await makePng('#ff0000'), { 'content-type': 'image/png' })
  assert.equal(raw.status, 201)
  assert.deepEqual(await countFiles(service), { unfinished: 0, stored: 2 })
})

test('states the upright size of a rotated photo', async (t) => {
  const { service, token } = await startSignedIn(t)
  const image = sharp({ create: { width: 60, height: 20, channels: 3, background: '#808080' } })
  const { body } = await upload(service, token, await image.withMetadata({ orientation: 6 }).jpeg().toBuffer())
  assert.deepEqual([body.widthPx, body.heightPx], [20, 60])
})

test('uses the content and not the declared type', async (t) => {
  const { service, token } = await startSignedIn(t)
  const answer = await upload(service, token, await makePng(), { 'content-type': 'image/jpeg' })
  assert.deepEqual([answer.status, answer.body.mediaType], [201, 'image/png'])
})

test('equal bytes that one account uploads are one asset, and those of two accounts are two assets', async (t) => {
  const { service, token } = await startSignedIn(t)
  const { accessToken: other } = await service.signUp()
  const png = await makePng()
  const first = await upload(service, token, png)
  const again = await upload(service, token, formOf(['file', png]))
  assert.deepEqual([again.status, again.body], [200, first.body])
  const theirs = await upload(service, other, png)
  assert.equal(theirs.status, 201)
  assert.notEqual(theirs.body.id, first.body.id)
  assert.deepEqual(await countFiles(service), { unfinished: 0, stored: 1 })
})

// Both uploads look for an existing asset before either of them inserts its row.
test('equal bytes that are uploaded twice at the same time are one asset', async (t) => {
  const { service, token } = await startSignedIn(t)
  const png = await makePng()
  let pending: Promise<TestResponse>[] = []
  await service.db.transaction().execute(async (trx) => {
    await sql`lock table assets in share mode`.execute(trx)
    pending = [upload(service, token, png), upload(service, token, png)]
    await service.untilBlocked(2)
  })
  const [one, two] = await Promise.all(pending)
  assert.deepEqual([one?.status, two?.status].sort(), [200, 201])
  assert.deepEqual(one?.body, two?.body)
})

for (const [what, makeBytes, code] of [
  ['text', async () => Buffer.from('not an image at all'), 'asset_type_unsupported'],
  ['SVG', async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'asset_type_unsupported'],
  ['a truncated image', async () => (await makePng()).subarray(0, 60), 'asset_unreadable'],
  ['20000 by 20000 pixels', async () => pngClaiming(20_000, 20_000), 'asset_too_large'],
  ['an empty file', async () => Buffer.alloc(0), 'asset_unreadable'],
] as const) {
  test(`rejects ${what}, as a form and as the body, and stores nothing`, async (t) => {
    const { service, token } = await startSignedIn(t)
    const bytes = await makeBytes()
    assertRefused(await upload(service, token, formOf(['file', bytes])), 422, code)
    assertRefused(await upload(service, token, bytes, { 'content-type': 'image/png' }), 422, code)
    await assertNothingKept(service, token)
  })
}

test('rejects forms without exactly one file with the right name', async (t) => {
  const { service, token } = await startSignedIn(t)
  const png = await makePng()
  const text = new FormData()
  text.append('file', 'a text')
  const cases: [FormData, string][] = [
    [new FormData(), 'required /file'],
    [formOf(['file', png], ['file', png]), 'duplicate /file'],
    [formOf(['picture', png]), 'unknown_field /picture'],
    [text, 'wrong_type /file'],
  ]
  for (const [form, error] of cases) {
    assertRefused(await upload(service, token, form), 400, 'validation_failed', error)
  }
  await assertNothingKept(service, token)
})

// Most clients read no response before they have sent the whole body, so the service must read the body to its end.
test('the rest of a large form that was rejected early is still read', async (t) => {
  const { service, token } = await startSignedIn(t)
  const head = Buffer.from('--xyz\r\ncontent-disposition: form-data; name="other"; filename="a.png"\r\n\r\n')
  const headers = { 'content-type': 'multipart/form-data; boundary=xyz' }
  const request = sendRaw(service, token, headers, [head, Buffer.alloc(32 * 1024 * 1024)])
  const answered = once(request, 'response')
  const sent = once(request, 'finish')
  request.end('\r\n--xyz--\r\n')
  const [response] = await answered
  response.resume()
  await sent
  assert.equal(response.statusCode, 400)
})

test('rejects malformed forms', async (t) => {
  const { service, token } = await startSignedIn(t)
  const type = 'multipart/form-data; boundary=xyz'
  const head = '--xyz\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\n\r\n'
  for (const body of ['', 'nonsense', head, `${head}half an im`, `${head}x\r\n--xy`]) {
    const answer = await upload(service, token, Buffer.from(body), { 'content-type': type })
    assert.equal(answer.status, 400, body)
  }
  const unbounded = await upload(service, token, await makePng(), { 'content-type': 'multipart/form-data' })
  assertRefused(unbounded, 400, 'upload_malformed')
  const endless = `multipart/form-data; boundary=${'x'.repeat(300)}`
  const overlong = await upload(service, token, await makePng(), { 'content-type': endless })
  assertRefused(overlong, 400, 'upload_malformed')
  assert.match(overlong.body.detail, /boundary .* 70 characters/)
  await assertNothingKept(service, token)
})

test('the content decides the type, not the declaration', async (t) => {
  const { service, token } = await startSignedIn(t)
  for (const type of ['application/json', 'text/html', 'application/pdf']) {
    const notes = Buffer.from('{"no": "image"}')
    assertRefused(await upload(service, token, notes, { 'content-type': type }), 422, 'asset_type_unsupported')
  }
  assertRefused(await service.request('POST', '/assets', { token }), 415, 'unsupported_media_type')
  await assertNothingKept(service, token)
  const { body } = await upload(service, token, await makePng(), { 'content-type': 'text/html' })
  assert.equal(body.mediaType, 'image/png')
})

test('rejects a file that is too large as soon as the limit is exceeded, and the service stays usable', async (t) => {
  const { service, token } = await startSignedIn(t)
  const bytes = Buffer.alloc(MAX_ASSET_BYTES + 1)
  assertRefused(await upload(service, token, bytes), 413, 'body_too_large')
  assertRefused(await upload(service, token, formOf(['file', bytes])), 413, 'body_too_large')
  const chunked = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024)) })
  const answer = await fetch(`${service.baseUrl}/assets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'image/png' },
    body: chunked.pipeThrough(limitedTo(70)),
    duplex: 'half',
  })
  assert.equal(answer.status, 413)
  await assertNothingKept(service, token)
})

/** Returns a transform that ends a stream after the given number of chunks. */
function limitedTo(chunks: number): TransformStream<Uint8Array, Uint8Array> {
  let left = chunks
  return new TransformStream({
    transform: (chunk, controller) => {
      controller.enqueue(chunk)
      left -= 1
      if (left === 0) controller.terminate()
    },
  })
}

for (const form of [true, false]) {
  test(`an interrupted upload leaves no files (${form ? 'form' : 'body'})`, async (t) => {
    const { service, token } = await startSignedIn(t)
    const head = '--xyz\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\n\r\n'
    const type = form ? 'multipart/form-data; boundary=xyz' : 'image/png'
    const parts = [...(form ? [Buffer.from(head)] : []), Buffer.alloc(200_000)]
    const request = sendRaw(service, token, { 'content-type': type, 'content-length': 1_000_000 }, parts)
    request.on('error', () => {})
    await until('the begin of the upload', async () => (await countFiles(service)).unfinished === 1)
    request.destroy()
    await until('the clean-up', async () => (await countFiles(service)).unfinished === 0)
    await assertNothingKept(service, token)
    assert.doesNotMatch(service.logLines(), /went wrong on our side|not available right now/)
  })
}

test('a repeated upload with the same Idempotency-Key gets the stored response, and other bytes are rejected', async (t) => {
  const { service, token } = await startSignedIn(t)
  const headers = { 'idempotency-key': 'photo-1' }
  const png = await makePng()
  const first = await upload(service, token, png, headers)
  const again = await upload(service, token, formOf(['file', png]), headers)
  assert.deepEqual([again.status, again.body], [201, first.body])
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  const other = await upload(service, token, await makePng('#00ff00'), headers)
  assertRefused(other, 422, 'idempotency_key_reused')
})
