import assert from 'node:assert/strict'
import { statSync, truncateSync } from 'node:fs'
import {
  appendFile,
  chmod,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { until } from '../../../../test/lib/until.ts'
import { archivedName } from '../archive/archived-file.ts'
import { listLogs, listSegments, type Reach, readLog } from '../archive/read-logs.ts'
import { nextSegment } from '../archive/segments.ts'
import type { EmbeddedPostgresOptions } from '../supervisor.ts'
import { dataDirWithDatabase, emptyDataDir, onEnd, query, startServer } from '../testing/service-process.ts'
import { markFinished, markUnfinished } from '../unfinished-restore.ts'
import { makeBaseCopy } from './make-base-copy.ts'
import { withRecovered } from './recover.ts'

const report = () => undefined

/** Blanks, quotes and placeholders of PostgreSQL must reach the program unchanged. */
const ODD_NAME = `it's "a" $HOME %f 100% \\ folder`

async function oddArchive(t: TestContext): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'platen-archive-'))
  await chmod(root, 0o711)
  onEnd(t, () => rm(root, { recursive: true, force: true }))
  return join(root, ODD_NAME)
}

const copyBase = (dataDir: string, archive: string, id: string) =>
  makeBaseCopy({ dataDir, archive, report }, { id, program: '1.0.0', migrations: ['0001_first.sql'] })

const now = async (dataDir: string): Promise<Date> =>
  (await query(dataDir, 'select clock_timestamp() as at'))[0]?.['at'] as Date

const finishSegment = (dataDir: string) => query(dataDir, 'select pg_switch_wal()', 'postgres')

test('a recovery has what was committed before the time and nothing that was committed later', async (t) => {
  const [dataDir, walArchive] = [await dataDirWithDatabase(t), await oddArchive(t)]
  const server = await startServer(t, dataDir, { walArchive })
  await query(dataDir, 'create table notes (id int)')
  const base = await copyBase(dataDir, walArchive, 'first')
  await query(dataDir, 'insert into notes values (1)')
  const between = await now(dataDir)
  await query(dataDir, 'insert into notes values (2)')
  await finishSegment(dataDir)
  await query(dataDir, 'insert into notes values (3)')
  await server.stop()
  const [folder] = await listLogs(walArchive)
  assert.ok(folder !== undefined)
  const [reach] = (await readLog(folder)).reaches
  assert.ok(reach?.until !== undefined && reach.missing === undefined)
  assert.equal(reach.base.id, base.id)
  assert.deepEqual([base.program, base.migrations], ['1.0.0', ['0001_first.sql']])

  const recover = async (at: Date | 'latest') => {
    const copy = await emptyDataDir(t)
    const options = { dataDir: copy, reaches: [reach] as const, at, report }
    const recovered = await withRecovered(options, async ({ lastCommitAt, ...end }) => {
      const rows = await query(copy, 'select id from notes order by id')
      return { lastCommitAt, at: end.at, ids: rows.map(({ id }) => id) }
    })
    return { copy, ...recovered }
  }
  const { copy, ids, lastCommitAt } = await recover(between)
  assert.deepEqual(ids, [1])
  assert.ok(lastCommitAt !== undefined && lastCommitAt <= between)
  // No transaction follows this time, so the archive ends before PostgreSQL finds where to stop.
  assert.deepEqual((await recover(reach.until)).ids, [1, 2, 3])
  const latest = await recover('latest')
  assert.deepEqual([latest.ids, latest.at], [[1, 2, 3], reach.until])

  // The copy archives to a log of its own, and leaves that of the original as it is.
  const before = await listSegments(folder)
  await startServer(t, copy, { walArchive })
  await copyBase(copy, walArchive, 'second')
  assert.deepEqual(await listSegments(folder), before)
  const [, own] = await listLogs(walArchive)
  assert.deepEqual(
    (await readLog(own ?? folder)).reaches.map(({ base: { id, timeline } }) => [id, timeline]),
    [['second', 2]],
  )
})

