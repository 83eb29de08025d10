import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { archivedName, archiveFile, readArchived } from './archived-file.ts'
import { chooseLatest, chooseReaches } from './choose-reaches.ts'
import { closeLog, findLog, logFolder } from './log-folder.ts'
import { findFirstPoint, pruneArchive } from './prune-archive.ts'
import { describeArchive } from './ranges.ts'
import { listLogs, listSegments, type Reach } from './read-logs.ts'
import { nextSegment, segmentAt, segmentBefore } from './segments.ts'

async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'platen-archive-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const at = (hour: number): Date => new Date(Date.UTC(2026, 10, 1, hour))
const segment = (number: number): string => segmentAt(1, `0/${number.toString(16)}000028`)

/** Makes a log with a base copy at each of these hours. Segment n was written at hour n. */
async function makeLog(archive: string, name: string, { bases, segments }: { bases: number[]; segments: number[] }) {
  const log = logFolder(archive, name)
  await mkdir(log.segments, { recursive: true })
  for (const hour of bases) {
    await mkdir(join(log.bases, `base-${hour}`), { recursive: true })
    const manifest = {
      ...{ format: 1, id: `base-${hour}`, major: 18, timeline: 1, startLsn: `0/${hour.toString(16)}000028` },
      ...{ stopLsn: `0/${hour.toString(16)}000158`, startedAt: at(hour), endedAt: at(hour), file: {} },
    }
    await writeFile(join(log.bases, `base-${hour}`, 'manifest.json'), JSON.stringify(manifest))
  }
  for (const hour of segments) {
    const path = join(archive, 'segment')
    await writeFile(path, `segment ${hour}`)
    await utimes(path, at(hour), at(hour))
    await archiveFile(log.segments, path, segment(hour))
    await rm(path)
  }
  return log
}

/** Chooses the base copy for an hour. The installation made a backup at each hour. */
async function choose(archive: string, hour: number, log?: string): Promise<Reach> {
  return (await chooseReaches({ archive, at: at(hour), backups: BACKUPS, log }))[0]
}

const BACKUPS = new Set(Array.from({ length: 24 }, (_, hour) => `base-${hour}`))
const LOG = '2026-11-01T00-00-00Z-000001'
const OTHER = '2026-11-01T00-00-00Z-000002'
const THIRD = '2026-11-01T00-00-00Z-000003'

/** Makes a data folder whose database archives to a log. */
async function ownerOf(t: TestContext, log: string): Promise<{ dataDir: string; cluster: string }> {
  const [dataDir, cluster] = [await temporaryFolder(t), await temporaryFolder(t)]
  await mkdir(join(cluster, 'global'))
  await writeFile(join(cluster, 'global/pg_control'), Buffer.alloc(512, 1))
  const system = Buffer.alloc(8, 1).readBigUInt64LE().toString()
  await writeFile(join(dataDir, 'wal-archive.json'), JSON.stringify({ log, system }))
  return { dataDir, cluster }
}

test('a file is archived once, and a different one of the same name is refused', async (t) => {
  const [folder, path] = [await temporaryFolder(t), join(await temporaryFolder(t), 'file')]
  await writeFile(path, Buffer.alloc(16 * 1024 * 1024))
  await archiveFile(folder, path, 'A')
  await archiveFile(folder, path, 'A')
  assert.deepEqual(await readdir(folder), [archivedName('A')])
  assert.ok((await readFile(join(folder, archivedName('A')))).length < 10_000, 'blanks are compressed')
  assert.deepEqual(await readArchived(folder, 'A'), await readFile(path))
  await writeFile(path, 'other')
  await assert.rejects(archiveFile(folder, path, 'A'), /exists with other content/)
  assert.equal((await readArchived(folder, 'A')).length, 16 * 1024 * 1024)
  await truncate(join(folder, archivedName('A')), 300)
  await assert.rejects(readArchived(folder, 'A'), /is damaged/)
})

const PROGRAM = fileURLToPath(new URL('./archive-program.ts', import.meta.url))

function runProgram(...args: string[]): Promise<{ code: number; err: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [PROGRAM, ...args], (_error, _out, err) => {
      resolve({ code: child.exitCode ?? -1, err })
    })
  })
}

/** Fails each write as a full disk does. */
const FULL = '/dev/full'

