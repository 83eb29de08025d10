import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { Registry } from 'prom-client'
import { startS3 } from '../../../../test/fakes/s3.ts'
import { createDatabase } from '../../../../test/harness.ts'
import { newId } from '../../../../test/ids.ts'
import { insertAssetOnce } from '../../../assets/store.ts'
import { STORAGE_REFERENCES } from '../../../features.ts'
import { type Db, openDatabase, type Trx } from '../../db/index.ts'
import { Problem } from '../../problem.ts'
import { createLog } from '../../telemetry/log.ts'
import { settingsOf, temporaryDir, writeTo } from '../factory.ts'
import { openFileStore } from '../objects/file-store.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import { openS3Store } from '../s3/s3-store.ts'
import { createStorage, type Storage } from '../storage.ts'
import { type CollectionDeps, collect, reconcileObjects } from './collect.ts'
import { collectionJobs, withCollectionLock } from './jobs.ts'

const log = createLog({ level: 'silent' })

/** Opens a storage with its database and its collection. */
async function openAll(t: TestContext, store?: ObjectStore) {
  const root = await temporaryDir(t)
  const database = openDatabase({ ...(await createDatabase(t)), max: 4 }, log)
  t.after(() => database.close())
  const { db } = database
  const objects = store ?? (await openFileStore(root))
  const deps: CollectionDeps = { db, store: objects, log, references: STORAGE_REFERENCES }
  const lockDeps = { ...deps, database }
  return {
    db,
    root,
    store: objects,
    deps,
    lockDeps,
    storage: createStorage({ store: objects, db, log, deletionWaitMs: 1_500 }),
  }
}

async function storeNew(storage: Storage, content: Buffer = randomBytes(100)): Promise<string> {
  const { path, sha256 } = await writeTo(storage, content)
  await storage.store({ path, sha256 })
  return sha256
}

/** Changes timestamps as if all bytes had been stored two days ago. */
async function age(db: Db): Promise<void> {
  await sql`update storage_objects set put_at = put_at - interval '2 days'`.execute(db)
}

async function addAsset(db: Db | Trx, sha256: string): Promise<string> {
  const id = newId('asset')
  const ownerId = newId('user')
  const picture = { mediaType: 'image/png', widthPx: 1, heightPx: 1, hasAlpha: false } as const
  const rest = { colorSpace: 'srgb', orientation: 1, createdAt: new Date() } as const
  await insertAssetOnce(db as Trx, { id, ownerId, sha256, bytes: 100, ...picture, ...rest })
  return id
}

async function isThere(store: ObjectStore, sha256: string): Promise<boolean> {
  return store.open(sha256).then(
    ({ stream }) => {
      stream.destroy()
      return true
    },
    () => false,
  )
}

function isUnavailable(error: unknown): boolean {
  return error instanceof Problem && error.code === 'storage_unavailable' && error.status === 503
}

test('deletes only bytes without references that were stored more than a day ago', async (t) => {
  const { db, store, storage, deps } = await openAll(t)
  const orphan = await storeNew(storage)
  const used = await storeNew(storage)
  const assetId = await addAsset(db, used)
  assert.deepEqual(await collect(deps), { examined: 0, deleted: 0, bytes: 0, leftovers: 0 })
  await age(db)
  const young = await storeNew(storage)

  assert.deepEqual(await collect(deps, { dryRun: true }), { examined: 2, deleted: 1, bytes: 100, leftovers: 0 })
  assert.ok(await isThere(store, orphan))
  assert.deepEqual(await collect(deps), { examined: 2, deleted: 1, bytes: 100, leftovers: 0 })
  assert.deepEqual(
    [await isThere(store, orphan), await isThere(store, used), await isThere(store, young)],
    [false, true, true],
  )

  await sql`delete from assets where id = ${assetId}`.execute(db)
  assert.equal((await collect(deps)).deleted, 1)
  assert.equal(await isThere(store, used), false)
})

