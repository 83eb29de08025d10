import assert from 'node:assert/strict'
import { copyFile, mkdir, readdir, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startService, temporaryDir } from '../../../test/harness.ts'
import { PRINT_FILE } from '../../orders/factory.ts'
import type { Manifest } from '../../platform/backup/index.ts'
import { platen, platenHere } from '../platen.fixture.ts'
import {
  changeFile,
  emptyPlace,
  manifestsIn,
  PASSPHRASE,
  pathOf,
  readManifests,
  runWith,
  startBackedUpShop,
} from './factory.ts'

const readFirst = async (target: string): Promise<Manifest> => (await readManifests(target))[0]

test('a backup restores rows, files and the secret to an empty database and a new data folder', async (t) => {
  const { service, db, run, backup, target, token, order } = await startBackedUpShop(t)
  const { email, password } = await service.signUp()
  // As if the trigger that computes this column were newer than the row.
  await sql`update payments set order_status = null`.execute(db)
  const made = await backup()
  assert.equal(made.code, 0, made.err)
  assert.match(made.out, /Backup \S+ of \S+ is complete and verified in /)
  await order()

  const verified = await run('backup', 'verify', target)
  assert.deepEqual([verified.code, verified.err], [0, ''])
  const place = await emptyPlace(t)
  const restored = await runWith(place.env, ['restore', target])
  assert.equal(restored.code, 0, restored.err)
  assert.match(restored.out, /Restored the state of .*, which Platen \S+ had stored, to .*data and the database of /)

  const copy = await startService(t, place)
  // The access token has a signature of a key that is encrypted with the restored secret.
  const { body: orders } = await copy.request('GET', '/orders', { token })
  assert.equal(orders.data.length, 1)
  const { designId } = orders.data[0].items[0]
  const file = await copy.request('GET', `/designs/${designId}/files/print`, { token })
  assert.deepEqual(file.body, PRINT_FILE)
  const signedIn = await copy.request('POST', '/api/auth/login', { body: { email, password } })
  assert.equal(signedIn.status, 200, signedIn.text)
  const { rows: all } = await sql<{ orders: number }>`select count(*) as orders from orders`.execute(copy.db)
  assert.deepEqual(all, [{ orders: 1 }], 'the order after the backup is not in the copy')
  const { rows: payments } = await sql`select order_status from payments`.execute(copy.db)
  assert.deepEqual(payments, [{ order_status: null }])
  // Identity columns, triggers and the order of events continue behind the restored rows.
  const next = await copy.request('POST', '/orders', {
    token,
    body: { items: [{ designId, quantity: 1 }], shippingAddress: orders.data[0].shippingAddress },
  })
  assert.equal(next.status, 201, next.text)
  const { rows } = await sql<{ isLast: boolean }>`
    select transaction_id = (select max(transaction_id) from events) as "isLast"
    from events order by position desc limit 1`.execute(copy.db)
  assert.deepEqual(rows, [{ isLast: true }])
})

test('a second backup copies only new files, and stores equal tables once', async (t) => {
  const { backup, target, uploadImage } = await startBackedUpShop(t)
  const first = await backup()
  assert.match(first.out, /Stored files: 2 copied \(\d+ bytes\), 0 were in the target already\./)
  const count = async () => (await readdir(join(target, 'blobs'), { recursive: true })).length
  const before = await count()
  await backup()
  const [one, two] = await readManifests(target)
  const filesOf = ({ database, storage }: Manifest) =>
    [...database.tables, { part: storage.list }].map(({ part }) => part.file.sha256)
  const added = new Set(filesOf(two)).difference(new Set(filesOf(one)))
  assert.ok(added.size < 10, 'most tables have not changed')
  assert.equal(await count(), before + added.size)
  await uploadImage('#993366')
  const third = await backup()
  assert.match(third.out, /Stored files: 1 copied \(\d+ bytes\), 2 were in the target already\./)
  assert.equal((await manifestsIn(target)).length, 3)
  const listed = await platenHere(['backup', 'list', target])
  assert.match(listed.out, /^(\S+ {2}.* rows, [23] files, \d+ bytes, Platen \S+, with secret\n){3}$/)
})

