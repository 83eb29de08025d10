import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { countFiles, makePng, upload } from '../../src/assets/factory.ts'
import { documentOf, HELLO, imageLayer, makePicture, startSignedIn } from '../../src/designs/factory.ts'
import { forgetNewcomer, noteNewcomer } from '../../src/platform/newcomers.ts'
import type { Renderer } from '../../src/rendering/index.ts'
import { startS3 } from '../fakes/s3.ts'
import { sharedRenderer, type TestResponse } from '../harness.ts'
import { until } from '../lib/until.ts'

const GIB = 1024 ** 3

/** Starts a service on a simulated disk whose free space the test sets. The service requires 1 GiB of free space. */
async function startOnDisk(t: TestContext, env: Record<string, string> = {}, overrides: object = {}) {
  const disk = { freeBytes: 100 * GIB, totalBytes: 1_000 * GIB }
  const readFileSystem = async () => ({ ...disk })
  const signedIn = await startSignedIn(t, {
    env: { PLATEN_STORAGE_FREE_MIB: '1024', ...env },
    overrides: { readFileSystem, ...overrides },
  })
  const setFree = async (freeBytes: number): Promise<void> => {
    disk.freeBytes = freeBytes
    // The service caches the amount of free space for a tenth of a second.
    await pause(150)
  }
  return { ...signedIn, disk, setFree }
}

function assertUnavailable({ status, body, headers, text }: TestResponse, what: string): void {
  assert.deepEqual([status, body.code], [503, 'storage_unavailable'], `${what}: ${text}`)
  assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/, what)
}

test('with too little free space, files and drafts are rejected before a write, and reads work', async (t) => {
  const { service, token, create, setFree } = await startOnDisk(t)
  const { body: asset } = await upload(service, token, await makePicture())
  const { body: design } = await create({ document: documentOf([imageLayer(asset.id)]) })
  const before = await countFiles(service)
  await setFree(GIB - 1)

  const font = { token, body: randomBytes(100), headers: { 'content-type': 'font/ttf' } }
  assertUnavailable(await upload(service, token, await makePng()), 'asset')
  assertUnavailable(await service.request('POST', '/fonts', font), 'font')
  assertUnavailable(await service.request('POST', `/designs/${design.id}/finalize`, { token }), 'finalize')
  assert.deepEqual(await countFiles(service), before)
  assert.deepEqual((await service.request('GET', `/designs/${design.id}`, { token })).body, design)
  assert.equal((await service.request('GET', `/designs/${design.id}/preview`, { token })).status, 200)
  assert.equal((await service.request('GET', `/assets/${asset.id}/content`, { token })).status, 200)
  assertUnavailable(await create({ document: HELLO }), 'draft')
  const ready = await service.request('GET', `${service.origin}/health/ready`)
  assert.deepEqual([ready.status, ready.body], [200, { status: 'ready', warnings: ['disk'] }])
  assert.match(service.logLines(), /too little disk space is free/)
  const metrics = await service.services.auth.services.metrics.registry.metrics()
  assert.match(metrics, new RegExp(`^platen_storage_free_bytes ${GIB - 1}$`, 'm'))

  await setFree(2 * GIB)
  assert.equal((await upload(service, token, await makePng())).status, 201)
  assert.equal((await service.request('POST', `/designs/${design.id}/finalize`, { token })).status, 200)
})

test('a request that was admitted and then had to wait writes nothing if the disk becomes full', async (t) => {
  const { service, token, create, setFree } = await startOnDisk(t)
  const { body: design } = await create({ document: HELLO })
  const path = `/designs/${design.id}`
  const count = async () => (await service.db.selectFrom('design_revisions').select('revision').execute()).length
  const before = await count()
  const patch = (n: number) => service.request('PATCH', path, { token, body: { name: `Name ${n}` } })
  // The first save waits for the row. The others wait for a connection.
  const answers = await service.db.transaction().execute(async (trx) => {
    await trx.selectFrom('designs').select('id').where('id', '=', design.id).forUpdate().execute()
    const all = Promise.all(Array.from({ length: 20 }, (_, n) => patch(n)))
    await until('the others to wait', async () => service.services.database.load().waiting >= 15)
    await setFree(0)
    const { waiting } = service.services.database.load()
    await setFree(0)
    return { all, waiting }
  })
  const statuses = (await answers.all).map(({ status }) => status)
  const saved = statuses.filter((status) => status === 200).length
  assert.ok(saved <= statuses.length - answers.waiting, `${statuses}`)
  assert.equal(await count(), before + saved)
  await setFree(2 * GIB)
  assert.equal((await patch(21)).status, 200)
})

test('guests add nothing while less than twice the minimum is free, and accounts still do', async (t) => {
  const { service, token, setFree } = await startOnDisk(t)
  const { body: guest } = await service.request('POST', '/api/auth/guest')
  assert.equal((await upload(service, guest.accessToken, await makePng())).status, 201)
  await setFree(2 * GIB - 1)
  assertUnavailable(await upload(service, guest.accessToken, await makePng('#000001')), 'guest')
  // A payment adds an event with the whole order, and a client may open any number of guests.
  const pay = (token: string) => service.request('POST', '/orders/ord_none/pay', { token })
  assertUnavailable(await pay(guest.accessToken), 'payment of a guest')
  assert.equal((await pay(token)).status, 404)
  assert.equal((await upload(service, token, await makePng())).status, 201)
  await setFree(2 * GIB)
  assert.equal((await upload(service, guest.accessToken, await makePng('#000001'))).status, 201)
})