test('a damaged segment ends a recovery and is named, and a damaged base copy is replaced with an earlier one', async (t) => {
  const [dataDir, walArchive] = [await dataDirWithDatabase(t), await oddArchive(t)]
  const server = await startServer(t, dataDir, { walArchive })
  await copyBase(dataDir, walArchive, 'first')
  await query(dataDir, 'create table notes (id int)')
  await copyBase(dataDir, walArchive, 'second')
  await query(dataDir, 'create table later (id int)')
  await server.stop()
  const [folder] = await listLogs(walArchive)
  const [first, second] = folder === undefined ? [] : (await readLog(folder)).reaches
  assert.ok(folder !== undefined && first?.until !== undefined && second !== undefined)
  const { until: at } = first
  const recover = async (...reaches: [Reach, ...Reach[]]) => {
    const copy = await emptyDataDir(t)
    const read = async () => (await query(copy, 'select from later')).length
    return withRecovered({ dataDir: copy, reaches, at, report }, read)
  }
  const disk = await fillDisk(t, walArchive)
  const lines: string[] = []
  const wanted = { dataDir: await emptyDataDir(t), reaches: [second, first] as const, at }
  await assert.rejects(
    withRecovered({ ...wanted, report: (line) => lines.push(line) }, async () => undefined),
    { code: 'ENOSPC' },
  )
  // The other copy is not tried, because the first one is not damaged.
  assert.equal(lines.length, 1)
  disk.free()
  await appendFile(join(folder.bases, 'second', 'base.tar.zst'), 'x')
  await assert.rejects(recover(second), /The base copy \S.*second.base\.tar\.zst (cannot be read|has another checksum)/)
  assert.equal(await recover(second, first), 0)
  const last = join(folder.segments, archivedName(first.segments.at(-1) ?? ''))
  const bytes = await readFile(last)
  // The content is damaged, not the header, which is read before.
  await writeFile(last, bytes.with(bytes.length - 1, (bytes.at(-1) ?? 0) ^ 1))
  await assert.rejects(recover(first), /The archived file \S.* is damaged/)
  // The latest point in time is then the one before the damage.
  const told: string[] = []
  const latest = { dataDir: await emptyDataDir(t), reaches: [first] as const, at: 'latest' as const }
  const end = await withRecovered({ ...latest, report: (line) => told.push(line) }, async (recovered) => recovered.at)
  assert.ok(end < at)
  assert.match(told.join('\n'), /The archived file \S.* is damaged: .* Later changes are not restored\.\nRecovering/)
  await writeFile(last, bytes)
})

/** Fails each write of a file that was opened, as a full disk does. */
async function fillDisk(t: TestContext, folder: string): Promise<{ free(): void }> {
  const file = await open(folder)
  const write = t.mock.method(Object.getPrototypeOf(file), 'writeFile', async () => {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  })
  await file.close()
  return { free: () => write.mock.restore() }
}

test('a segment that is damaged after it was staged ends the recovery, which would otherwise lack its changes', async (t) => {
  const [dataDir, walArchive] = [await dataDirWithDatabase(t), await oddArchive(t)]
  const server = await startServer(t, dataDir, { walArchive })
  await copyBase(dataDir, walArchive, 'first')
  await query(dataDir, 'create table notes (id int)')
  await server.stop()
  const [folder] = await listLogs(walArchive)
  const [reach] = folder === undefined ? [] : (await readLog(folder)).reaches
  assert.ok(folder !== undefined && reach?.until !== undefined)
  const copy = await emptyDataDir(t)
  const damage = (line: string) => {
    if (!line.startsWith('Recovering')) return
    const path = join(copy, 'postgres/platen-restore', archivedName(reach.segments.at(-1) ?? ''))
    truncateSync(path, statSync(path).size - 1)
  }
  await assert.rejects(
    withRecovered({ dataDir: copy, reaches: [reach], at: reach.until, report: damage }, async () => undefined),
    { code: 'recovery_failed' },
  )
})

test('a change is archived within the time, although it does not fill a segment', async (t) => {
  const [dataDir, walArchive] = [await dataDirWithDatabase(t), await oddArchive(t)]
  await startServer(t, dataDir, { walArchive })
  const [folder] = await listLogs(walArchive)
  assert.ok(folder !== undefined)
  await query(dataDir, 'create table notes (id int)')
  await until('the segment', async () => (await listSegments(folder)).length === 1)
})

test('failed attempts to archive are counted, and all segments are archived in the end', async (t) => {
  const [dataDir, walArchive] = [await dataDirWithDatabase(t), await oddArchive(t)]
  await startServer(t, dataDir, { walArchive })
  const [folder] = await listLogs(walArchive)
  assert.ok(folder !== undefined)
  const write = async (name: string) => {
    await query(dataDir, `create table ${name} (id int)`)
    await query(dataDir, 'select pg_switch_wal()', 'postgres')
  }
  await rename(folder.segments, `${folder.segments}.away`)
  await write('first')
  await until('a failed attempt', async () => {
    const [row] = await query(dataDir, 'select failed_count::int as failed from pg_stat_archiver')
    return Number(row?.['failed']) > 0
  })
  await rename(`${folder.segments}.away`, folder.segments)
  await write('second')
  await until('both segments', async () => (await listSegments(folder)).length >= 2)
})

test('a start without the archive ends its log, because it would have a gap', async (t) => {
  const [dataDir, walArchive] = [await dataDirWithDatabase(t), await oddArchive(t)]
  const startAndStop = async (options: { walArchive?: string }) => (await startServer(t, dataDir, options)).stop()
  await startAndStop({ walArchive })
  await startAndStop({ walArchive })
  assert.equal((await listLogs(walArchive)).length, 1)
  await startAndStop({})
  await startAndStop({ walArchive })
  assert.equal((await listLogs(walArchive)).length, 2)
})

