import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Registry } from 'prom-client'
import { startService, temporaryDir } from '../../test/harness.ts'
import { measureArchive } from './measure-archive.ts'

test('metrics state how long nothing was archived, and how often it failed', async (t) => {
  const { db } = await startService(t)
  const registry = new Registry()
  const { dataDir, archive, begin } = await archiveWithBase(t, '2026-11-01T00:00:00.000Z')
  measureArchive(registry, db, { archive, dataDir })
  const text = await registry.metrics()
  assert.match(text, /^platen_wal_archive_failures_total \d+$/m)
  assert.match(text, /^platen_wal_archive_age_seconds \d+(\.\d+)?(e-\d+)?$/m)
  const base = async () => /^platen_wal_archive_base_copy_timestamp_seconds (\d+)$/m.exec(await registry.metrics())?.[1]
  assert.equal(await base(), '1793491200')
  await begin('another-log')
  assert.equal(await base(), '0')
})

test('an archive that does not respond keeps no other metric back, and is read once', async (t) => {
  const { db } = await startService(t)
  const registry = new Registry()
  const { dataDir, archive } = await archiveWithBase(t, '2026-11-01T00:00:00.000Z')
  const manifest = join(archive, 'a-log/bases/a-base/manifest.json')
  await rm(manifest)
  // Reading a pipe without a writer takes as long as reading a share that hangs.
  execFileSync('mkfifo', [manifest])
  measureArchive(registry, db, { archive, dataDir })
  for (let scrape = 0; scrape < 6; scrape += 1) {
    const text = await registry.metrics()
    assert.match(text, /^platen_wal_archive_failures_total \d+$/m)
    assert.doesNotMatch(text, /^platen_wal_archive_base_copy_timestamp_seconds \d/m)
  }
  // More than three reads would occupy all threads, and this write would wait with them.
  await writeFile(manifest, '{}')
})

/** Makes an archive with a base copy, and a data folder whose database archives to it. */
async function archiveWithBase(t: TestContext, endedAt: string) {
  const [dataDir, archive] = [await temporaryDir(t), await temporaryDir(t)]
  await mkdir(join(dataDir, 'postgres/global'), { recursive: true })
  await writeFile(join(dataDir, 'postgres/global/pg_control'), Buffer.alloc(512))
  const begin = async (log: string) => {
    await mkdir(join(archive, log, 'wal'), { recursive: true })
    await writeFile(join(dataDir, 'wal-archive.json'), JSON.stringify({ log, system: '0', archive }))
  }
  await begin('a-log')
  await mkdir(join(archive, 'a-log/bases/a-base'), { recursive: true })
  await writeFile(join(archive, 'a-log/bases/a-base/manifest.json'), JSON.stringify({ format: 1, endedAt }))
  return { dataDir, archive, begin }
}
