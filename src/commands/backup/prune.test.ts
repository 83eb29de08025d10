import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { changeFile, manifestsIn, pathOf, readManifests, startBackedUpShop } from './factory.ts'

const stateOf = async (target: string): Promise<string[]> => (await readdir(target, { recursive: true })).sort()

const flipLast = (bytes: Buffer): Buffer => Buffer.concat([bytes.subarray(0, -1), Buffer.from([~(bytes.at(-1) ?? 0)])])

test('pruning removes old backups and only the files that no other backup needs', async (t) => {
  const { backup, run, db, target, uploadImage } = await startBackedUpShop(t)
  const prune = (...options: string[]) => run('backup', 'prune', target, ...options)
  // The folder of a mistyped name, or of a disk that is not mounted, is not created.
  assert.match((await prune('--keep-last', '1')).err, /The folder .* does not exist\./)
  assert.match((await prune('--keep-last', '1')).err, /The folder .* does not exist\./)
  await mkdir(target)
  assert.match((await prune('--keep-last', '1')).err, /contains no complete backup\. Nothing was removed\./)
  await backup()
  await sql`delete from assets`.execute(db)
  await uploadImage('#993366')
  await backup()
  const [oldest, newest] = await readManifests(target)
  const before = await stateOf(target)

  const unsaid = await prune()
  assert.deepEqual([unsaid.code, unsaid.out], [2, ''])
  assert.match(unsaid.err, /Nothing says which backups to keep\. Add --keep-last/)
  const noArchive = await prune('--keep-last', '1', '--point-in-time', '3')
  assert.deepEqual([noArchive.code, noArchive.out], [2, ''])
  assert.match(noArchive.err, /--point-in-time is for the archive of PLATEN_WAL_ARCHIVE, which is not set/)
  const dry = await prune('--keep-last', '1', '--dry-run')
  assert.match(dry.out, new RegExp(`^${newest.id}  kept\n${oldest.id}  would be removed\nTo be removed: backups 1, `))
  const all = await prune('--keep-last', '2')
  assert.match(all.out, /\nRemoved: backups 0, files 0 \(0 bytes\)\. Kept: backups 2\.\n$/)
  assert.deepEqual(await stateOf(target), before)

  // As if a prune had been killed after it had removed the manifest.
  const manifest = join(target, 'backups', `${oldest.id}.json`)
  const bytes = await readFile(manifest)
  await rm(manifest)
  const completed = await prune('--keep-last', '1')
  assert.match(completed.out, /\nRemoved: backups 0, files [1-9]\d* /)
  const files = (await stateOf(target)).filter((name) => name.startsWith('blobs'))
  assert.ok(files.length < before.length)
  assert.equal((await run('backup', 'verify', target)).code, 0)

  // A manifest whose files are gone does not stop the removal of its backup.
  await writeFile(manifest, bytes)
  const removed = await prune('--keep-last', '1')
  assert.match(removed.out, /\nRemoved: backups 1, files 0 \(0 bytes\)\. Kept: backups 1\.\n$/)
  assert.deepEqual(await manifestsIn(target), [`${newest.id}.json`])
  assert.deepEqual(
    (await stateOf(target)).filter((name) => name.startsWith('blobs')),
    files,
  )
})

test('nothing is removed if it is unknown what a backup needs, or if a backup that stays is incomplete', async (t) => {
  const { backup, run, target } = await startBackedUpShop(t)
  await backup()
  await backup()
  const [oldest, newest] = await readManifests(target)
  const manifest = join(target, 'backups', `${oldest.id}.json`)
  const users = newest.database.tables.find(({ name }) => name === 'users')?.part.file.sha256 ?? ''
  const list = newest.storage.list.file.sha256
  const faults: [path: string, fault: (path: string) => Promise<void>, message: RegExp][] = [
    [
      manifest,
      (path) => writeFile(path, '{'),
      /The manifest of the backup .* cannot be read, .* Nothing was removed\./,
    ],
    [pathOf(target, list), (path) => changeFile(path, flipLast), /The list of the stored files in .* is damaged/],
    [
      pathOf(target, users),
      (path) => truncate(path, 10),
      /has another size of the file [0-9a-f]{64}, .* Nothing was removed\./,
    ],
    [pathOf(target, users), (path) => rm(path), /lacks the file [0-9a-f]{64}, .* Nothing was removed\./],
  ]
  for (const [path, fault, message] of faults) {
    const bytes = await readFile(path)
    await fault(path)
    const before = await stateOf(target)
    const { code, err } = await run('backup', 'prune', target, '--keep-last', '1')
    assert.equal(code, 1)
    assert.match(err, message)
    assert.deepEqual(await stateOf(target), before)
    await writeFile(path, bytes)
  }
  assert.equal((await run('backup', 'prune', target, '--keep-last', '1')).code, 0)
})
