import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  answering,
  type Behaviour,
  redirecting,
  sendingRaw,
  startWebhookReceiver,
} from '../../../test/fakes/webhook-receiver.ts'
import { startService } from '../../../test/harness.ts'
import { countFiles, makePng } from '../factory.ts'
import { MAX_ASSET_BYTES } from './add-asset.ts'

const sending =
  (file: Buffer, headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    void response.writeHead(200, { 'content-type': 'text/plain', ...headers }).end(file)

async function startWithSource(t: Parameters<typeof startService>[0], env: Record<string, string> = {}) {
  const source = await startWebhookReceiver(t)
  const service = await startService(t, { env: { PLATEN_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1', ...env } })
  const { accessToken: token } = await service.signUp()
  const fetchFrom = (url: unknown, headers: Record<string, string> = {}, members: object = {}) =>
    service.request('POST', '/assets', { token, body: { url, ...members }, headers })
  return { source, service, token, fetchFrom }
}

test('the service fetches the file of an asset from a URL', async (t) => {
  const { source, service, token, fetchFrom } = await startWithSource(t)
  const png = await makePng()
  source.behave(sending(png), '/logo')
  source.behave(redirecting('/logo'), '/moved')
  const made = await fetchFrom(`${source.url}/moved`)
  assert.deepEqual([made.status, made.body.mediaType, made.body.bytes], [201, 'image/png', png.length])
  assert.equal(made.headers.get('location'), `/v1/assets/${made.body.id}`)
  const content = await service.request('GET', `/assets/${made.body.id}/content`, { token })
  assert.ok(png.equals(content.body))
  const again = await fetchFrom(`${source.url}/logo`)
  assert.deepEqual([again.status, again.body.id], [200, made.body.id])
  const [{ method, headers } = { method: '', headers: {} }] = source.received
  assert.deepEqual([method, headers.authorization, headers.cookie], ['GET', undefined, undefined])
})

test('a repeated request with its Idempotency-Key does not fetch the file again', async (t) => {
  const { source, fetchFrom } = await startWithSource(t)
  source.behave(sending(await makePng()))
  const key = { 'idempotency-key': 'one' }
  const first = await fetchFrom(source.url, key)
  source.behave(answering(404))
  const replay = await fetchFrom(source.url, key)
  assert.deepEqual([replay.status, replay.headers.get('idempotent-replayed')], [201, 'true'])
  assert.deepEqual(replay.body, first.body)
  assert.equal(source.received.length, 1)
  const other = await fetchFrom(`${source.url}/other`, key)
  assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused'])
})

test('a source that gives no file is 422, and nothing is kept', async (t) => {
  const { source, service, fetchFrom } = await startWithSource(t)
  const png = await makePng()
  const faults: [Behaviour, code: string, detail: RegExp][] = [
    [answering(404), 'asset_source_unavailable', /status 404/],
    [answering(204), 'asset_source_unavailable', /status 204/],
    [answering(302), 'asset_source_unavailable', /status 302/],
    [redirecting('/again'), 'asset_source_unavailable', /too many redirects/],
    [redirecting('file:///etc/passwd'), 'asset_source_refused', /https/],
    [redirecting('http://169.254.169.254/latest'), 'asset_source_refused', /public/],
    [sending(png, { 'content-encoding': 'gzip' }), 'asset_source_unavailable', /compressed/],
    [sendingRaw('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nhalf'), 'asset_source_unavailable', /closed/],
    [
      sendingRaw(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(5_000)}0\r\n\r\n`),
      'asset_source_unavailable',
      /short chunks/,
    ],
    [sendingRaw('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(2_000)), 'asset_source_unavailable', /status 1xx/],
    [answering(200, {}, 'no image'), 'asset_type_unsupported', /./],
  ]
  for (const [behaviour, code, detail] of faults) {
    source.behave(behaviour)
    const { status, body } = await fetchFrom(source.url)
    assert.deepEqual([status, body.code], [422, code], String(detail))
    assert.match(body.detail, detail)
  }
  await source.stop()
  const gone = await fetchFrom(source.url)
  assert.deepEqual([gone.status, gone.body.code], [422, 'asset_source_unavailable'])
  assert.deepEqual(await countFiles(service), { unfinished: 0, stored: 0 })
})

test('a file of a source has the limit of uploads, declared or not', async (t) => {
  const { source, service, fetchFrom } = await startWithSource(t)
  source.behave((response) => void response.writeHead(200).end(Buffer.alloc(MAX_ASSET_BYTES + 1)))
  const refused = await fetchFrom(source.url)
  assert.deepEqual([refused.status, refused.body.code], [413, 'body_too_large'])
  assert.deepEqual(await countFiles(service), { unfinished: 0, stored: 0 })
})

test('the quota bounds files of sources', async (t) => {
  const { source, fetchFrom } = await startWithSource(t, { PLATEN_STORAGE_QUOTA_MIB: '1' })
  source.behave(sending(Buffer.alloc(2 * 1024 * 1024)))
  const { status, body } = await fetchFrom(source.url)
  assert.deepEqual([status, body.code], [413, 'storage_quota_exceeded'])
})

test('the service fetches nothing from its own network', async (t) => {
  const { source, fetchFrom } = await startWithSource(t, { PLATEN_WEBHOOK_ALLOWED_NETWORKS: '192.0.2.1' })
  source.behave(sending(await makePng()))
  const { port } = source
  const hosts = ['127.0.0.1', 'localhost', '[::1]', '0x7f.1', '2130706433', '[::ffff:127.0.0.1]', 'user@127.0.0.1']
  const urls = hosts.map((host) => `http://${host}:${port}/`)
  for (const url of [...urls, 'file:///etc/passwd', 'ftp://example.com/a.png', 'data:image/png,x']) {
    const { status, body } = await fetchFrom(url)
    assert.deepEqual([status, body.code], [422, 'asset_source_refused'], url)
  }
  assert.equal(source.received.length, 0)
})

test('the body names one URL and nothing else', async (t) => {
  const { fetchFrom } = await startWithSource(t)
  for (const url of ['', 'logo.png', 7, null, `https://example.com/${'a'.repeat(2_048)}`]) {
    const { status, body } = await fetchFrom(url)
    assert.deepEqual([status, body.code, body.pointer], [400, 'validation_failed', '/url'])
  }
  const more = await fetchFrom('https://example.com/a.png', {}, { name: 'logo' })
  assert.deepEqual([more.status, more.body.pointer], [400, '/name'])
})
