import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import type pg from 'pg'
import sharp from 'sharp'
import { signUp } from '../../scripts/lib/client.ts'
import { bundleService, freePort } from '../../scripts/lib/service-process.ts'
import { makePng, upload } from '../../src/assets/factory.ts'
import { CARD, documentOf, imageLayer, makePicture, startSignedIn } from '../../src/designs/factory.ts'
import { openDatabase } from '../../src/platform/db/index.ts'
import { createLog } from '../../src/platform/telemetry/log.ts'
import { createProduct } from '../../src/products/change-product.ts'
import { startS3 } from '../fakes/s3.ts'
import { createDatabase, startService, type TestResponse, type TestService, temporaryDir } from '../harness.ts'
import { until } from '../lib/until.ts'

function assertUnavailable(answer: TestResponse, what: string): void {
  assert.deepEqual([answer.status, answer.body.code], [503, 'storage_unavailable'], `${what}: ${answer.text}`)
  assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/, what)
}

/**
 * Waits for a status of the readiness probe. The probe caches its result for some seconds, because it is called often.
 */
async function untilReadiness(service: TestService, status: number): Promise<TestResponse> {
  let answer: TestResponse | undefined
  await until(`readiness ${status}`, async () => {
    answer = await service.request('GET', `${service.origin}/health/ready`)
    return answer.status === status
  })
  return answer as TestResponse
}

async function runJob({ services }: TestService, name: string): Promise<void> {
  await services.storageJobs.find((job) => job.name === name)?.handle({})
}

/** Reads a file as a client does: follows the redirect, and does not send the credential to the bucket. */
async function follow(answer: TestResponse): Promise<Response> {
  assert.equal(answer.status, 302, answer.text)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  assert.equal(answer.headers.get('etag'), null)
  return fetch(answer.headers.get('location') ?? '')
}

test('with S3, uploads and print files are in the bucket, and clients are redirected there', async (t) => {
  const s3 = await startS3(t)
  const { service, token, create } = await startSignedIn(t, { env: s3.env })
  const picture = await makePicture()
  const { body: asset } = await upload(service, token, picture)
  const content = await follow(await service.request('GET', `/assets/${asset.id}/content`, { token }))
  assert.deepEqual(Buffer.from(await content.arrayBuffer()), picture)
  assert.equal(content.headers.get('content-type'), 'image/jpeg')
  assert.equal(content.headers.get('content-disposition'), `inline; filename="${asset.id}.jpg"`)

  // The policy of the shop's pages does not allow the host of the bucket.
  const statusOf = (site: string, mode: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      // `fetch` sets `Sec-Fetch-Mode` by itself.
      const headers = { authorization: `Bearer ${token}`, 'sec-fetch-site': site, 'sec-fetch-mode': mode }
      get(`${service.baseUrl}/assets/${asset.id}/content`, { headers }, (response) => {
        response.resume()
        resolve(response.statusCode)
      }).on('error', reject)
    })
  assert.deepEqual([await statusOf('same-origin', 'cors'), await statusOf('cross-site', 'cors')], [200, 200])
  assert.equal(await statusOf('same-origin', 'no-cors'), 200)
  assert.deepEqual([await statusOf('same-origin', 'navigate'), await statusOf('cross-site', 'no-cors')], [302, 302])

  const { body: design } = await create({ document: documentOf([imageLayer(asset.id)]) })
  const { body: finalized } = await service.request('POST', `/designs/${design.id}/finalize`, { token })
  const file = finalized.finalization.files[0]
  const path = `/designs/${design.id}/files/print`
  const pdf = await follow(await service.request('GET', path, { token }))
  const bytes = Buffer.from(await pdf.arrayBuffer())
  assert.deepEqual([bytes.length, String(bytes.subarray(0, 5))], [file.bytes, '%PDF-'])
  const [kind, plain, readable] = (pdf.headers.get('content-disposition') ?? '').split('; ')
  assert.deepEqual([kind, plain], ['attachment', `filename="${design.id}-print.pdf"`])
  assert.match(readable ?? '', /^filename\*=UTF-8''.*\.pdf$/)
  const head = await service.request('HEAD', path, { token })
  assert.equal(head.status, 302)
  const there = await fetch(head.headers.get('location') ?? '', { method: 'HEAD' })
  assert.equal(there.headers.get('content-length'), String(file.bytes))
  const known = await service.request('GET', path, { token, headers: { 'if-none-match': `"${file.sha256}"` } })
  assert.equal(known.status, 304)
  assert.equal((await service.request('GET', path)).status, 401)
  const keys = [...s3.objects.keys()].filter((key) => key.startsWith('shop/blobs/'))
  assert.equal(keys.length, 1 + finalized.finalization.files.length)
})