test('bytes that are stored again are retained for another day', async (t) => {
  const { db, store, storage, deps } = await openAll(t)
  const content = randomBytes(100)
  const sha256 = await storeNew(storage, content)
  await age(db)
  await storeNew(storage, content)
  assert.equal((await collect(deps)).deleted, 0)
  assert.ok(await isThere(store, sha256))
})

test('continues after any number of used objects', async (t) => {
  const { db, deps } = await openAll(t)
  // The rows are enough, because deleting missing bytes succeeds.
  await sql`
    insert into storage_objects (sha256, bytes)
    select encode(sha256(n::text::bytea), 'hex'), 1 from generate_series(1, 1201) n`.execute(db)
  await age(db)
  const { rows } = await sql<{ sha256: string }>`select sha256 from storage_objects order by sha256 limit 600`.execute(
    db,
  )
  for (const { sha256 } of rows) await addAsset(db, sha256)
  assert.deepEqual(await collect(deps), { examined: 1201, deleted: 601, bytes: 601, leftovers: 0 })
  const { rows: left } = await sql<{ sha256: string }>`select sha256 from storage_objects order by sha256`.execute(db)
  assert.deepEqual(left, rows)
})

// The reference is written while the collection searches for references, but not committed.
test('keeps bytes to which an open transaction will refer', async (t) => {
  const { db, store, storage, deps } = await openAll(t)
  const sha256 = await storeNew(storage)
  await age(db)
  await db.transaction().execute(async (trx) => {
    await storage.retain(trx, [sha256])
    await addAsset(trx, sha256)
    assert.deepEqual(await collect(deps), { examined: 1, deleted: 0, bytes: 0, leftovers: 0 })
  })
  assert.equal((await collect(deps)).deleted, 0)
  assert.ok(await isThere(store, sha256))
})

test('does not keep bytes to which only a rolled back transaction referred', async (t) => {
  const { db, storage, deps } = await openAll(t)
  const sha256 = await storeNew(storage)
  await age(db)
  const failing = db.transaction().execute(async (trx) => {
    await storage.retain(trx, [sha256])
    await addAsset(trx, sha256)
    throw new Error('undone')
  })
  await assert.rejects(failing, /undone/)
  assert.equal((await collect(deps)).deleted, 1)
})

test('a process that was suspended after storing bytes is rejected, and can store them again', async (t) => {
  const { db, store, storage, deps } = await openAll(t)
  const content = randomBytes(100)
  const sha256 = await storeNew(storage, content)
  await age(db)
  await collect(deps)
  const refer = () =>
    db.transaction().execute(async (trx) => {
      await storage.retain(trx, [sha256])
      await addAsset(trx, sha256)
    })
  await assert.rejects(refer(), isUnavailable)
  assert.equal((await sql`select from assets`.execute(db)).rows.length, 0)
  await storeNew(storage, content)
  await refer()
  assert.ok(await isThere(store, sha256))
})

async function openOnS3(t: TestContext) {
  const s3 = await startS3(t)
  const store = await openS3Store(settingsOf(s3), await temporaryDir(t))
  t.after(() => store.close())
  return { s3, ...(await openAll(t, store)) }
}

// The same bytes are stored while the S3 service has the deletion request but has not carried it out yet.
test('storing bytes that are being deleted waits for the deletion and then stores them again', async (t) => {
  const { db, s3, store, storage, deps } = await openOnS3(t)
  const content = randomBytes(100)
  const sha256 = await storeNew(storage, content)
  await age(db)
  const deletion = s3.hold('DELETE')
  const collecting = collect(deps)
  await deletion.arrived
  await assert.rejects(
    db.transaction().execute((trx) => storage.retain(trx, [sha256])),
    isUnavailable,
  )
  s3.requests.length = 0
  const refused = Promise.withResolvers<void>()
  const watched = db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (result.rows.length === 0) refused.resolve()
      return result
    },
  })
  const storing = storeNew(createStorage({ store, db: watched, log }), content)
  // Gives the process time to send the bytes, which it would do without the wait.
  await Promise.race([refused.promise, storing])
  assert.deepEqual(
    s3.requests.map(({ method }) => method),
    [],
  )
  deletion.letGo()
  assert.equal((await collecting).deleted, 1)
  await storing
  await db.transaction().execute((trx) => storage.retain(trx, [sha256]))
  assert.ok(await isThere(store, sha256))
})