test('a command continues the log of the service, and neither ends it nor begins one', async (t) => {
  const [dataDir, walArchive] = [await dataDirWithDatabase(t), await oddArchive(t)]
  const run = async (options: Partial<EmbeddedPostgresOptions>, statement?: string) => {
    const server = await startServer(t, dataDir, options)
    if (statement !== undefined) await query(dataDir, statement)
    await server.stop()
  }
  await run({ walArchive, isForCommand: true })
  await assert.rejects(readdir(walArchive), { code: 'ENOENT' })
  await run({ walArchive }, 'create table first (id int)')
  await run({ isForCommand: true }, 'create table second (id int)')
  await run({ walArchive: `${walArchive}.other`, isForCommand: true }, 'create table third (id int)')
  const [log, ...others] = await listLogs(walArchive)
  assert.ok(log !== undefined && others.length === 0)
  const before = await listSegments(log)
  await run({ walArchive })
  const after = await listSegments(log)
  assert.ok(after.length >= before.length + 2)
  for (const [index, name] of after.slice(1).entries()) assert.equal(name, nextSegment(after[index] ?? ''))
  assert.equal((await listLogs(walArchive)).length, 1)
})

test('a data folder, an archive and a folder of segments behind symbolic links are copied and recovered', async (t) => {
  const [real, archive, links] = [await dataDirWithDatabase(t), await oddArchive(t), await emptyDataDir(t)]
  const [dataDir, walArchive] = [join(links, 'data'), join(links, 'archive')]
  await mkdir(archive, { mode: 0o711 })
  await symlink(real, dataDir)
  await symlink(archive, walArchive)
  await rename(join(real, 'postgres/pg_wal'), join(real, 'wal'))
  await symlink('../wal', join(real, 'postgres/pg_wal'))
  const server = await startServer(t, dataDir, { walArchive })
  await copyBase(dataDir, walArchive, 'first')
  await query(dataDir, 'create table notes as select 1 as id')
  await server.stop()
  const [folder] = await listLogs(walArchive)
  const [reach] = folder === undefined ? [] : (await readLog(folder)).reaches
  assert.ok(reach !== undefined)
  const copy = await emptyDataDir(t)
  const read = () => query(copy, 'select id from notes')
  assert.deepEqual(await withRecovered({ dataDir: copy, reaches: [reach], at: 'latest', report }, read), [{ id: 1 }])
})

test('a folder of the database behind a symbolic link is not copied in part', async (t) => {
  const [dataDir, walArchive] = [await dataDirWithDatabase(t), await oddArchive(t)]
  await rename(join(dataDir, 'postgres/base'), join(dataDir, 'base'))
  await symlink('../base', join(dataDir, 'postgres/base'))
  await startServer(t, dataDir, { walArchive })
  await assert.rejects(copyBase(dataDir, walArchive, 'first'), /The folder base .* symbolic link/)
  const [folder] = await listLogs(walArchive)
  assert.deepEqual(await readdir(folder?.bases ?? ''), [])
})

test('a start with an archive whose link leads into the data folder, or nowhere, is rejected', async (t) => {
  const [dataDir, walArchive] = [await dataDirWithDatabase(t), await oddArchive(t)]
  const refuse = (message: RegExp) =>
    assert.rejects(startServer(t, dataDir, { walArchive }), { code: 'archive_unusable', message })
  await symlink(dataDir, walArchive)
  await refuse(/cannot be used: it leads into \S+, whose loss it must survive\./)
  await rm(walArchive)
  await symlink(`${dataDir}.missing`, walArchive)
  await refuse(/is a symbolic link to \S+\.missing, which does not exist\./)
})

test('a start with an archive that cannot be written is rejected', async (t) => {
  const [dataDir, walArchive] = [await dataDirWithDatabase(t), await oddArchive(t)]
  await writeFile(walArchive, 'no folder')
  await assert.rejects(startServer(t, dataDir, { walArchive }), { code: 'archive_unusable' })
})

test('a start whose archive has disappeared is rejected, and one with another archive begins a log there', async (t) => {
  const [dataDir, walArchive] = [await dataDirWithDatabase(t), await oddArchive(t)]
  await (await startServer(t, dataDir, { walArchive })).stop()
  await rename(walArchive, `${walArchive}.unmounted`)
  await assert.rejects(startServer(t, dataDir, { walArchive }), /lacks the log \S+ of this database\. Mount its disk/)
  await startServer(t, dataDir, { walArchive: `${walArchive}.other` })
  assert.equal((await listLogs(`${walArchive}.other`)).length, 1)
})

test('no server starts on a data folder whose restore was interrupted', async (t) => {
  const dataDir = await dataDirWithDatabase(t)
  await markUnfinished(dataDir)
  await assert.rejects(startServer(t, dataDir), { code: 'restore_interrupted' })
  await markFinished(dataDir)
  await startServer(t, dataDir)
})

test('a base copy of a server that does not archive to the folder is refused', async (t) => {
  const [dataDir, walArchive] = [await dataDirWithDatabase(t), await oddArchive(t)]
  await startServer(t, dataDir)
  await assert.rejects(copyBase(dataDir, walArchive, 'first'), /does not archive to/)
})