test('a full disk is named, ends a recovery, and damages nothing', { skip: !existsSync(FULL) }, async (t) => {
  const [folder, path] = [await temporaryFolder(t), join(await temporaryFolder(t), 'file')]
  await writeFile(path, 'content')
  const draft = join(folder, `${archivedName('A')}.new`)
  await symlink(FULL, draft)
  const put = await runProgram('put', folder, path, 'A')
  assert.equal(put.code, 1)
  assert.match(put.err, new RegExp(`^The disk of ${folder} is full: ENOSPC`))
  await rm(draft)
  assert.deepEqual(await runProgram('put', folder, path, 'A'), { code: 0, err: '' })
  // After a lower status, PostgreSQL would end the recovery with less data.
  const got = await runProgram('get', folder, 'A', FULL)
  assert.equal(got.code, 200)
  assert.match(got.err, /^The disk of \/dev\/full is full: ENOSPC/)
  assert.deepEqual(await runProgram('get', folder, 'A', `${path}.restored`), { code: 0, err: '' })
})

test('an archive that is missing is named', async (t) => {
  const archive = join(await temporaryFolder(t), 'unmounted')
  await assert.rejects(listLogs(archive), /The folder \S+unmounted of PLATEN_WAL_ARCHIVE cannot be read: ENOENT/)
})

test('names of segments count as PostgreSQL does', () => {
  assert.equal(segmentAt(1, '0/3000028'), '000000010000000000000003')
  assert.equal(segmentBefore(1, '0/3000000'), '000000010000000000000002')
  assert.equal(segmentAt(0xab, 'A/FF000028'), '000000AB0000000A000000FF')
  assert.equal(nextSegment('000000AB0000000A000000FF'), '000000AB0000000B00000000')
})

test('a time is restored from the newest base copy before it, up to the first segment that is missing', async (t) => {
  const archive = await temporaryFolder(t)
  await makeLog(archive, LOG, { bases: [2, 4, 7], segments: [2, 3, 4, 5, 7, 8] })
  const reach = await choose(archive, 5)
  assert.deepEqual([reach.base.id, reach.segments], ['base-4', [4, 5].map(segment)])
  assert.equal((await choose(archive, 3)).base.id, 'base-2')
  assert.equal((await choose(archive, 8)).base.id, 'base-7')
  const refuse = (hour: number, reason: RegExp) => assert.rejects(choose(archive, hour), reason)
  await refuse(
    1,
    /does not have 2026-11-01T01:00:00.000Z\. Nothing was restored\. Any point in time from 2026-11-01T02:/,
  )
  await refuse(6, new RegExp(`The segment ${segment(6)} is missing`))
  await refuse(9, /to 2026-11-01T08:00:00\.000Z/)
  const ranges = await describeArchive(archive)
  assert.equal(ranges.length, 2)
  assert.match(
    ranges[0] ?? '',
    /from 2026-11-01T02:\S+ to 2026-11-01T05:\S+ can be restored \(log \S+, 2 base copies\)\. The segment /,
  )
})

test('a base copy whose own segments are missing is not restored', async (t) => {
  const archive = await temporaryFolder(t)
  const log = await makeLog(archive, LOG, { bases: [2, 4], segments: [2, 3] })
  assert.equal((await choose(archive, 3)).base.id, 'base-2')
  await assert.rejects(choose(archive, 4), /does not have/)
  // Its own segment was written before the copy ended.
  await makeLog(archive, OTHER, { bases: [8], segments: [8] })
  const path = join(archive, OTHER, 'bases/base-8/manifest.json')
  await writeFile(path, (await readFile(path, 'utf8')).replaceAll(at(8).toISOString(), at(9).toISOString()))
  const lines = await describeArchive(archive, OTHER)
  assert.match(lines[0] ?? '', new RegExp(`\\(log ${log.name}, `))
  assert.match(
    lines[1] ?? '',
    new RegExp(
      `^No point in time .* yet from log ${OTHER} of this data folder\\. Its oldest base copy ended at 2026-11-01T09:`,
    ),
  )
  // A gap directly after the base copy hides no log.
  await rm(join(archive, OTHER, 'wal', archivedName(segment(8))))
  assert.match((await describeArchive(archive))[1] ?? '', new RegExp(`The segment ${segment(8)} is missing`))
  await assert.rejects(choose(archive, 9), new RegExp(`The segment ${segment(8)} is missing`))
})

test('a time that several logs have is restored from the one that is named', async (t) => {
  const archive = await temporaryFolder(t)
  await makeLog(archive, LOG, { bases: [2], segments: [2, 3, 4] })
  await makeLog(archive, OTHER, { bases: [3], segments: [3, 4] })
  await assert.rejects(choose(archive, 4), new RegExp(`several logs: ${LOG}, ${OTHER}\\..* Add --log`))
  assert.equal((await choose(archive, 4, OTHER)).log.name, OTHER)
  assert.equal((await choose(archive, 2)).log.name, LOG)
})

