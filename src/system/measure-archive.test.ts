import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { startService } from '../../test/harness.ts'
import { measureArchive } from './measure-archive.ts'

test('metrics state how long nothing was archived, and how often it failed', async (t) => {
  const { db } = await startService(t)
  const registry = new Registry()
  measureArchive(registry, db)
  const text = await registry.metrics()
  assert.match(text, /^platen_wal_archive_failures_total \d+$/m)
  assert.match(text, /^platen_wal_archive_age_seconds \d+(\.\d+)?(e-\d+)?$/m)
})
