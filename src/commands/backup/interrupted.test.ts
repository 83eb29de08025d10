import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { bundleService } from '../../../scripts/lib/service-process.ts'
import { until } from '../../../test/lib/until.ts'
import { STORAGE_REFERENCES } from '../../features.ts'
import { findBackup, loadDatabase, openFolderSource } from '../../platform/backup/index.ts'
import { openDatabase } from '../../platform/db/index.ts'
import { migrate } from '../../platform/db/migrations/migrate.ts'
import { collect, openFileStore, withCollectionLock } from '../../platform/storage/index.ts'
import { createLog } from '../../platform/telemetry/log.ts'
import {
  type BackedUpShop,
  blockReader,
  changeFile,
  emptyPlace,
  manifestsIn,
  pathOf,
  readManifests,
  runWith,
  startBackedUpShop,
} from './factory.ts'

const log = createLog({ level: 'silent' })

/** Starts a backup, which waits for the bytes of one stored file. */
async function startHeldBackup<T>(t: TestContext, begin: (shop: BackedUpShop) => T) {
  const shop = await startBackedUpShop(t)
  const storage = join(shop.env['PLATEN_DATA_DIR'] ?? '', 'storage')
  const [held = ''] = await storedIn(storage)
  const blocked = await blockReader(pathOf(storage, held))
  const begun = begin(shop)
  // The dump is stored before the first file is copied.
  await until('another file to be copied', async () => {
    const copied = await storedIn(shop.target).catch((): string[] => [])
    return (await storedIn(storage)).some((sha256) => sha256 !== held && copied.includes(sha256))
  })
  return { ...shop, storage, held, blocked, begun }
}

async function storedIn(root: string): Promise<string[]> {
  const names = await readdir(join(root, 'blobs'), { recursive: true })
  return names.map((name) => name.split('/')[1] ?? '').filter((name) => /^[0-9a-f]{64}$/.test(name))
}

async function collectGarbage({ service }: Pick<BackedUpShop, 'service'>, storage: string) {
  const { database } = service.services
  const deps = { database, store: await openFileStore(storage), log, references: STORAGE_REFERENCES }
  return withCollectionLock(deps, (inner) => collect(inner))
}

test('a killed backup leaves no backup, and the next one continues with its files', async (t) => {
  const { begun: child, ...shop } = await startHeldBackup(t, ({ env, target }) =>
    spawn(process.execPath, [bundleService(), 'backup', target], {
      env: { PATH: process.env['PATH'], ...env },
      stdio: 'ignore',
    }),
  )
  const { blocked, target, storage, held, run } = shop
  child.kill('SIGKILL')
  await once(child, 'exit')
  assert.deepEqual(await manifestsIn(target), [])
  assert.match((await run('backup', 'list', target)).out, /contains no complete backup/)
  assert.equal((await run('restore', target, '--data-dir', join(target, 'new'))).code, 1)

  await blocked.restore()
  assert.ok(!(await storedIn(target)).includes(held))
  const next = await run('backup', target)
  assert.match(next.out, /Stored files: 1 copied \(\d+ bytes\), 1 were in the target already\./)
  assert.equal((await storedIn(storage)).length, 2)
})

test('while a backup runs, no file is deleted that its snapshot refers to', async (t) => {
  const shop = await startHeldBackup(t, ({ backup }) => backup())
  const { db, storage, blocked, begun, target } = shop
  // The record of the image disappears after the snapshot, and its file has been stored for more than a day.
  await sql`delete from assets`.execute(db)
  await sql`update storage_objects set put_at = now() - interval '2 days'`.execute(db)
  assert.equal(await collectGarbage(shop, storage), undefined, 'the collection is paused')
  await blocked.letGo()
  const { code, err } = await begun
  assert.equal(code, 0, err)
  const [{ storage: backedUp }] = await readManifests(target)
  assert.equal(backedUp.objects, 2)
  await blocked.restore()
  assert.equal((await collectGarbage(shop, storage))?.deleted, 1, 'the collection runs again')
})

test('nothing is removed while a backup is being made', async (t) => {
  const { blocked, begun, target, run } = await startHeldBackup(t, ({ backup }) => backup())
  const files = await storedIn(target)
  const refused = await run('backup', 'prune', target, '--keep-last', '1')
  assert.equal(refused.code, 1)
  assert.match(refused.err, /A backup is being made, .* Nothing was removed\./)
  assert.deepEqual(await storedIn(target), files)
  await blocked.letGo()
  const { code, err } = await begun
  assert.equal(code, 0, err)
})