test('while S3 is unavailable, the response to every use of files is 503, no partial state remains, and later requests succeed', async (t) => {
  const s3 = await startS3(t)
  const { service, token, create } = await startSignedIn(t, { env: s3.env })
  const { body: asset } = await upload(service, token, await makePicture())
  const { body: design } = await create({ document: documentOf([imageLayer(asset.id)]) })
  const path = `/designs/${design.id}`
  await untilReadiness(service, 200)

  s3.always('disconnect')
  assertUnavailable(await upload(service, token, await makePng('#00ff00')), 'upload')
  assertUnavailable(await service.request('POST', `${path}/finalize`, { token }), 'finalize, with the image at hand')
  await rm(join(service.config.storageDir, 'blobs'), { recursive: true })
  assertUnavailable(await service.request('POST', `${path}/finalize`, { token }), 'finalize, without it')
  assertUnavailable(await service.request('GET', `${path}/preview`, { token }), 'preview')
  assertUnavailable(await untilReadiness(service, 503), 'readiness')
  assert.equal((await service.request('GET', `${service.origin}/health/live`)).status, 200)
  assert.deepEqual((await service.request('GET', path, { token })).body, design)
  const { body: renamed } = await service.request('PATCH', path, { token, body: { name: 'Still a draft' } })
  assert.deepEqual([renamed.status, renamed.revision], ['draft', 2])
  assert.deepEqual(await readdir(join(service.config.storageDir, 'tmp')), [])
  const { rows } = await sql`select from assets`.execute(service.db)
  assert.equal(rows.length, 1)
  assert.doesNotMatch(service.logLines(), /wJalrXUtnFEMI/)

  s3.always(undefined)
  assert.equal((await service.request('POST', `${path}/finalize`, { token })).body.status, 'finalized')
  assert.equal((await upload(service, token, await makePng('#00ff00'))).status, 201)
  await untilReadiness(service, 200)
})

test('a missing stored file is reported with its own code and in the log', async (t) => {
  const { service, token, create } = await startSignedIn(t)
  const { body: asset } = await upload(service, token, await makePicture())
  const { body: design } = await create({ document: documentOf([imageLayer(asset.id)]) })
  await rm(await service.services.storage.localPath(asset.sha256))
  assertUnavailable(await service.request('POST', `/designs/${design.id}/finalize`, { token }), 'finalize')
  assertUnavailable(await service.request('GET', `/assets/${asset.id}/content`, { token }), 'content')
  assert.equal((await service.request('GET', `/designs/${design.id}`, { token })).body.status, 'draft')
  assert.ok(service.logLines().includes(`"sha256":"${asset.sha256}","msg":"stored bytes are missing or damaged"`))
})

test("an account's uploads are deleted with it, except those that others uploaded as well", async (t) => {
  const { service, token, create } = await startSignedIn(t)
  const other = await service.signUp()
  const [own, shared] = [await makePng('#ff0000'), await makePicture()]
  const { body: asset } = await upload(service, token, own)
  const { body: common } = await upload(service, token, shared)
  await upload(service, other.accessToken, shared)
  const { body: design } = await create({ document: documentOf([imageLayer(common.id)]) })
  const { body: finalized } = await service.request('POST', `/designs/${design.id}/finalize`, { token })
  assert.equal((await service.request('DELETE', '/me', { token })).status, 204)
  const isThere = async (sha256: string): Promise<boolean> =>
    service.services.storage.localPath(sha256).then(
      () => true,
      () => false,
    )
  await runJob(service, 'storage.collect')
  assert.ok(await isThere(asset.sha256))
  await sql`update storage_objects set put_at = put_at - interval '25 hours'`.execute(service.db)
  await runJob(service, 'storage.collect')
  const files = finalized.finalization.files.map(({ sha256 }: { sha256: string }) => sha256)
  for (const sha256 of [asset.sha256, ...files]) assert.equal(await isThere(sha256), false)
  assert.equal(await isThere(common.sha256), true)
  const metrics = await service.services.auth.services.metrics.registry.metrics()
  assert.match(metrics, new RegExp(`^platen_storage_collected_objects_total ${1 + new Set(files).size}$`, 'm'))
  assert.match(metrics, /^platen_storage_collected_bytes_total [1-9]\d+$/m)
  assert.match(service.logLines(), /"msg":"garbage was collected"/)
})

