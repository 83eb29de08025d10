import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { test } from 'node:test'
import sharp from 'sharp'
import { countFiles, makePng, upload } from '../../src/assets/factory.ts'
import { HELLO, startSignedIn } from '../../src/designs/factory.ts'
import { createRequestContext, runInRequest } from '../../src/platform/concurrency/request-context.ts'
import { makeFont, toWoff } from '../../src/rendering/user-fonts/factory.ts'
import { startService, type TestService } from '../harness.ts'
import { until } from '../lib/until.ts'

const MIB = 1024 * 1024

/** With this setting, a customer writes 2 MiB/s of files after the first 16 MiB. */
const env = { PLATEN_RATE_LIMITS: 'on', PLATEN_TRANSFER_MIB_PER_SECOND: '1' }

/** Records the bytes that callers wait to write. */
function recordPaced({ services: { storage } }: TestService): number[] {
  const { pace } = storage
  const charged: number[] = []
  storage.pace = (bytes, signal) => {
    charged.push(bytes)
    return pace(bytes, signal)
  }
  return charged
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)

// Bytes that are not stored are charged, too: a client could otherwise send the same file, or files that are refused.
test('the body of an upload is read as fast as its caller may write, also if it is not stored', async (t) => {
  const service = await startService(t, { env })
  const { accessToken: token } = await service.signUp()
  const charged = recordPaced(service)
  const notAnImage = Buffer.alloc(4 * MIB, 'x')
  const begin = performance.now()
  for (let i = 0; i < 5; i += 1) assert.equal((await upload(service, token, notAnImage)).status, 422)
  const tookMs = performance.now() - begin
  assert.equal(sum(charged), 20 * MIB)
  assert.ok(tookMs >= 1_800, `${tookMs} ms`)
})

test('an upload is refused while others of the caller take all that it may write', async (t) => {
  const service = await startService(t, { env })
  const { accessToken: token, userId: account } = await service.signUp()
  const png = await makePng()
  assert.equal((await upload(service, token, png)).status, 201)
  const share = await service.services.findShare(account)
  const context = { ...createRequestContext(), account, share, isCustomer: true }
  const others = runInRequest(context, () => service.services.storage.pace(20 * MIB))
  const refused = await upload(service, token, png)
  assert.deepEqual([refused.status, refused.body.code, refused.headers.get('retry-after')], [429, 'rate_limited', '2'])
  await others
  assert.equal((await upload(service, token, png)).status, 200)
})

// It would otherwise count as in flight, and keep its room on the disk, for as long as it had to wait.
test('an upload that has to wait ends as soon as its client leaves', async (t) => {
  const service = await startService(t, { env })
  const { accessToken: token, userId: account } = await service.signUp()
  const charged = recordPaced(service)
  const part = Buffer.alloc(MIB / 16)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'image/png', 'content-length': MIB }
  const sending = request(`${service.baseUrl}/assets`, { method: 'POST', headers })
  sending.on('error', () => undefined)
  sending.write(part)
  await until('the begin of the upload', () => sum(charged) === part.length)
  const share = await service.services.findShare(account)
  const context = { ...createRequestContext(), account, share, isCustomer: true }
  const others = runInRequest(context, () => service.services.storage.pace(20 * MIB))
  sending.write(part)
  await until('the wait of the upload', () => sum(charged) > 20 * MIB + part.length)
  const begin = performance.now()
  sending.destroy()
  await until('the end of the upload', async () => (await countFiles(service)).unfinished === 0)
  const tookMs = performance.now() - begin
  assert.ok(tookMs < 1_000, `${tookMs} ms`)
  await others
})

test('a font is charged with its unpacked bytes, and the files of a design when they are drawn', async (t) => {
  const { service, token, create } = await startSignedIn(t)
  const charged = recordPaced(service)
  const packed = toWoff(await makeFont())
  const headers = { 'content-type': 'font/woff' }
  const { status, body: font } = await service.request('POST', '/fonts', { token, body: packed, headers })
  assert.equal(status, 201)
  assert.ok(font.bytes > packed.length)
  assert.equal(sum(charged), font.bytes)
  const { body: draft } = await create({ document: HELLO })
  charged.length = 0
  const { finalization } = (await service.request('POST', `/designs/${draft.id}/finalize`, { token })).body
  assert.deepEqual(charged, [sum(finalization.files.map(({ bytes }: { bytes: number }) => bytes))])
})

test('a customer that has read more than its burst gets its downloads at its rate, unchanged', async (t) => {
  const service = await startService(t, { env })
  const { accessToken: token } = await service.signUp()
  const side = 1_200
  const noise = sharp(randomBytes(side * side * 3), { raw: { width: side, height: side, channels: 3 } })
  const photo = await noise.png({ compressionLevel: 0 }).toBuffer()
  const { body: asset } = await upload(service, token, photo)
  const begin = performance.now()
  for (let readBytes = 0; readBytes < 20 * MIB; readBytes += photo.length) {
    const { body } = await service.request('GET', `/assets/${asset.id}/content`, { token })
    assert.ok(photo.equals(body))
  }
  const tookMs = performance.now() - begin
  assert.ok(tookMs >= 1_800, `${tookMs} ms`)
})