test('bytes whose deletion was rejected can be stored and deleted again immediately', async (t) => {
  const { db, s3, storage, deps } = await openOnS3(t)
  const content = randomBytes(100)
  await storeNew(storage, content)
  await age(db)
  s3.next('DELETE', { status: 403, code: 'AccessDenied' })
  await assert.rejects(collect(deps), /AccessDenied/)
  assert.equal((await collect(deps)).deleted, 1)
})

test('bytes whose deletion has an unknown result are not stored again until their mark expires', async (t) => {
  const { db, s3, store, storage, deps } = await openOnS3(t)
  const content = randomBytes(100)
  const sha256 = await storeNew(storage, content)
  await age(db)
  s3.next('DELETE', 'lose')
  await assert.rejects(collect(deps), /may or may not be deleted/)
  await assert.rejects(storeNew(storage, content), isUnavailable)
  assert.equal((await collect(deps)).examined, 0)
  await sql`update storage_objects set deleting_at = deleting_at - interval '36 minutes'`.execute(db)
  await storeNew(storage, content)
  assert.ok(await isThere(store, sha256))

  await age(db)
  s3.next('DELETE', 'disconnect')
  await assert.rejects(collect(deps), /may or may not be deleted/)
  await sql`update storage_objects set deleting_at = deleting_at - interval '36 minutes'`.execute(db)
  assert.equal((await collect(deps)).deleted, 1)
  assert.equal(await isThere(store, sha256), false)
})

test('bytes without a row get one, and are collected a day later if they have no reference', async (t) => {
  const { db, store, storage, deps } = await openAll(t)
  const files = await Promise.all([writeTo(store), writeTo(store)])
  for (const file of files) await store.put(file)
  const [used, orphan] = files.map(({ sha256 }) => sha256)
  assert.ok(used !== undefined && orphan !== undefined)
  await addAsset(db, used)
  await storeNew(storage)
  assert.equal(await reconcileObjects(deps), 2)
  assert.equal(await reconcileObjects(deps), 0)
  assert.equal((await collect(deps)).deleted, 0)
  await sql`update storage_objects set put_at = now() - interval '2 days' where sha256 in (${used}, ${orphan})`.execute(
    db,
  )
  assert.equal((await collect(deps)).deleted, 1)
  assert.deepEqual([await isThere(store, used), await isThere(store, orphan)], [true, false])
})

test('removes incomplete files of killed processes after a day, and keeps files that are being written', async (t) => {
  const { root, storage, deps } = await openAll(t)
  const old = join(root, 'tmp', 'old')
  await mkdir(old)
  const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000)
  await utimes(old, twoDaysAgo, twoDaysAgo)
  await storage.createWorkDir()
  assert.equal((await collect(deps)).leftovers, 1)
  assert.equal((await collect(deps)).leftovers, 0)
})

test('one process of the installation collects at a time, on a separate connection', async (t) => {
  const { db, storage, lockDeps } = await openAll(t)
  await storeNew(storage)
  await age(db)
  const outcome = await withCollectionLock(lockDeps, async (inner) => {
    assert.equal(lockDeps.database.pool.totalCount - lockDeps.database.pool.idleCount, 0)
    assert.equal((await sql`select 1`.execute(inner.db)).rows.length, 1)
    return withCollectionLock(lockDeps, (other) => collect(other))
  })
  assert.equal(outcome, undefined)
  assert.equal((await withCollectionLock(lockDeps, (inner) => collect(inner)))?.deleted, 1)
})