test('a copy that sends nothing deletes no file of the storage, and records none as unused', async (t) => {
  const dataDir = await temporaryDir(t)
  const { service: shop, token } = await startSignedIn(t, { dataDir })
  const { body: newer } = await upload(shop, token, await makePng('#00ff00'))
  const copy = await startService(t, { dataDir, env: { PLATEN_SEND: 'off' } })
  const known = async () => (await sql`select from storage_objects`.execute(copy.db)).rows.length
  const count = await known()
  await runJob(copy, 'storage.reconcile_objects')
  assert.equal(await known(), count)
  // The copy has a record of this file, but nothing refers to it.
  const { sha256, bytes } = newer
  await sql`insert into storage_objects (sha256, bytes) values (${sha256}, ${bytes})`.execute(copy.db)
  await sql`update storage_objects set put_at = now() - interval '25 hours'`.execute(copy.db)
  await runJob(copy, 'storage.collect')
  assert.equal(await known(), count + 1)
  assert.match(copy.logLines(), /no unused files are deleted while PLATEN_SEND is off/)
  const content = await shop.request('GET', `/assets/${newer.id}/content`, { token })
  assert.equal(content.status, 200)
})

test('`platen storage collect` deletes unused files immediately, and has a dry run', async (t) => {
  const database = await createDatabase(t)
  const { service, token } = await startSignedIn(t, { database })
  const { body: asset } = await upload(service, token, await makePng())
  await service.request('DELETE', `/assets/${asset.id}`, { token })
  await sql`update storage_objects set put_at = put_at - interval '25 hours'`.execute(service.db)
  const env = {
    PATH: process.env['PATH'],
    PLATEN_DATABASE_URL: urlOf(database),
    PLATEN_DATA_DIR: service.config.dataDir,
  }
  const off = { ...env, PLATEN_SEND: 'off' }
  await assert.rejects(
    promisify(execFile)(process.execPath, [bundleService(), 'storage', 'collect'], { env: off }),
    /Nothing was deleted, because PLATEN_SEND is off/,
  )
  const platen = async (...args: string[]) =>
    (await promisify(execFile)(process.execPath, [bundleService(), 'storage', 'collect', ...args], { env })).stdout
  assert.match(await platen('--dry-run'), new RegExp(`1 file of 1 .* would be deleted, ${asset.bytes} bytes`))
  assert.match(await platen(), new RegExp(`1 file of 1 .* were deleted, ${asset.bytes} bytes`))
  assert.match(await platen(), /0 files of 0 /)
})

function urlOf({ host, port, user, database }: pg.PoolConfig): string {
  return `postgresql://${user}@/${database}?${new URLSearchParams({ host: String(host), port: String(port) })}`
}

/**
 * The options for a mount namespace. A user other than root needs a user namespace, which some systems do not allow.
 */
const OWN_MOUNTS = process.getuid?.() === 0 ? '-m' : '-rm'
const canMount = await promisify(execFile)('unshare', [OWN_MOUNTS, 'true']).then(
  () => true,
  () => false,
)