test('a backup waits while old backups are removed, and does not rely on their files', async (t) => {
  const { backup, db, run, target, service } = await startBackedUpShop(t)
  await backup()
  const { database } = service.services
  const begun = await withCollectionLock({ database }, async () => {
    const waiting = backup()
    await until('the backup to wait for the lock', async () => {
      const { rows } = await sql`select from pg_stat_activity
        where datname = current_database() and application_name = 'platen backup'
          and state = 'idle in transaction' and query like '%pg_try_advisory_xact_lock_shared%'`.execute(db)
      return rows.length > 0
    })
    assert.equal((await manifestsIn(target)).length, 1)
    return { waiting }
  })
  assert.match((await begun?.waiting)?.out ?? '', /^Waiting until unused files are deleted\./)
  assert.equal((await run('backup', 'verify', target)).code, 0)
})

test('a backup whose pause of the collection was lost fails', async (t) => {
  const { db, blocked, begun, target } = await startHeldBackup(t, ({ backup }) => backup())
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'platen backup'`.execute(db)
  await blocked.letGo()
  assert.equal((await begun).code, 1)
  assert.deepEqual(await manifestsIn(target), [])
})

test('a file that the storage has lost fails the backup, unless it may be missing', async (t) => {
  const { backup, run, env, target } = await startBackedUpShop(t)
  const storage = join(env['PLATEN_DATA_DIR'] ?? '', 'storage')
  assert.equal((await run('storage', 'verify')).code, 0)
  const [lost = '', damaged = ''] = await storedIn(storage)
  await rm(pathOf(storage, lost))
  await changeFile(pathOf(storage, damaged), (bytes) => Buffer.concat([bytes, bytes]))
  const verified = await run('storage', 'verify')
  assert.equal(verified.code, 1)
  assert.ok(verified.out.includes(`${lost} is missing\n`) && verified.out.includes(`${damaged} is damaged\n`))
  assert.match(verified.out, /2 files checked, 2 missing or damaged\.\n$/)

  const refused = await backup()
  assert.deepEqual([refused.code, await manifestsIn(target)], [1, []])
  assert.match(refused.err, /2 stored files are missing or damaged, .* add --allow-missing/)
  const made = await backup('--allow-missing')
  assert.match(made.out, /2 stored files are missing, because the storage had lost them\./)
  assert.equal((await run('backup', 'verify', target)).code, 0)
  const restored = await runWith((await emptyPlace(t)).env, ['restore', target])
  assert.match(restored.out, /2 stored files were not in the backup\./)
})

test('a restore that fails leaves no rows, no service starts on it, and a further restore succeeds', async (t) => {
  const { backup, target } = await startBackedUpShop(t)
  await backup()
  const source = await openFolderSource(target)
  const manifest = await findBackup(source, {})
  const { database: settings, env } = await emptyPlace(t)
  const orders = manifest.database.tables.find(({ name }) => name === 'orders')
  assert.ok(orders !== undefined)
  const right = orders.part.content.sha256
  orders.part.content.sha256 = '0'.repeat(64)
  const load = () => loadDatabase({ settings, log, source, report: () => undefined }, manifest.database)
  await assert.rejects(load(), /The table orders in .* is damaged: its rows have another checksum/)
  const { db, close } = openDatabase(settings, log)
  t.after(close)
  const { rows } = await sql<{ users: number }>`select count(*) as users from users`.execute(db)
  assert.deepEqual(rows, [{ users: 0 }])
  await assert.rejects(migrate(settings, log), /A restore into this database was interrupted/)
  const early = await runWith(env, ['storage', 'verify'])
  assert.match(early.err, /A restore into this database was interrupted/)

  orders.part.content.sha256 = right
  // With this type, the server changes each value that it stores.
  const setType = (type: string) => sql`alter table users alter column password_hash type ${sql.raw(type)}`.execute(db)
  await setType('char(300)')
  await assert.rejects(load(), /The table users has other rows after the restore \(1 instead of 1\)/)
  await setType('text')
  await load()
  await migrate(settings, log)
})