// A client may register any number of accounts.
test('new customers add nothing while less than twice the minimum is free, until they have paid', async (t) => {
  const { service, setFree } = await startOnDisk(t)
  const [newcomer, other] = [await service.register(), await service.signUp()]
  const pay = (token: string) => service.request('POST', '/orders/ord_none/pay', { token })
  assert.equal((await upload(service, newcomer.accessToken, await makePng())).status, 201)
  await setFree(2 * GIB - 1)
  assertUnavailable(await upload(service, newcomer.accessToken, await makePng('#000001')), 'new customer')
  assert.equal((await pay(newcomer.accessToken)).status, 404)
  // The process remembers the shares of accounts whose requests it has seen for a minute.
  await service.db.transaction().execute(async (trx) => {
    await noteNewcomer(trx, other.userId, Uint8Array.from([127, 0, 0, 1]))
    await forgetNewcomer(trx, other.userId)
  })
  assert.equal((await upload(service, other.accessToken, await makePng('#000001'))).status, 201)
  await setFree(2 * GIB)
  assert.equal((await upload(service, newcomer.accessToken, await makePng('#000001'))).status, 201)
})

test('the file system of the embedded database must also have free space', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'platen-disk-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const cluster = join(dataDir, 'postgres')
  await mkdir(cluster)
  const readFileSystem = async (folder: string) => ({
    freeBytes: folder === cluster ? GIB / 2 : 100 * GIB,
    totalBytes: GIB,
  })
  const options = { dataDir, env: { PLATEN_STORAGE_FREE_MIB: '1024' }, overrides: { readFileSystem } }
  const { create } = await startSignedIn(t, options)
  assertUnavailable(await create(), 'draft')
})

test('a file is rejected by its declared length if it would not leave enough free space', async (t) => {
  const { service, token, setFree } = await startOnDisk(t)
  await setFree(GIB + 1_000_000)
  const large = await upload(service, token, Buffer.alloc(2_000_000))
  assertUnavailable(large, 'large')
  assert.equal((await upload(service, token, await makePng())).status, 201)
})

test('an upload stops if the disk becomes full during the upload', async (t) => {
  const { service, token, disk } = await startOnDisk(t)
  let sent = 0
  const slow = new ReadableStream({
    pull: async (controller) => {
      sent += 1
      controller.enqueue(randomBytes(16 * 1024))
      await pause(50)
      // The disk becomes full only after the service has accepted the upload.
      if ((await countFiles(service)).unfinished > 0) disk.freeBytes = 0
      if (sent > 200) controller.close()
    },
  })
  const answer = await fetch(`${service.baseUrl}/assets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'image/png' },
    body: slow,
    duplex: 'half',
  })
  assert.deepEqual([answer.status, ((await answer.json()) as { code: string }).code], [503, 'storage_unavailable'])
  assert.ok(sent <= 200)
  assert.deepEqual(await countFiles(service), { unfinished: 0, stored: 0 })
  assert.deepEqual(await service.db.selectFrom('storage_reservations').select('id').execute(), [])
})

test('a design is a draft again if the disk becomes full while its files are drawn', async (t) => {
  let fillDisk = async (): Promise<void> => undefined
  const real = sharedRenderer()
  const print: Renderer['print'] = async (...job) => {
    await fillDisk()
    return real.print(...job)
  }
  const { service, token, create, setFree } = await startOnDisk(t, {}, { renderer: { ...real, print } })
  fillDisk = () => setFree(0)
  const { body: design } = await create({ document: HELLO })
  const finalize = () => service.request('POST', `/designs/${design.id}/finalize`, { token })
  assertUnavailable(await finalize(), 'finalize')
  const { body: unchanged } = await service.request('GET', `/designs/${design.id}`, { token })
  assert.deepEqual(unchanged, design)
  assert.deepEqual(await service.db.selectFrom('storage_unpaid').select('subject').execute(), [])
  fillDisk = async () => undefined
  await setFree(2 * GIB)
  assert.equal((await finalize()).body.status, 'finalized')
})

test('with S3, files that need a local copy are also rejected', async (t) => {
  const s3 = await startS3(t)
  const { service, token, create, setFree } = await startOnDisk(t, s3.env)
  const { body: asset } = await upload(service, token, await makePicture())
  const { body: design } = await create({ document: documentOf([imageLayer(asset.id)]) })
  const preview = () => service.request('GET', `/designs/${design.id}/preview`, { token })
  await setFree(0)
  assert.equal((await preview()).status, 200, 'the copy is here')
  await rm(join(service.config.storageDir, 'blobs'), { recursive: true })
  const fetched = s3.requests.length
  assertUnavailable(await preview(), 'preview')
  assertUnavailable(await upload(service, token, await makePng()), 'asset')
  assert.equal(s3.requests.length, fetched)
  assert.deepEqual(await readdir(join(service.config.storageDir, 'tmp')), [])
})