test('the latest point in time is the last one before a gap, and later changes of other logs are named', async (t) => {
  const archive = await temporaryFolder(t)
  const latest = (log?: string) => chooseLatest({ archive, backups: BACKUPS, log })
  await assert.rejects(latest(), /has no point in time of this installation\. Nothing was restored\. No point in time/)
  await makeLog(archive, LOG, { bases: [2, 4], segments: [2, 3, 4, 5] })
  const { at: end, reaches, notes } = await latest()
  assert.deepEqual([end, reaches.map(({ base }) => base.id), notes], [at(5), ['base-4', 'base-2'], []])
  await makeLog(archive, LOG, { bases: [], segments: [7] })
  assert.deepEqual((await latest()).notes, [`The segment ${segment(6)} is missing after that.`])
  // A restored database has a log of its own, from which nothing can be restored before its first base copy.
  await makeLog(archive, OTHER, { bases: [], segments: [8, 9] })
  const before = await latest()
  assert.deepEqual(before.at, at(5))
  assert.match(
    before.notes.at(-1) ?? '',
    new RegExp(
      `^The log ${OTHER} has changes until 2026-11-01T09:00:00\\.000Z, which are not restored\\. It has no base`,
    ),
  )
  await makeLog(archive, OTHER, { bases: [8], segments: [] })
  const after = await latest()
  assert.deepEqual([after.at, after.reaches[0].log.name, after.notes], [at(9), OTHER, []])
  assert.deepEqual((await latest(LOG)).at, at(5))
  const foreign = await chooseLatest({ archive, backups: new Set(['base-2']) })
  assert.deepEqual(foreign.at, at(5))
  assert.match(foreign.notes.at(-1) ?? '', /No backup of this place belongs to it\. .* add --log\./)
  await rm(join(archive, OTHER), { recursive: true })
  await mkdir(join(archive, OTHER))
  await writeFile(join(archive, OTHER, 'wal'), '')
  assert.match((await latest()).notes.at(-1) ?? '', new RegExp(`^The log ${OTHER} cannot be read: ENOTDIR`))
})

test('pruning keeps what each point in time needs, and removes the rest', async (t) => {
  const archive = await temporaryFolder(t)
  const { dataDir, cluster } = await ownerOf(t, LOG)
  const log = await makeLog(archive, LOG, { bases: [2, 4, 7], segments: [2, 3, 4, 5, 6, 7, 8] })
  await makeLog(archive, OTHER, { bases: [1], segments: [1, 2] })
  const options = { archive, dataDir, cluster, backups: BACKUPS }
  const prune = (hour: number, dryRun = false) => pruneArchive({ ...options, since: at(hour), dryRun })
  const rest = { hasCopy: true, foreign: [], faults: [] }
  const stays = async () => [(await readdir(log.bases)).length, (await listSegments(log)).length]
  // The other log has this time, and the first base copy is the only one before it.
  assert.deepEqual(await prune(2), { bases: 0, segments: 0, logs: [], ...rest })
  assert.deepEqual(await prune(6, true), { bases: 2, segments: 4, logs: [OTHER], ...rest })
  assert.deepEqual(await stays(), [3, 7])
  // A killed run left this.
  await mkdir(join(log.bases, 'base-1.removed'))
  assert.deepEqual(await prune(6), { bases: 2, segments: 4, logs: [OTHER], ...rest })
  assert.deepEqual(await stays(), [2, 5])
  assert.equal((await choose(archive, 6)).base.id, 'base-4')
  assert.deepEqual(await readdir(archive), [LOG])
  // The newest base copy stays, however old it is.
  assert.deepEqual(await prune(20), { bases: 1, segments: 3, logs: [], ...rest })
  assert.equal((await choose(archive, 8)).base.id, 'base-7')
  // A database without a log removes nothing.
  await closeLog(dataDir)
  assert.equal(await findLog(archive, { dataDir, cluster }), undefined)
  assert.deepEqual(await prune(20), { bases: 0, segments: 0, logs: [], ...rest, hasCopy: false })
})

