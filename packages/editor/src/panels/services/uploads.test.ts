import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Asset } from '@platen/client'
import { makePng } from '../../../../../src/assets/factory.ts'
import { startService } from '../../../../../test/harness.ts'
import { createPlaten } from '../../../../client/src/index.ts'
import { type Fault, startFaultProxy } from '../../../../client/test/fault-proxy.ts'
import { createAssetLibrary } from './asset-library.ts'
import { createUploads, type Uploads } from './uploads.ts'

/** Starts a service with uploads that reach it through a proxy. `decide` sees the requests that upload. */
async function start(t: TestContext) {
  const service = await startService(t)
  const { accessToken } = await service.signUp()
  const state = { decide: (): Fault | Promise<Fault> => 'pass' }
  const proxy = await startFaultProxy(t, service.origin, ({ method }) => (method === 'POST' ? state.decide() : 'pass'))
  const client = createPlaten({ url: proxy.url, auth: { token: accessToken }, maxRetries: 0 })
  const uploads = createUploads(client)
  t.after(() => uploads.dispose())
  return { state, client, uploads }
}

/** Waits until the list of uploads is in a state. */
async function until(uploads: Uploads, holds: (list: ReturnType<Uploads['get']>) => boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const check = () => {
    if (holds(uploads.get())) resolve()
  }
  const unsubscribe = uploads.subscribe(check)
  check()
  await promise
  unsubscribe()
}

const fileOf = async (name: string, color?: string) => new File([await makePng(color)], name, { type: 'image/png' })

test('each file becomes an asset or says why not, and others go on', async (t) => {
  const { client, uploads } = await start(t)
  const assets: Asset[] = []
  const broken = new File(['no image'], 'broken.png', { type: 'image/png' })
  uploads.add([await fileOf('a.png', '#ff0000'), broken, await fileOf('b.png', '#00ff00')], (asset) =>
    assets.push(asset),
  )
  await until(uploads, (list) => list.length === 1 && list[0]?.status === 'failed')
  assert.equal(assets.length, 2)
  const [failed] = uploads.get()
  assert.deepEqual(
    [failed?.name, failed?.problem],
    ['broken.png', { message: 'uploadTypeUnsupported', canRetry: false }],
  )
  const library = createAssetLibrary(client)
  await library.loadMore()
  assert.deepEqual(new Set(library.get().assets.map(({ id }) => id)), new Set(assets.map(({ id }) => id)))
})

test('a cancelled upload leaves the list at once, creates nothing and lets the next one start', async (t) => {
  const { state, uploads } = await start(t)
  const held = Promise.withResolvers<Fault>()
  state.decide = () => held.promise
  const done: string[] = []
  uploads.add([await fileOf('a.png', '#ff0000'), await fileOf('b.png'), await fileOf('c.png', '#00ff00')], (_, file) =>
    done.push(file.name),
  )
  assert.deepEqual(
    uploads.get().map(({ status }) => status),
    ['uploading', 'uploading', 'waiting'],
  )
  const [first] = uploads.get()
  uploads.cancel(first?.id ?? '')
  assert.deepEqual(
    uploads.get().map(({ name, status }) => `${name} ${status}`),
    ['b.png uploading', 'c.png uploading'],
  )
  held.resolve('pass')
  await until(uploads, (list) => list.length === 0)
  assert.deepEqual(done.sort(), ['b.png', 'c.png'])
})

test('an upload without a connection is repeated by the customer', async (t) => {
  const { state, uploads } = await start(t)
  const done: string[] = []
  state.decide = () => 'refuse'
  uploads.add([await fileOf('a.png')], (_, file) => done.push(file.name))
  await until(uploads, ([upload]) => upload?.status === 'failed')
  const [failed] = uploads.get()
  assert.deepEqual(failed?.problem, { message: 'uploadOffline', canRetry: true })
  state.decide = () => 'pass'
  uploads.retry(failed?.id ?? '')
  await until(uploads, (list) => list.length === 0)
  assert.deepEqual(done, ['a.png'])
})

for (const [status, code, message] of [
  [413, 'storage_quota_exceeded', 'uploadQuota'],
  [413, 'body_too_large', 'uploadTooLarge'],
  [422, 'asset_too_large', 'uploadTooManyPixels'],
  [429, 'rate_limited', 'uploadBusy'],
  [503, 'storage_unavailable', 'uploadBusy'],
  [401, 'invalid_token', 'uploadSignedOut'],
] as const) {
  test(`an upload that fails with ${code} has words`, async (t) => {
    const { state, uploads } = await start(t)
    state.decide = () => ({ status, body: { code, title: code, detail: code, status, used: 9e6, quota: 1e7 } })
    uploads.add([await fileOf('a.png')], () => undefined)
    await until(uploads, ([upload]) => upload?.status === 'failed')
    assert.equal(uploads.get()[0]?.problem?.message, message)
  })
}