test('reconciling waits for a collection in progress and runs after it on the same day', async (t) => {
  const { db, lockDeps } = await openAll(t)
  const reconcileJob = collectionJobs(lockDeps, new Registry()).find(({ name }) => name === 'storage.reconcile_objects')
  await withCollectionLock(lockDeps, async () => reconcileJob?.handle({}))
  const { rows } = await sql`
    select task_identifier as name, extract(epoch from run_at - now()) between 300 and 900 as "isSoon"
    from graphile_worker.jobs`.execute(db)
  assert.deepEqual(rows, [{ name: 'storage.reconcile_objects', isSoon: true }])
})

test('searching for candidates does not write to rows of used objects', async (t) => {
  const { db, storage, deps } = await openAll(t)
  await addAsset(db, await storeNew(storage))
  await age(db)
  const version = async () => (await sql`select xmin, xmax, ctid from storage_objects`.execute(db)).rows
  const before = await version()
  assert.equal((await collect(deps)).examined, 1)
  assert.deepEqual(await version(), before)
})

test('keeps an object that got a reference after it was found without one', async (t) => {
  const { db, store, storage, deps } = await openAll(t)
  const sha256 = await storeNew(storage)
  await age(db)
  let asked = 0
  // The first query runs before the row is committed.
  const query = (sha256s: readonly string[]) => {
    asked += 1
    return sql<{ sha256: string }>`select one as sha256 from unnest(${asked === 1 ? [] : sha256s}::text[]) as one`
  }
  const late = { name: 'late', columns: [], query }
  assert.equal((await collect({ ...deps, references: [late] })).deleted, 0)
  assert.equal(asked, 2)
  assert.ok(await isThere(store, sha256))
})

/**
 * Wraps a store so that a removal is suspended at the given point until its announcement has expired, while other calls
 * run.
 */
function standingStill(store: ObjectStore, when: 'before' | 'within', meanwhile: () => Promise<void>): ObjectStore {
  return {
    ...store,
    remove: async (sha256, announcement) => {
      if (when === 'before') await meanwhile()
      const isAnnounced = async () => {
        if (when === 'within') await meanwhile()
        return announcement.isAnnounced()
      }
      return store.remove(sha256, { ...announcement, isAnnounced })
    },
  }
}

for (const when of ['before', 'within'] as const) {
  test(`a process that is suspended ${when} its removal does not remove bytes that were stored again`, async (t) => {
    const { db, store, storage, deps } = await openAll(t)
    const content = randomBytes(100)
    const sha256 = await storeNew(storage, content)
    await age(db)
    const slow = standingStill(store, when, async () => {
      await sql`update storage_objects set deleting_at = deleting_at - interval '36 minutes'`.execute(db)
      await storeNew(storage, content)
      await addAsset(db, sha256)
    })
    await assert.rejects(collect({ ...deps, store: slow }), /has taken over its removal/)
    assert.ok(await isThere(store, sha256))
    await db.transaction().execute((trx) => storage.retain(trx, [sha256]))
  })
}

test('every column with hashes of stored bytes belongs to the references of a feature', async (t) => {
  const { db } = await openAll(t)
  const { rows } = await sql<{ column: string }>`
    select table_name || '.' || column_name as column from information_schema.columns
    where table_schema = 'public' and (column_name ~ 'sha256' or column_name ~ '(^|_)files?$')
    order by 1`.execute(db)
  const holders = rows.map(({ column }) => column)
  // The rows of these tables contain hashes but retain no bytes. For example, a release contains the hash of a deleted
  // file.
  const own = ['schema_migrations.sha256', 'storage_objects.sha256', 'storage_releases.sha256']
  const covered = new Set([...own, ...STORAGE_REFERENCES.flatMap(({ columns }) => columns)])
  assert.deepEqual(
    holders.filter((column) => !covered.has(column)),
    [],
  )
})

test('the queries for references use indexes', async (t) => {
  const { db } = await openAll(t)
  for (const { name, query } of STORAGE_REFERENCES) {
    const plan = await db.transaction().execute(async (trx) => {
      await sql`set local enable_seqscan = off`.execute(trx)
      const { rows } = await sql<{ 'QUERY PLAN': string }>`explain ${query(['0'.repeat(64)])}`.execute(trx)
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    })
    assert.doesNotMatch(plan, /Seq Scan/, name)
  }
})