/** Starts the whole service as a process whose storage folder is a small file system. */
async function startOnSmallDisk(t: TestContext) {
  const dataDir = await mkdtemp(join(tmpdir(), 'platen-small-disk-'))
  const mount = join(dataDir, 'storage')
  await mkdir(mount)
  let child: ChildProcess | undefined
  // This hook is registered before that of the database, so that the service stops first.
  t.after(async () => {
    child?.kill('SIGTERM')
    if (child?.exitCode === null && child.signalCode === null) await once(child, 'exit')
    await rm(dataDir, { recursive: true, force: true })
  })
  const database = await createDatabase(t)
  const port = String(await freePort())
  const env = {
    PATH: process.env['PATH'],
    PLATEN_DATABASE_URL: urlOf(database),
    PLATEN_DATA_DIR: dataDir,
    PLATEN_PORT: port,
    PLATEN_RATE_LIMITS: 'off',
    PLATEN_LOG_LEVEL: 'error',
  }
  const script = 'mount -t tmpfs -o size=6m none "$1" && shift && exec "$@"'
  const command = [OWN_MOUNTS, 'sh', '-c', script, 'sh', mount, process.execPath, bundleService(), 'serve']
  child = spawn('unshare', command, { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const origin = `http://127.0.0.1:${port}`
  const untilReady = (status: number): Promise<void> =>
    until(`readiness ${status}`, async () => {
      const answer = await fetch(`${origin}/health/ready`).catch(() => undefined)
      return answer?.status === status
    })
  await untilReady(200)
  // The mount exists only in the namespace of the service process, but other processes can reach it through /proc.
  return { origin, database, untilReady, filler: join(`/proc/${child.pid}/root`, mount, 'filler') }
}

/** Adds a product. Returns the members of a design that refer to it. */
async function addProduct(settings: pg.PoolConfig): Promise<{ productId: string; variantId: string }> {
  const database = openDatabase({ ...settings, max: 1 }, createLog({ level: 'silent' }))
  try {
    const product = await database.db.transaction().execute((trx) => createProduct(trx, CARD, new Date()))
    return { productId: product.id, variantId: product.variants[0]?.id ?? '' }
  } finally {
    await database.close()
  }
}

/** Makes a PNG with random samples, which cannot be compressed. */
function makeNoise(side: number): Promise<Buffer> {
  const raw = { width: side, height: side, channels: 3 } as const
  return sharp(randomBytes(side * side * 3), { raw })
    .png()
    .toBuffer()
}

/** Makes a translucent PNG. A print file stores its alpha channel separately. */
function makeFaded(side: number): Promise<Buffer> {
  return sharp({ create: { width: side, height: side, channels: 4, background: '#00ff0080' } })
    .png()
    .toBuffer()
}

test('on a full disk, the response to writes is 503 and drafts stay readable; with free space, everything works again', {
  skip: canMount ? false : 'no small file system can be mounted here',
}, async (t) => {
  const { origin, database, untilReady, filler } = await startOnSmallDisk(t)
  const { accessToken: token } = await signUp(origin, 'ada@example.com', 'a quiet lake at dusk')
  const send = async (method: string, path: string, body?: Buffer | object) => {
    const isBytes = body instanceof Buffer
    const type = { 'content-type': isBytes ? 'image/png' : 'application/json' }
    const answer = await fetch(`${origin}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : type) },
      ...(body === undefined ? {} : { body: isBytes ? new Uint8Array(body) : JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) } satisfies TestResponse
  }
  const product = await addProduct(database)
  const { body: asset } = await send('POST', '/assets', await makeNoise(300))
  const document = documentOf([imageLayer(asset.id)])
  const { body: design } = await send('POST', '/designs', { ...product, document })
  const path = `/designs/${design.id}`
  const { body: faded } = await send('POST', '/assets', await makeFaded(300))
  const { body: converted } = await send('POST', '/designs', {
    ...product,
    document: documentOf([imageLayer(faded.id)]),
  })

  await writeFile(filler, Buffer.alloc(6 * 1024 * 1024)).catch(() => undefined)
  assertUnavailable(await send('POST', '/assets', await makeNoise(500)), 'upload')
  assertUnavailable(await send('POST', `${path}/finalize`), 'finalize')
  assertUnavailable(await send('POST', `/designs/${converted.id}/finalize`), 'finalize, with an image to be converted')
  await untilReady(503)
  assertUnavailable(await send('PATCH', path, { name: 'Renamed' }), 'save')
  const { body: unchanged } = await send('GET', path)
  assert.deepEqual([unchanged.status, unchanged.name, unchanged.revision], ['draft', design.name, 1])

  await rm(filler)
  // The service checks the free disk space once a second.
  await pause(1_500)
  assert.equal((await send('POST', `${path}/finalize`)).body.status, 'finalized')
  assert.equal((await send('POST', '/assets', await makeNoise(500))).status, 201)
  await untilReady(200)
})
