import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { archivedName, archiveFile, readArchived } from './archived-file.ts'
import { closeLog, findLog, logFolder } from './log-folder.ts'
import { pruneArchive } from './prune-archive.ts'
import { chooseReach, describeRange, listRanges } from './ranges.ts'
import { listSegments } from './read-logs.ts'
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

const LOG = '2026-11-01T00-00-00Z-000001'
const OTHER = '2026-11-01T00-00-00Z-000002'

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

test('names of segments count as PostgreSQL does', () => {
  assert.equal(segmentAt(1, '0/3000028'), '000000010000000000000003')
  assert.equal(segmentBefore(1, '0/3000000'), '000000010000000000000002')
  assert.equal(segmentAt(0xab, 'A/FF000028'), '000000AB0000000A000000FF')
  assert.equal(nextSegment('000000AB0000000A000000FF'), '000000AB0000000B00000000')
})

test('a time is restored from the newest base copy before it, up to the first segment that is missing', async (t) => {
  const archive = await temporaryFolder(t)
  await makeLog(archive, LOG, { bases: [2, 4, 7], segments: [2, 3, 4, 5, 7, 8] })
  const reach = await chooseReach(archive, at(5))
  assert.deepEqual([reach.base.id, reach.segments], ['base-4', [4, 5].map(segment)])
  assert.equal((await chooseReach(archive, at(3))).base.id, 'base-2')
  assert.equal((await chooseReach(archive, at(8))).base.id, 'base-7')
  const refuse = (hour: number, reason: RegExp) => assert.rejects(chooseReach(archive, at(hour)), reason)
  await refuse(1, /does not reach 2026-11-01T01:00:00.000Z\. Nothing was restored\. Any moment from 2026-11-01T02:/)
  await refuse(6, new RegExp(`The segment ${segment(6)} is missing`))
  await refuse(9, /to 2026-11-01T08:00:00\.000Z/)
  const ranges = (await listRanges(archive)).map(describeRange)
  assert.equal(ranges.length, 2)
  assert.match(ranges[0] ?? '', /from 2026-11-01T02:\S+ to 2026-11-01T05:\S+ \(log \S+, 2 base copies\)\. The segment /)
})

test('a base copy whose own segments are missing is not restored', async (t) => {
  const archive = await temporaryFolder(t)
  const log = await makeLog(archive, LOG, { bases: [2, 4], segments: [2, 3] })
  assert.equal((await chooseReach(archive, at(3))).base.id, 'base-2')
  await assert.rejects(chooseReach(archive, at(4)), /does not reach/)
  // Its own segment was written before the copy ended.
  await makeLog(archive, OTHER, { bases: [8], segments: [8] })
  const path = join(archive, OTHER, 'bases/base-8/manifest.json')
  await writeFile(path, (await readFile(path, 'utf8')).replaceAll(at(8).toISOString(), at(9).toISOString()))
  assert.deepEqual(
    (await listRanges(archive)).map((range) => range.log),
    [log.name],
  )
})

test('a time that several logs have is restored from the one that is named', async (t) => {
  const archive = await temporaryFolder(t)
  await makeLog(archive, LOG, { bases: [2], segments: [2, 3, 4] })
  await makeLog(archive, OTHER, { bases: [3], segments: [3, 4] })
  await assert.rejects(chooseReach(archive, at(4)), new RegExp(`several logs: ${LOG}, ${OTHER}\\..* Add --log`))
  assert.equal((await chooseReach(archive, at(4), OTHER)).log.name, OTHER)
  assert.equal((await chooseReach(archive, at(2))).log.name, LOG)
})

test('pruning keeps what each moment since the time needs, and removes the rest', async (t) => {
  const archive = await temporaryFolder(t)
  const [dataDir, cluster] = [await temporaryFolder(t), await temporaryFolder(t)]
  const log = await makeLog(archive, LOG, { bases: [2, 4, 7], segments: [2, 3, 4, 5, 6, 7, 8] })
  await makeLog(archive, OTHER, { bases: [1], segments: [1, 2] })
  await mkdir(join(cluster, 'global'))
  await writeFile(join(cluster, 'global/pg_control'), Buffer.alloc(512, 1))
  const system = Buffer.alloc(8, 1).readBigUInt64LE().toString()
  await writeFile(join(dataDir, 'wal-archive.json'), JSON.stringify({ log: LOG, system }))
  const prune = (hour: number, dryRun = false) => pruneArchive({ archive, dataDir, cluster, since: at(hour), dryRun })
  const stays = async () => [(await readdir(log.bases)).length, (await listSegments(log)).length]
  // The other log has this moment, and the first base copy is the only one before it.
  assert.deepEqual(await prune(2), { bases: 0, segments: 0, logs: [] })
  assert.deepEqual(await prune(6, true), { bases: 1, segments: 2, logs: [OTHER] })
  assert.deepEqual(await stays(), [3, 7])
  // A killed run left this.
  await mkdir(join(log.bases, 'base-1.removed'))
  assert.deepEqual(await prune(6), { bases: 1, segments: 2, logs: [OTHER] })
  assert.deepEqual(await stays(), [2, 5])
  assert.equal((await chooseReach(archive, at(6))).base.id, 'base-4')
  assert.deepEqual(await readdir(archive), [LOG])
  // The newest base copy stays, however old it is.
  assert.deepEqual(await prune(20), { bases: 1, segments: 3, logs: [] })
  assert.equal((await chooseReach(archive, at(8))).base.id, 'base-7')
  // A database without a log removes nothing.
  await closeLog(dataDir)
  assert.equal(await findLog(archive, { dataDir, cluster }), undefined)
  assert.deepEqual(await prune(20), { bases: 0, segments: 0, logs: [] })
})
