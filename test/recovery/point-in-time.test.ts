import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { signIn } from '../../scripts/lib/client.ts'
import { bundleService, startServiceProcess } from '../../scripts/lib/service-process.ts'
import { PASSPHRASE } from '../../src/commands/backup/factory.ts'
import { platen } from '../../src/commands/platen.fixture.ts'
import { isRunning } from '../../src/platform/postgres/programs/processes.ts'
import { query, startServer } from '../../src/platform/postgres/testing/service-process.ts'
import { becomeCustomer, openBusyShop, requireAcknowledged, temporaryRoot } from '../lib/busy-shop.ts'
import { until } from '../lib/until.ts'

interface Stopped {
  /** The folder that the restore left. */
  draft: string
  /** The process id of its PostgreSQL. NaN if that had not started. */
  pid: number
}

/** Ends a restore when a file is in the database folder. */
async function endRestore(
  root: string,
  args: readonly string[],
  settings: Record<string, string>,
  { file, signal }: { file: string; signal: 'SIGKILL' | 'SIGINT' },
): Promise<Stopped> {
  const child = spawn(process.execPath, [bundleService(), ...args], {
    env: { PATH: process.env['PATH'], ...settings },
    stdio: 'ignore',
  })
  let draft = ''
  await until('the database of the restore', async () => {
    const name = (await readdir(root)).find((one) => one.startsWith('killed.restoring-'))
    draft = join(root, name ?? '')
    return name !== undefined && (await stat(join(draft, 'postgres', file)).catch(() => undefined)) !== undefined
  })
  const readPid = () => readFile(join(draft, 'postgres/postmaster.pid'), 'utf8').catch(() => '')
  const before = await readPid()
  child.kill(signal)
  await once(child, 'exit')
  return { draft, pid: Number.parseInt(before || (await readPid()), 10) }
}

/** Changes the manifest of the only base copy. Returns a function that undoes it. */
async function changeBaseCopy(archive: string, change: object): Promise<() => Promise<void>> {
  const [log = ''] = await readdir(archive)
  const [id = ''] = await readdir(join(archive, log, 'bases'))
  const path = join(archive, log, 'bases', id, 'manifest.json')
  const before = await readFile(path, 'utf8')
  await writeFile(path, JSON.stringify({ ...JSON.parse(before), ...change }))
  return () => writeFile(path, before)
}