test('the first point in time that pruning leaves is that of the oldest base copy that stays in any log', async (t) => {
  const archive = await temporaryFolder(t)
  const owner = await ownerOf(t, OTHER)
  await makeLog(archive, LOG, { bases: [2, 3], segments: [2, 3, 4] })
  const other = await makeLog(archive, OTHER, { bases: [], segments: [5] })
  const first = (hour: number, backups = BACKUPS) =>
    findFirstPoint({ ...owner, archive, backups, since: at(hour), dryRun: true })
  // The database of the data folder has no base copy yet, so nothing is removed.
  assert.deepEqual(await first(20), at(2))
  assert.equal(await first(20, new Set()), undefined)
  await makeLog(archive, OTHER, { bases: [6, 8], segments: [6, 7, 8, 9] })
  assert.deepEqual([await first(4), await first(5), await first(20)], [at(2), at(6), at(8)])
  await rename(join(other.bases, 'base-8/manifest.json'), join(other.bases, 'base-8/away'))
  assert.deepEqual(await first(20), new Date(0))
})

test('a base copy after which nothing was archived yet counts, and adds no time', async (t) => {
  const archive = await temporaryFolder(t)
  const log = await makeLog(archive, LOG, { bases: [2, 4], segments: [2, 3, 4] })
  const path = join(log.bases, 'base-4/manifest.json')
  const secret = 'new'
  const manifest = { ...JSON.parse(await readFile(path, 'utf8')), endedAt: at(5), secret }
  await writeFile(path, JSON.stringify(manifest))
  const span = `from ${at(2).toISOString()} to ${at(4).toISOString()}`
  assert.deepEqual(await describeArchive(archive), [
    `Any point in time ${span} can be restored (log ${LOG}, 2 base copies).`,
  ])
  const secrets = { fingerprints: new Set<string>(), otherwise: 'nowhere' }
  assert.ok((await describeArchive(archive, LOG, secrets))[0]?.includes(` Times ${span} may need a secret`))
})

test('times between base copies are named if one of their secrets is unknown', async (t) => {
  const archive = await temporaryFolder(t)
  const log = await makeLog(archive, LOG, { bases: [2, 3, 4, 5], segments: [2, 3, 4, 5, 6] })
  for (const [hour, secret] of [
    [2, 'first'],
    [3, 'first'],
    [4, 'second'],
    [5, 'third'],
  ] as const) {
    const path = join(log.bases, `base-${hour}/manifest.json`)
    await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), secret }))
  }
  const describe = async (...known: string[]) =>
    (await describeArchive(archive, LOG, { fingerprints: new Set(known), otherwise: 'nowhere' }))[0] ?? ''
  const times = (from: number, until: number) => `from ${at(from).toISOString()} to ${at(until).toISOString()}`
  assert.match(await describe('first', 'second', 'third'), /4 base copies\)\.$/)
  assert.ok((await describe('first', 'third')).includes(`Times ${times(3, 5)} may need a secret that is nowhere: `))
  assert.ok((await describe('second', 'third')).includes(`Times ${times(2, 4)} may need`))
  assert.ok((await describe('first', 'second')).includes(`Times ${times(4, 6)} may need`))
  assert.ok((await describe('second')).includes(`Times ${times(2, 6)} may need`))
  assert.doesNotMatch((await describeArchive(archive))[0] ?? '', /secret/)
})

test('pruning keeps the segments of a base copy that began before a shorter one and ended after it', async (t) => {
  const archive = await temporaryFolder(t)
  const log = await makeLog(archive, LOG, { bases: [2, 5, 7], segments: [2, 3, 4, 5, 6, 7, 8] })
  const path = join(log.bases, 'base-7/manifest.json')
  await writeFile(path, (await readFile(path, 'utf8')).replace('"0/7000028"', '"0/4000028"'))
  const options = { ...(await ownerOf(t, LOG)), archive, backups: BACKUPS, since: at(6), dryRun: false }
  const { bases, segments } = await pruneArchive(options)
  assert.deepEqual([bases, segments], [1, 2])
  const reach = await choose(archive, 8)
  assert.deepEqual([reach.base.id, reach.segments.at(0)], ['base-7', segment(4)])
})

test('logs that ended stay known as those of the installation when all their backups are gone', async (t) => {
  const archive = await temporaryFolder(t)
  await makeLog(archive, LOG, { bases: [2], segments: [2, 3] })
  await makeLog(archive, OTHER, { bases: [5], segments: [5, 6] })
  const owner = await ownerOf(t, OTHER)
  const prune = (hour: number, ids: string[], more: { dryRun?: boolean; dataDir?: string; cluster?: string } = {}) =>
    pruneArchive({ ...owner, archive, backups: new Set(ids), since: at(hour), dryRun: false, ...more })
  const foreign = [{ name: LOG, bases: 1, segments: 2 }]
  await prune(1, ['base-2', 'base-5'], { dryRun: true })
  assert.deepEqual((await prune(4, ['base-5'], { dryRun: true })).foreign, foreign)
  assert.deepEqual((await prune(1, ['base-2', 'base-5'])).logs, [])
  // The database was restored, and then only one of its backups was kept.
  await makeLog(archive, THIRD, { bases: [8], segments: [8, 9] })
  const restored = await ownerOf(t, THIRD)
  await prune(1, ['base-5', 'base-8'], restored)
  const { logs, ...pruned } = await prune(7, ['base-8'], restored)
  assert.deepEqual([logs, pruned.foreign, pruned.bases, pruned.segments], [[LOG, OTHER], [], 2, 4])
  assert.deepEqual((await readdir(archive)).sort(), [THIRD])
})