test('no backup is made without a passphrase, unless the secret is left out', async (t) => {
  const { env, target } = await startBackedUpShop(t)
  const { PLATEN_BACKUP_PASSPHRASE: _, ...withoutPassphrase } = env
  const refused = await runWith(withoutPassphrase, ['backup', target])
  assert.deepEqual([refused.code, await manifestsIn(target)], [1, []])
  assert.match(refused.err, /there is no passphrase .* --passphrase-file, .* or add --without-secret/)
  const short = await runWith({ ...env, PLATEN_BACKUP_PASSPHRASE: 'short' }, ['backup', target])
  assert.match(short.err, /passphrase is too short/)
  const made = await runWith(withoutPassphrase, ['backup', target, '--without-secret'])
  assert.match(made.out, /It does not contain secret\.key\./)
})

test('a wrong or missing secret ends a backup and a start with one line that says what to do', async (t) => {
  const { env, target } = await startBackedUpShop(t)
  const dataDir = env['PLATEN_DATA_DIR'] ?? ''
  const PLATEN_SECRET_KEY = Buffer.alloc(32).toString('base64')
  const file = join(await temporaryDir(t), 'other.key')
  await writeFile(file, PLATEN_SECRET_KEY)
  const fail = async (settings: Record<string, string>, ...args: string[]) => {
    const { code, out, err } = await platen(args, { ...env, PLATEN_PORT: '0', ...settings })
    assert.deepEqual([code, out, err.split('\n').length], [1, '', 2], err)
    return err
  }
  const wrong = await fail({ PLATEN_SECRET_KEY }, 'backup', target)
  assert.match(
    wrong,
    /^platen: PLATEN_SECRET_KEY is not the secret of this database\. Set it to the secret of the nodes/,
  )
  assert.match(
    await fail({ PLATEN_SECRET_KEY_FILE: file }, 'serve'),
    /^platen: PLATEN_SECRET_KEY_FILE is not the secret/,
  )
  assert.deepEqual(await manifestsIn(target), [])
  const path = join(dataDir, 'secret.key')
  await rename(path, `${path}.away`)
  const missing = await fail({}, 'serve')
  assert.ok(
    missing.startsWith(`platen: ${path} is missing, and the database is encrypted with it. Set PLATEN_SECRET_KEY`),
  )
  assert.match(
    missing,
    /or copy the file of one\. If there is none, run "platen restore": a backup has the secret only/,
  )
  await writeFile(path, 'rubbish')
  assert.match(await fail({}, 'serve'), /secret\.key is damaged: expected 43 characters/)
})

test('the secret is restored only with its passphrase, and never stored in plain text', async (t) => {
  const { backup, env, target } = await startBackedUpShop(t)
  await backup()
  const secret = (await readFile(join(env['PLATEN_DATA_DIR'] ?? '', 'secret.key'), 'utf8')).trim()
  const plain = JSON.stringify(await readFirst(target))
  for (const encoding of ['base64', 'base64url', 'hex'] as const) {
    assert.ok(!plain.includes(Buffer.from(secret, 'base64url').toString(encoding)), encoding)
  }
  const place = await emptyPlace(t)
  const wrong = await runWith({ ...place.env, PLATEN_BACKUP_PASSPHRASE: `${PASSPHRASE}?` }, ['restore', target])
  assert.equal(wrong.code, 1)
  assert.match(wrong.err, /The passphrase is not that of the backup .* Nothing was restored\./)
  assert.deepEqual(await readdir(join(place.dataDir, '..')), [])
  const right = await runWith(place.env, ['restore', target])
  assert.equal(right.code, 0, right.err)
  assert.equal((await readFile(join(place.dataDir, 'secret.key'), 'utf8')).trim(), secret)

  const another = await emptyPlace(t)
  const PLATEN_SECRET_KEY = Buffer.alloc(32).toString('base64')
  const refused = await runWith({ ...another.env, PLATEN_SECRET_KEY }, ['restore', target])
  assert.match(refused.err, /PLATEN_SECRET_KEY is another secret than that of the backup\. Nothing was restored\./)
  const kept = await runWith({ ...another.env, PLATEN_SECRET_KEY: secret }, ['restore', target])
  assert.equal(kept.code, 0, kept.err)
  assert.ok(!(await readdir(another.dataDir)).includes('secret.key'))
  assert.match(
    kept.out,
    /^The secret stays in PLATEN_SECRET_KEY, and the new folder has no secret\.key\. Start the copy/m,
  )
  assert.doesNotMatch(right.out, /The secret stays/)

  // After a rotation of the secret in the settings, the next one encrypts the restored database again.
  const third = await emptyPlace(t)
  const both = { PLATEN_SECRET_KEY, PLATEN_SECRET_KEY_PREVIOUS: secret }
  const rotated = await runWith({ ...third.env, ...both }, ['restore', target])
  assert.equal(rotated.code, 0, rotated.err)
})

