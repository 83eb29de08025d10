import assert from 'node:assert/strict'
import { access, mkdir, readdir, rename, rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { createDatabase } from '../../../test/harness.ts'
import { openDatabase } from '../db/index.ts'
import { Problem } from '../problem.ts'
import { createLog } from '../telemetry/log.ts'
import { sha256Of, startS3Store, temporaryDir, writeTo } from './factory.ts'
import { openFileStore } from './objects/file-store.ts'
import { createStorage } from './storage.ts'

const log = createLog({ level: 'silent' })

async function openAll(t: TestContext) {
  const root = await temporaryDir(t)
  const database = openDatabase({ ...(await createDatabase(t)), max: 2 }, log)
  t.after(() => database.close())
  const store = await openFileStore(root)
  return { root, store, db: database.db, storage: createStorage({ store, db: database.db, log }) }
}

function isUnavailable(error: unknown): boolean {
  assert.ok(error instanceof Problem, String(error))
  assert.deepEqual(
    [error.code, error.status, error.extras.headers],
    ['storage_unavailable', 503, { 'Retry-After': '10' }],
  )
  return true
}

test('a file whose bytes have another hash is rejected, and no row is written', async (t) => {
  const { db, store, storage } = await openAll(t)
  const { path } = await writeTo(storage, 'artwork, changed on the way')
  await assert.rejects(storage.store({ path, sha256: sha256Of('artwork') }), /has other bytes/)
  await access(path)
  for await (const page of store.list()) assert.fail(JSON.stringify(page))
  assert.deepEqual((await sql`select from storage_objects`.execute(db)).rows, [])
})

test('the row is written before the bytes are stored', async (t) => {
  const { db, storage, store, root } = await openAll(t)
  const { path, sha256 } = await writeTo(storage, 'artwork')
  // Blocks only the bytes: the row can be written.
  await rm(join(root, 'blobs', sha256.slice(0, 2)), { recursive: true })
  await assert.rejects(storage.store({ path, sha256 }), isUnavailable)
  const { rows } = await sql`select sha256, bytes, deleting_at from storage_objects`.execute(db)
  assert.deepEqual(rows, [{ sha256, bytes: 7, deleting_at: null }])
  await mkdir(join(root, 'blobs', sha256.slice(0, 2)))
  await storage.store({ path, sha256 })
  assert.equal(await storage.localPath(sha256), await store.localPath(sha256))
})

test('while the storage folder is missing, all calls are rejected, and later calls succeed without a restart', async (t) => {
  const { storage, root } = await openAll(t)
  const { sha256, path } = await writeTo(storage, 'artwork')
  await storage.store({ path, sha256 })
  await rename(root, `${root}-away`)
  // After unmounting a file system, its mount point is an empty folder.
  await mkdir(root)
  await assert.rejects(storage.createWorkDir(), isUnavailable)
  await assert.rejects(storage.localPath(sha256), isUnavailable)
  await assert.rejects(storage.open(sha256), isUnavailable)
  await assert.rejects(storage.check(), isUnavailable)
  await rm(root, { recursive: true })
  await rename(`${root}-away`, root)
  const { stream } = await storage.open(sha256)
  stream.destroy()
  await storage.createWorkDir()
})

test('concurrent checks of the storage share one check', async (t) => {
  const { db } = await openAll(t)
  const { s3, store } = await startS3Store(t)
  const storage = createStorage({ store, db, log })
  await Promise.all(Array.from({ length: 20 }, () => storage.check()))
  await storage.check()
  assert.deepEqual(
    s3.requests.map(({ method }) => method),
    ['HEAD'],
  )
})

test('a program error is not reported as a storage error', async (t) => {
  const { db, store } = await openAll(t)
  const open = async () => Buffer.alloc(-1) as never
  const broken = createStorage({ store: { ...store, open }, db, log })
  await assert.rejects(broken.open(sha256Of('artwork')), { code: 'ERR_OUT_OF_RANGE' })
})

test('a check that does not end prevents further checks', async (t) => {
  const { db, store } = await openAll(t)
  let nowMs = 0
  t.mock.method(performance, 'now', () => nowMs)
  const looks: PromiseWithResolvers<void>[] = []
  const check = () => {
    looks.push(Promise.withResolvers())
    return looks.at(-1)?.promise ?? Promise.reject(new Error('no look'))
  }
  const storage = createStorage({ store: { ...store, check }, db, log })
  const first = storage.check()
  nowMs = 60_000
  const second = storage.check()
  assert.equal(looks.length, 1)
  looks[0]?.resolve()
  await Promise.all([first, second])
  nowMs += 4_000
  await storage.check()
  assert.equal(looks.length, 1)
  nowMs += 2_000
  storage.check().catch(() => undefined)
  assert.equal(looks.length, 2)
})

test('bytes whose removal was interrupted come back at the next collection and at the next start', async (t) => {
  const { root, store } = await openAll(t)
  const { path, sha256, bytes } = await writeTo(store, 'artwork')
  await store.put({ path, sha256, bytes })
  const killed = new Promise<boolean>(() => undefined)
  for (const goOn of [() => store.removeLeftovers(), () => openFileStore(root)]) {
    store.remove(sha256, { untilMs: Number.POSITIVE_INFINITY, isAnnounced: () => killed })
    while ((await readdir(join(root, 'removing'))).length === 0) await setImmediate()
    await goOn()
    await assert.rejects(store.localPath(sha256), { code: 'ENOENT' })
    const now = Date.now()
    const later = t.mock.method(Date, 'now', () => now + 3 * 60_000)
    await goOn()
    later.mock.restore()
    await store.localPath(sha256)
  }
})

test('files of a killed process are removed at the next start, and files that are being written are not', async (t) => {
  const { root } = await openAll(t)
  const old = join(root, 'tmp', 'old')
  await mkdir(old)
  const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000)
  await utimes(old, twoDaysAgo, twoDaysAgo)
  await mkdir(join(root, 'tmp', 'recent'))
  await openFileStore(root)
  assert.deepEqual(await readdir(join(root, 'tmp')), ['recent'])
})
