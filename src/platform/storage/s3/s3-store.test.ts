import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { startS3 } from '../../../../test/fakes/s3.ts'
import { createRequestContext, runInRequest } from '../../concurrency/request-context.ts'
import { settingsOf, sha256Of, startS3Store, temporaryDir, writeTo } from '../factory.ts'
import { openS3Store } from './s3-store.ts'

/** Opens a store whose bucket contains a file that is not in the cache. */
async function startWithObject(t: TestContext, content: string | Buffer = 'artwork') {
  const patience = { connectMs: 500, idleMs: 300, responseMs: 2_000 }
  const { s3, store, root } = await startS3Store(t, { patience })
  const sha256 = sha256Of(content)
  s3.objects.set(keyOf(sha256), Buffer.from(content))
  return { s3, store, sha256, root }
}

const keyOf = (sha256: string): string => `shop/blobs/${sha256.slice(0, 2)}/${sha256}`

test('an upload states and signs the hash of the bytes, and succeeds only if the key does not exist', async (t) => {
  const { s3, store } = await startS3Store(t)
  const file = await writeTo(store, 'artwork')
  await store.put(file)
  const [request, ...others] = s3.requests
  assert.equal(others.length, 0)
  assert.deepEqual([request?.method, request?.key, request?.status], ['PUT', keyOf(file.sha256), 200])
  const headers = request?.headers ?? {}
  assert.equal(headers['if-none-match'], '*')
  assert.equal(headers['content-length'], '7')
  assert.equal(headers['x-amz-content-sha256'], file.sha256)
  assert.equal(headers['x-amz-checksum-sha256'], Buffer.from(file.sha256, 'hex').toString('base64'))
  assert.match(String(headers.authorization), /SignedHeaders=[^,]*content-length[^,]*x-amz-content-sha256/)
})

test('does not send a large file whose key already exists', async (t) => {
  const { s3, store } = await startS3Store(t)
  const content = randomBytes(5 * 1024 * 1024)
  for (const status of [200, 412]) {
    s3.requests.length = 0
    await store.put(await writeTo(store, content))
    assert.deepEqual(
      s3.requests.map(({ status, bytes }) => [status, bytes]),
      [[status, status === 200 ? content.length : 0]],
    )
  }
})

test('the service rejects bytes that changed in transit', async (t) => {
  const { s3, store } = await startS3Store(t)
  const { path } = await writeTo(store, 'artworc')
  const put = store.put({ path, sha256: sha256Of('artwork'), bytes: 7 })
  await assert.rejects(put, /XAmzContentSHA256Mismatch/)
  assert.equal(s3.objects.has(keyOf(sha256Of('artwork'))), false)
})

for (const [what, behaviour] of [
  ['fails', { status: 500, code: 'InternalError' }],
  ['is too busy', { status: 503, code: 'SlowDown' }],
  ['ends the connection', 'disconnect'],
  ['does it, and loses the answer', 'lose'],
  ['says nothing', 'hang'],
] as const) {
  test(`a request to a service that ${what} once is retried`, async (t) => {
    const { s3, store, sha256 } = await startWithObject(t)
    s3.next('PUT', behaviour)
    const file = await writeTo(store)
    await store.put(file)
    assert.equal(s3.objects.get(keyOf(file.sha256))?.length, 100)
    if (behaviour === 'lose') return
    s3.next('GET', behaviour)
    assert.equal(await readFile(await store.localPath(sha256), 'utf8'), 'artwork')
  })
}

test('a failing request is sent three times, and a rejected one once', async (t) => {
  const { s3, store, sha256 } = await startWithObject(t)
  s3.always({ status: 503, code: 'SlowDown' })
  await assert.rejects(store.localPath(sha256), { name: 'S3Error', code: 'SlowDown', status: 503 })
  assert.equal(s3.requests.length, 3)
  s3.always({ status: 403, code: 'AccessDenied' })
  await assert.rejects(store.localPath(sha256), { code: 'AccessDenied' })
  assert.equal(s3.requests.length, 4)
  s3.always('hang')
  await assert.rejects(store.check(), { code: 'TimeoutError' })
  s3.always(undefined)
  await store.check()
})