test('pruning removes nothing of a log while one of its base copies cannot be read', async (t) => {
  const archive = await temporaryFolder(t)
  const log = await makeLog(archive, LOG, { bases: [2, 4, 7], segments: [2, 3, 4, 5, 6, 7, 8] })
  const options = { ...(await ownerOf(t, LOG)), archive, backups: BACKUPS, since: at(6), dryRun: false }
  const manifest = join(log.bases, 'base-4/manifest.json')
  await rename(manifest, `${manifest}.away`)
  const { bases, segments, faults } = await pruneArchive({ ...options, since: at(20) })
  assert.deepEqual([bases, segments, faults.length], [0, 0, 1])
  await rename(`${manifest}.away`, manifest)
  assert.deepEqual((await pruneArchive(options)).segments, 2)
  assert.equal((await choose(archive, 6)).base.id, 'base-4')
})

test('another installation in the archive keeps its log, and is restored only if its log is named', async (t) => {
  const archive = await temporaryFolder(t)
  await makeLog(archive, LOG, { bases: [2, 9], segments: [2, 3, 9, 10] })
  await makeLog(archive, OTHER, { bases: [5], segments: [5, 6] })
  const backups = new Set(['base-2', 'base-9'])
  const wanted = { archive, at: at(6), backups }
  await assert.rejects(
    chooseReaches(wanted),
    new RegExp(`does not have .* This time is in ${OTHER}, but no backup .* add --log`),
  )
  assert.equal((await chooseReaches({ ...wanted, log: OTHER }))[0].base.id, 'base-5')
  await assert.rejects(chooseReaches({ ...wanted, log: 'other' }), /has no log other\. It has: /)
  const pruned = await pruneArchive({ ...(await ownerOf(t, LOG)), archive, backups, since: at(9), dryRun: false })
  const foreign = [{ name: OTHER, bases: 1, segments: 2 }]
  assert.deepEqual(pruned, { hasCopy: true, bases: 1, segments: 2, logs: [], foreign, faults: [] })
  assert.equal((await chooseReaches({ ...wanted, log: OTHER }))[0].base.id, 'base-5')
})

test('damaged files leave every time restorable that does not need them', async (t) => {
  const archive = await temporaryFolder(t)
  const log = await makeLog(archive, LOG, { bases: [2, 4], segments: [2, 3, 4, 5, 6] })
  await truncate(join(log.segments, archivedName(segment(6))), 0)
  await rm(join(log.bases, 'base-4/manifest.json'))
  await writeFile(join(await makeOther(archive), 'manifest.json'), '{')
  assert.equal((await choose(archive, 5)).base.id, 'base-2')
  const refusal = new RegExp(`The segment ${segment(6)} after that is damaged\\. The manifest .*base-4 cannot be read`)
  await assert.rejects(choose(archive, 6), refusal)
  assert.match(
    (await describeArchive(archive)).join(),
    /base-4 cannot be read: ENOENT.* Rename this folder to base-4\.damaged/,
  )
  const options = { ...(await ownerOf(t, LOG)), archive, backups: BACKUPS, since: at(1), dryRun: false }
  assert.equal((await pruneArchive(options)).faults.length, 1)
  await rename(join(log.bases, 'base-4'), join(log.bases, 'base-4.damaged'))
  assert.deepEqual((await pruneArchive(options)).faults, [])
  // A manifest that the system cannot read now may be undamaged.
  await rm(join(log.bases, 'base-2/manifest.json'))
  await mkdir(join(log.bases, 'base-2/manifest.json'))
  const [fault] = (await pruneArchive(options)).faults
  assert.match(fault ?? '', /base-2 cannot be read: EISDIR/)
  assert.doesNotMatch(fault ?? '', /Rename/)
})

/** Makes a base copy of another log. */
async function makeOther(archive: string): Promise<string> {
  const { bases } = await makeLog(archive, OTHER, { bases: [5], segments: [] })
  return join(bases, 'base-5')
}