test('a changed manifest is refused, also with a new checksum', async (t) => {
  const { backup, run, target } = await startBackedUpShop(t)
  await backup()
  const [name = ''] = await manifestsIn(target)
  const path = join(target, 'backups', name)
  await changeFile(path, (bytes) => Buffer.from(bytes.toString().replace('"program": "', '"program": "9')))
  assert.match((await run('backup', 'verify', target)).err, /The manifest of the backup .* is damaged/)
  assert.equal((await run('backup', 'list', target)).code, 1)
  // The passphrase protects the manifest too, because the checksum could be computed again.
  const { digestOf } = await import('../../platform/backup/format/manifest.ts')
  await changeFile(path, (bytes) => {
    const { manifest } = JSON.parse(bytes.toString())
    return Buffer.from(JSON.stringify({ sha256: digestOf(manifest), manifest }))
  })
  const place = await emptyPlace(t)
  const { code, err } = await runWith(place.env, ['restore', target])
  assert.equal(code, 1)
  assert.match(err, /or the manifest was changed\. Nothing was restored\./)
})

test('damaged, truncated and missing parts are found by verify, and before a restore changes anything', async (t) => {
  const { backup, run, target } = await startBackedUpShop(t)
  await backup()
  const { database, storage } = await readFirst(target)
  const users = database.tables.find(({ name }) => name === 'users')
  const [dump, list] = [pathOf(target, users?.part.file.sha256 ?? ''), pathOf(target, storage.list.file.sha256)]
  const place = await emptyPlace(t)
  const kept = join(await temporaryDir(t), 'kept')
  const faults: [path: string, fault: (path: string) => Promise<void>, message: RegExp][] = [
    [dump, (path) => changeFile(path, flipLast), /The table users in .* is damaged: /],
    [dump, async (path) => truncate(path, (await readFile(path)).length - 5), /The table users in .* is damaged: /],
    [dump, (path) => rm(path), /The table users in .* is damaged: ENOENT/],
    [list, (path) => changeFile(path, flipLast), /The list of the stored files in .* is damaged: /],
    [pathOf(target, await anyObject(target)), (path) => changeFile(path, flipLast), /1 stored files .* are missing or/],
    [pathOf(target, await anyObject(target)), (path) => rm(path), /1 stored files .* are missing or damaged/],
  ]
  for (const [path, fault, message] of faults) {
    await copyFile(path, kept)
    await fault(path)
    for (const { code, err } of [
      await run('backup', 'verify', target),
      await runWith(place.env, ['restore', target]),
    ]) {
      assert.equal(code, 1, String(message))
      assert.match(err, message)
    }
    assert.deepEqual(await readdir(join(place.dataDir, '..')), [])
    await copyFile(kept, path)
  }
})

const flipLast = (bytes: Buffer): Buffer => bytes.fill((bytes.at(-1) ?? 0) ^ 1, bytes.length - 1)

async function anyObject(target: string): Promise<string> {
  const { createHash } = await import('node:crypto')
  assert.ok((await readFirst(target)).storage.objects > 0)
  return createHash('sha256').update(PRINT_FILE).digest('hex')
}