test('bytes that were interrupted or changed in transit are fetched again, and wrong bytes are never returned', async (t) => {
  const content = randomBytes(300_000)
  const { s3, store, sha256, root } = await startWithObject(t, content)
  for (const behaviour of ['cut', 'corrupt'] as const) {
    s3.next('GET', behaviour, behaviour)
    await assert.rejects(store.localPath(sha256), behaviour)
    assert.deepEqual(await readdir(join(root, 'tmp')), [])
    s3.next('GET', behaviour)
    assert.equal(sha256Of(await readFile(await store.localPath(sha256))), sha256)
    s3.requests.length = 0
    await store.localPath(sha256)
    assert.equal(s3.requests.length, 0)
    // Removes the copy, so that the next round fetches the file again, as on another computer.
    await rm(join(root, 'blobs', sha256.slice(0, 2)), { recursive: true })
  }
})

test('a deletion request is not sent after its time limit, and the bytes count as stored', async (t) => {
  const { s3, store, sha256 } = await startWithObject(t)
  const late = store.remove(sha256, { untilMs: Date.now() - 1, isAnnounced: async () => true })
  await assert.rejects(late, { name: 'Error', message: /not removed in time/ })
  assert.deepEqual(s3.requests, [])
})

test('a signed URL gives everyone only these bytes, with the stated media type', async (t) => {
  const { store, sha256 } = await startWithObject(t)
  const shown = { mediaType: 'application/pdf', disposition: 'attachment; filename="card front.pdf"' }
  const address = await store.signedUrl(sha256, { method: 'GET', ...shown })
  assert.ok(address !== undefined)
  const answer = await fetch(address)
  assert.equal(await answer.text(), 'artwork')
  assert.equal(answer.headers.get('content-type'), shown.mediaType)
  assert.equal(answer.headers.get('content-disposition'), shown.disposition)
  assert.equal(new URL(address).searchParams.get('X-Amz-Expires'), '300')
  assert.doesNotMatch(address, /wJalrXUtnFEMI/)

  const refused = async (change: (url: URL) => void, init: RequestInit = {}): Promise<number> => {
    const url = new URL(address)
    change(url)
    return (await fetch(url, init)).status
  }
  assert.equal(await refused((url) => url.searchParams.set('response-content-type', 'text/html')), 403)
  assert.equal(await refused((url) => url.searchParams.set('X-Amz-Expires', '600')), 403)
  assert.equal(
    await refused((url) => {
      url.pathname = url.pathname.replace(sha256, sha256Of('other'))
    }),
    403,
  )
  assert.equal(await refused(() => undefined, { method: 'DELETE' }), 403)
  const head = await store.signedUrl(sha256, { method: 'HEAD', ...shown })
  assert.equal((await fetch(head ?? '', { method: 'HEAD' })).headers.get('content-length'), '7')
})

test('if clients cannot reach the service, there is no signed URL, and the storage sends the bytes', async (t) => {
  const s3 = await startS3(t)
  const store = await openS3Store(settingsOf(s3, { parameters: '&redirect=off' }), await temporaryDir(t))
  t.after(() => store.close())
  const file = await writeTo(store)
  await store.put(file)
  const shown = { mediaType: 'image/png', disposition: 'inline' }
  assert.equal(await store.signedUrl(file.sha256, { method: 'GET', ...shown }), undefined)
})