test('a restore to a point in time under load has what was acknowledged before, and nothing that was begun later', async (t) => {
  const root = await temporaryRoot(t)
  const [dataDir, target, copyDir] = ['data', 'backups', 'copy'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ]
  const settings = {
    ...{ PLATEN_RATE_LIMITS: 'off', PLATEN_STORAGE_FREE_MIB: '0', PLATEN_BACKUP_PASSPHRASE: PASSPHRASE },
    ...{ PLATEN_DATA_DIR: dataDir, PLATEN_WAL_ARCHIVE: join(root, "the shop's archive") },
  }
  const service = await startServiceProcess(settings)
  t.after(() => service.child.kill('SIGKILL'))
  const shop = openBusyShop(service.origin)
  await until('a customer', () => shop.made.length >= 1)
  const made = await platen(['backup', target], settings)
  assert.equal(made.code, 0, made.err)
  const count = shop.made.length
  await until('customers after the backup', () => shop.made.length >= count + 2)
  await delay(5)
  const at = new Date()
  const isBefore = ({ ackedAt }: { ackedAt: Date }) => ackedAt < at
  const isAfter = ({ beganAt }: { beganAt: Date }) => beganAt > at
  await until('customers after the time', () => shop.made.filter(isAfter).length >= 2)
  await shop.close()
  const args = ['restore', target, '--at', at.toISOString()]
  const early = await platen([...args, '--data-dir', copyDir], settings)
  assert.equal(early.code, 1)
  assert.match(early.err, /does not have \S+\. Nothing was restored\. (Any|No) point in time /)
  const { PLATEN_WAL_ARCHIVE: archive, ...without } = settings
  const incomplete = await platen(['backup', target], without)
  assert.equal(incomplete.code, 1)
  assert.match(
    incomplete.err,
    /is complete, but no base copy .* because PLATEN_WAL_ARCHIVE is not set\. The service archives to/,
  )
  assert.ok(incomplete.err.includes(archive))
  // A stop archives the last segment.
  assert.equal(await service.stop(), 0, service.output())
  const listed = await platen(['backup', 'list', target], settings)
  assert.match(
    listed.out,
    /Any point in time from \S+ to \S+ can be restored \(log \S+ of this data folder, 1 base copy\)\./,
  )

  const prune = ['backup', 'prune', target, '--keep-last', '1', '--dry-run']
  const unknown = join(archive, '2020-01-01T00-00-00Z-abcdef')
  await mkdir(unknown)
  const pruned = await platen(prune, settings)
  assert.match(
    pruned.out,
    /^To be removed from the archive: base copies 0, segments [1-9]\d*\.\nKept in the archive: the ended log 2020-\S+ \(base copies 0, segments 0\)/m,
  )
  await rm(unknown, { recursive: true })

  const newer = { program: '99.0.0', migrations: ['9999_later.sql'], major: 99 }
  const unchange = await changeBaseCopy(archive, newer)
  const other = await platen([...args, '--data-dir', copyDir], settings)
  assert.equal(other.code, 1)
  assert.match(
    other.err,
    /Platen 99\.0\.0 with PostgreSQL 99 made the base copy \S+, which this Platen \S+ with PostgreSQL \d+ cannot restore\./,
  )
  await unchange()
  const latest = await platen(['restore', target, '--at', 'latest', '--data-dir', join(root, 'latest')], settings)
  assert.equal(latest.code, 0, latest.err)
  const [, end] = /^The last point in time of the archive is (\S+) \(log \S+\)\.$/m.exec(latest.out) ?? []
  assert.ok(end !== undefined && new Date(end) > at, latest.out)
  assert.ok(latest.out.includes(`Restored the state of ${end} to `), latest.out)

  const restored = await platen([...args, '--data-dir', copyDir], settings)
  assert.equal(restored.code, 0, restored.err)
  assert.match(restored.out, /The last change in the database is the transaction of /)
  assert.doesNotMatch(restored.out, /missing/)
  const copy = await startServiceProcess({ ...settings, PLATEN_DATA_DIR: copyDir, PLATEN_SEND: 'off' })
  t.after(() => copy.child.kill('SIGKILL'))
  assert.match(copy.output(), /has no base copy of this database yet\. Run "platen backup" to make one\./)
  const before = shop.made.filter(isBefore)
  assert.ok(before.length >= count + 2)
  for (const one of before) await requireAcknowledged(copy.origin, one)
  for (const { email, password } of shop.made.filter(isAfter)) {
    await assert.rejects(signIn(copy.origin, email, password), /401/)
  }
  // The copy is a working shop.
  await requireAcknowledged(copy.origin, await becomeCustomer(copy.origin))
  assert.equal(await copy.stop(), 0, copy.output())
  const unpruned = await platen(prune, { ...settings, PLATEN_DATA_DIR: copyDir })
  assert.match(
    unpruned.out,
    /^Nothing is to be removed from the archive, because the database of the data folder has no/m,
  )

  const restoreKilled = [...args, '--data-dir', join(root, 'killed')]
  // Ctrl-C ends PostgreSQL, too.
  const ended = await endRestore(root, restoreKilled, settings, { file: 'postmaster.pid', signal: 'SIGINT' })
  await until('the end of PostgreSQL', async () => !(await isRunning(ended.pid)))
  await rm(ended.draft, { recursive: true })

  const { draft, pid } = await endRestore(root, restoreKilled, settings, { file: 'recovery.signal', signal: 'SIGKILL' })
  // PostgreSQL may have been started, and outlives the restore.
  if (pid > 0) process.kill(pid, 'SIGQUIT')
  const refused = await platen(['serve'], { ...settings, PLATEN_DATA_DIR: draft, PLATEN_PORT: '0' })
  assert.equal(refused.code, 1)
  assert.match(refused.err, /A restore into \S+ was interrupted, so its database or its files are incomplete\./)

  // A newer version has run after the base copy.
  const server = await startServer(t, dataDir, { walArchive: archive, unsafeForTests: false })
  await query(
    dataDir,
    "insert into schema_migrations (name, sha256, min_compatible) values ('9999_later.sql', 'none', '0001')",
  )
  await server.stop()
  const later = await platen(['restore', target, '--at', 'latest', '--data-dir', join(root, 'later')], settings)
  assert.equal(later.code, 1)
  assert.match(later.err, /has a newer schema than this Platen \S+ \(9999_later\.sql\)\. Nothing was restored\./)
  assert.deepEqual(
    (await readdir(root)).filter((name) => name.startsWith('later')),
    [],
  )
})
