import assert from 'node:assert/strict'
import { readdir, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeReserve, releaseReserve, walSettings, walSettingsFor } from './disk-reserve.ts'
import { startEmbeddedPostgres } from './index.ts'
import { emptyDataDir, onEnd, query } from './testing/service-process.ts'

const MIB = 1024 * 1024
const free = (mib: number) => async () => mib * MIB

test('the reserve takes real space while enough is free, and is deleted when the disk is full', async (t) => {
  const dataDir = await emptyDataDir(t)
  await makeReserve(dataDir, free(255))
  assert.deepEqual(await readdir(dataDir), [])
  await makeReserve(dataDir, free(256))
  const [name = ''] = await readdir(dataDir)
  const { size, blocks } = await stat(join(dataDir, name))
  assert.equal(size, 32 * MIB)
  assert.ok(blocks * 512 >= size)
  assert.equal(await releaseReserve(dataDir, free(32)), false)
  // A power failure may leave an incomplete file.
  await truncate(join(dataDir, name), MIB)
  await makeReserve(dataDir, free(256))
  assert.equal((await stat(join(dataDir, name))).size, 32 * MIB)
  assert.equal(await releaseReserve(dataDir, free(31)), true)
  assert.deepEqual(await readdir(dataDir), [])
  assert.equal(await releaseReserve(dataDir, free(31)), false)
})

test('the log of PostgreSQL stays below half of the free space that the service keeps on a small disk', () => {
  const sizes = [2, 8, 16, 100].map((gib) => walSettingsFor(gib * 1024 * MIB))
  assert.deepEqual(
    sizes.map(({ max_wal_size, min_wal_size }) => [max_wal_size, min_wal_size]),
    [
      ['64MB', '64MB'],
      ['160MB', '160MB'],
      ['320MB', '320MB'],
      ['512MB', '80MB'],
    ],
  )
})

test('a started service has a reserve, and PostgreSQL accepts the settings', async (t) => {
  const dataDir = await emptyDataDir(t)
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const server = await startEmbeddedPostgres({ dataDir, log })
  onEnd(t, () => server.stop())
  assert.equal((await stat(join(dataDir, 'disk-reserve'))).size, 32 * MIB)
  const { max_wal_size } = await walSettings(dataDir)
  assert.deepEqual(await query(dataDir, 'show max_wal_size'), [{ max_wal_size }])
})