test('a restore never changes a database with tables or a folder with files', async (t) => {
  const { backup, run, target, env } = await startBackedUpShop(t)
  await backup()
  const same = await run('restore', target, '--data-dir', join(target, 'data'))
  assert.equal(same.code, 1)
  assert.match(same.err, /The database is not empty \(graphile_worker\.\S+\)\. Nothing was changed\./)
  const place = await emptyPlace(t)
  const full = await runWith(place.env, ['restore', target, '--data-dir', env['PLATEN_DATA_DIR'] ?? ''])
  assert.equal(full.code, 1)
  assert.match(full.err, /The folder .* is not empty\. Nothing was changed\./)
})

test('without a complete backup there is nothing to restore, also not of an earlier time', async (t) => {
  const { backup, target } = await startBackedUpShop(t)
  const place = await emptyPlace(t)
  const none = await runWith(place.env, ['restore', target])
  assert.match(none.err, /The folder .* does not exist\./)
  await backup()
  const { id, takenAt } = await readFirst(target)
  const early = await runWith(place.env, ['restore', target, '--at', '2020-01-01T00:00:00Z'])
  assert.match(early.err, /contains no complete backup of 2020-01-01T00:00:00\.000Z or earlier/)
  // The newest backup must not pass for the latest point in time.
  const latest = await runWith(place.env, ['restore', target, '--at', 'latest'])
  assert.equal(latest.code, 2)
  assert.match(latest.err, /--at latest is for the archive of PLATEN_WAL_ARCHIVE, which is not set/)
  const other = await runWith(place.env, ['restore', target, '--id', 'another'])
  assert.match(other.err, /contains no complete backup another/)
  await backup()
  const at = await runWith(place.env, ['restore', target, '--at', takenAt])
  assert.equal(at.code, 0, at.err)
  assert.match(at.out, new RegExp(id))
})

test('a backup with migrations of a newer program is refused', async (t) => {
  const { backup, target, db } = await startBackedUpShop(t)
  await sql`insert into schema_migrations (name, sha256, min_compatible)
    values ('9999_later.sql', ${'0'.repeat(64)}, '0024')`.execute(db)
  assert.equal((await backup()).code, 0)
  const { code, err } = await runWith((await emptyPlace(t)).env, ['restore', target])
  assert.equal(code, 1)
  assert.match(err, /has a newer schema than this version of Platen \(9999_later\.sql\)/)
})

test('a backup in the folder of the data is refused, also behind a symbolic link', async (t) => {
  const { run, env } = await startBackedUpShop(t)
  const { PLATEN_DATA_DIR: dataDir = '' } = env
  const link = join(await temporaryDir(t), 'link')
  await symlink(dataDir, link)
  for (const folder of [dataDir, link]) {
    const { code, err } = await run('backup', join(folder, 'backups'))
    assert.equal(code, 1)
    assert.match(err, /whose loss the backup must survive/)
  }
})

test('a restore fills the folder to which a symbolic link leads, and refuses a link that leads nowhere', async (t) => {
  const { backup, target } = await startBackedUpShop(t)
  await backup()
  const place = await emptyPlace(t)
  const root = join(place.dataDir, '..')
  const restore = (name: string) => runWith(place.env, ['restore', target, '--data-dir', join(root, name)])
  await symlink('missing', join(root, 'nowhere'))
  const refused = await restore('nowhere')
  assert.equal(refused.code, 1)
  assert.match(refused.err, /is a symbolic link to missing, which does not exist\. Nothing was changed\./)
  assert.deepEqual(await readdir(root), ['nowhere'])
  await mkdir(join(root, 'real'))
  await symlink('real', join(root, 'link'))
  const restored = await restore('link')
  assert.equal(restored.code, 0, restored.err)
  assert.deepEqual((await readdir(root)).sort(), ['link', 'nowhere', 'real'])
  assert.ok((await readdir(join(root, 'real'))).includes('secret.key'))
})
