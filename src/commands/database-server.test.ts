import assert from 'node:assert/strict'
import { rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { until } from '../../test/lib/until.ts'
import { listLogs } from '../platform/postgres/archive/read-logs.ts'
import type { StopPatience } from '../platform/postgres/postmaster.ts'
import { dataDirWithDatabase, emptyDataDir, query, startServer } from '../platform/postgres/testing/service-process.ts'
import { closeDatabaseServer } from './database-server.ts'

test('a stop waits for the archive, counts what waits, and keeps the statistics of PostgreSQL', async (t) => {
  const [dataDir, walArchive] = [await dataDirWithDatabase(t), join(await emptyDataDir(t), 'archive')]
  const embedded = await startServer(t, dataDir, { walArchive })
  const [log] = await listLogs(walArchive)
  assert.ok(log !== undefined)
  await rename(log.segments, `${log.segments}.away`)
  await query(dataDir, 'create table notes (id int)')
  await query(dataDir, 'select pg_switch_wal()', 'postgres')
  await until('a failed attempt', async () => {
    const [row] = await query(dataDir, 'select failed_count::int as failed from pg_stat_archiver')
    return Number(row?.['failed']) > 0
  })
  let patience: StopPatience | undefined
  const stop = (given?: StopPatience) => {
    patience = given
    return embedded.stop(given)
  }
  const server = { embedded: { ...embedded, stop }, poolConfig: embedded.poolConfig, archivedDir: dataDir }
  assert.ok((await closeDatabaseServer(server, { close: async () => undefined })) > 0)
  // A machine under load needs half a second for each segment.
  assert.ok((patience?.fastMs ?? 0) >= 15_000)
  for (const [leftMs, fastMs] of [
    [20_000, 17_000],
    [5_000, 4_000],
  ] as const) {
    const note = async (given?: StopPatience): Promise<void> => {
      patience = given
    }
    const ended = { ...server, embedded: { ...server.embedded, stop: note } }
    await closeDatabaseServer(ended, { close: async () => undefined }, leftMs)
    assert.equal(patience?.fastMs, fastMs)
  }
  // PostgreSQL writes this file at the end of a complete stop.
  await stat(join(dataDir, 'postgres/pg_stat/pgstat.stat'))
})
