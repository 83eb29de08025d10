import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import sharp from 'sharp'
import { startService } from '../../../test/harness.ts'
import { createPlaten, PlatenConnectionError, type UploadProgress } from '../src/index.ts'
import { type Fault, type SeenRequest, startFaultProxy } from './fault-proxy.ts'

async function start(t: TestContext, decide?: (request: SeenRequest, count: number) => Fault) {
  const service = await startService(t)
  const { accessToken } = await service.signUp()
  const proxy = await startFaultProxy(t, service.origin, decide)
  return { proxy, platen: createPlaten({ url: proxy.url, auth: { token: accessToken } }) }
}

/** Makes a photo of about a megabyte, which no compression makes smaller. */
async function makePhoto(): Promise<Uint8Array<ArrayBuffer>> {
  const raw = { width: 600, height: 600, channels: 3 } as const
  return new Uint8Array(
    await sharp(randomBytes(600 * 600 * 3), { raw })
      .png()
      .toBuffer(),
  )
}

test('an upload reports its progress, and its size is known to the service', async (t) => {
  const { platen, proxy } = await start(t)
  const photo = await makePhoto()
  for (const file of [photo, photo.buffer, new Blob([photo], { type: 'image/png' })]) {
    const reports: UploadProgress[] = []
    const asset = await platen.assets.upload(file, { onProgress: (progress) => reports.push(progress) })
    assert.equal(asset.widthPx, 600)
    assert.ok(reports.length > 5, `${reports.length} reports`)
    assert.deepEqual(reports.at(-1), { loadedBytes: photo.length, totalBytes: photo.length })
    const loaded = reports.map(({ loadedBytes }) => loadedBytes)
    assert.deepEqual(
      loaded,
      loaded.toSorted((a, b) => a - b),
    )
    assert.equal(proxy.seen.at(-1)?.headers['content-length'], String(photo.length))
  }
  assert.equal(proxy.seen.at(-1)?.headers['content-type'], 'image/png')
  assert.equal(proxy.seen[0]?.headers['content-type'], 'application/octet-stream')
})

test('forms and streams report their progress without a total', async (t) => {
  const { platen, proxy } = await start(t)
  const photo = await makePhoto()
  const form = new FormData()
  form.append('file', new Blob([photo], { type: 'image/png' }), 'photo.png')
  for (const file of [form, new Blob([photo]).stream()]) {
    let last: UploadProgress | undefined
    const onProgress = (progress: UploadProgress) => {
      last = progress
    }
    assert.equal((await platen.assets.upload(file, { onProgress })).widthPx, 600)
    assert.equal(last?.totalBytes, undefined)
    assert.ok((last?.loadedBytes ?? 0) >= photo.length)
  }
  assert.match(String(proxy.seen[0]?.headers['content-type']), /^multipart\/form-data; boundary=/)
  assert.equal((await platen.assets.upload(form)).widthPx, 600)
})

test('an upload with a lost response is sent again as a whole, but a stream cannot be', async (t) => {
  const { platen, proxy } = await start(t, (_, count) => (count === 1 || count === 3 ? 'lose' : 'pass'))
  const photo = await makePhoto()
  const reports: number[] = []
  await platen.assets.upload(photo, { onProgress: ({ loadedBytes }) => reports.push(loadedBytes) })
  assert.equal(proxy.seen.length, 2)
  assert.equal(proxy.seen[0]?.headers['idempotency-key'], proxy.seen[1]?.headers['idempotency-key'])
  assert.equal(reports.filter((bytes) => bytes === photo.length).length, 2)
  const upload = platen.assets.upload(new Blob([photo]).stream())
  const error: unknown = await upload.catch((reason: unknown) => reason)
  assert.ok(error instanceof PlatenConnectionError && error.code === 'connection_failed')
  // The cause is the lost connection, and not a second use of the stream.
  assert.doesNotMatch(String(error.cause), /locked|disturbed|unusable/)
  assert.equal(proxy.seen.length, 3)
})

test('an upload can be aborted', async (t) => {
  const { platen } = await start(t)
  const control = new AbortController()
  const photo = await makePhoto()
  const upload = platen.assets.upload(photo, { signal: control.signal, onProgress: () => control.abort() })
  await assert.rejects(Promise.resolve(upload), { name: 'AbortError' })
  assert.equal((await platen.assets.list()).data.length, 0)
})