test('a client may take longer to read a file than the storage may take to respond', async (t) => {
  const s3 = await startS3(t)
  const patience = { connectMs: 3_000, idleMs: 60_000, responseMs: 2_000 }
  const store = await openS3Store(settingsOf(s3, { parameters: '&redirect=off' }), await temporaryDir(t), patience)
  t.after(() => store.close())
  const content = randomBytes(32 * 1024 * 1024)
  const file = await writeTo(store, content)
  await store.put(file)
  const { stream } = await store.open(file.sha256)
  await pause(3_000)
  assert.equal(sha256Of(await buffer(stream)), file.sha256)
})

test('downloads that an account does not read delay neither its other requests nor other accounts', async (t) => {
  const s3 = await startS3(t)
  const patience = { connectMs: 3_000, idleMs: 60_000, responseMs: 2_000 }
  const store = await openS3Store(settingsOf(s3, { parameters: '&redirect=off' }), await temporaryDir(t), patience)
  t.after(() => store.close())
  const file = await writeTo(store, randomBytes(16 * 1024 * 1024))
  await store.put(file)
  const openAs = (account: string) =>
    runInRequest({ ...createRequestContext(), account, isCustomer: true }, () => store.open(file.sha256))
  const unread = []
  for (const account of ['usr_1', 'usr_2', 'usr_3', 'usr_4']) {
    for (let n = 0; n < 16; n += 1) unread.push((await openAs(account)).stream)
    await assert.rejects(openAs(account), { code: 'storage_unavailable' })
  }
  await store.check()
  const { stream } = await openAs('usr_5')
  stream.destroy()
  unread[0]?.destroy()
  await turn()
  unread.push((await openAs('usr_1')).stream)
  for (const one of unread) one.destroy()
})

for (const [what, change, message] of [
  ['an unknown key', { PLATEN_S3_ACCESS_KEY_ID: 'AKIDOTHER' }, /InvalidAccessKeyId.*PLATEN_S3_ACCESS_KEY_ID/],
  [
    'a wrong secret',
    { PLATEN_S3_SECRET_ACCESS_KEY: 'another secret' },
    /SignatureDoesNotMatch.*PLATEN_S3_SECRET_ACCESS_KEY/,
  ],
  [
    'another region',
    { PLATEN_STORAGE_URL: /region=eu-central-1/, by: 'region=us-east-1' },
    /AuthorizationHeaderMalformed.*region=/,
  ],
  [
    'a bucket that is not there',
    { PLATEN_STORAGE_URL: /platen-test/, by: 'other-bucket' },
    /"other-bucket".*NoSuchBucket.*Create the bucket/,
  ],
  [
    'a service that is not there',
    { PLATEN_STORAGE_URL: /127\.0\.0\.1%3A\d+/, by: '127.0.0.1%3A9' },
    /ECONNREFUSED.*endpoint=/,
  ],
] as const) {
  test(`a start with ${what} is rejected with advice and without a secret`, async (t) => {
    const s3 = await startS3(t)
    const env: Record<string, string> =
      'by' in change
        ? { PLATEN_STORAGE_URL: s3.env.PLATEN_STORAGE_URL.replace(change.PLATEN_STORAGE_URL, change.by) }
        : change
    const opening = openS3Store(settingsOf(s3, { env }), await temporaryDir(t))
    await assert.rejects(opening, (error: Error) => {
      assert.equal(error.name, 'S3SetupError')
      assert.match(error.message, message)
      for (const secret of ['wJalrXUtnFEMI', 'another secret']) assert.ok(!error.message.includes(secret))
      return true
    })
  })
}

test('an installation that stores files in a folder does not load the client', async () => {
  const script = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context) } })
    await import('./src/app.ts')
    const { openFileStore } = await import('./src/platform/storage/index.ts')
    if (typeof openFileStore !== 'function' || loaded.length < 100) throw new Error('nothing was seen')
    console.log(loaded.filter((url) => /@aws-sdk|@smithy/.test(url)).length)`
  const cwd = join(import.meta.dirname, '../../../..')
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { cwd })
  assert.equal(stdout.trim(), '0')
})
