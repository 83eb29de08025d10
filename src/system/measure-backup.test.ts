import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { readManifests, startBackedUpShop } from '../commands/backup/factory.ts'
import { recordBackup } from '../platform/backup/index.ts'
import { measureBackup } from './measure-backup.ts'

test('a metric states when the last backup that succeeded was taken', async (t) => {
  const { backup, db, env, target, uploadImage } = await startBackedUpShop(t)
  const measured = async () => {
    const registry = new Registry()
    measureBackup(registry, db)
    return Number(/^platen_backup_timestamp_seconds ([\d.]+)$/m.exec(await registry.metrics())?.[1])
  }
  assert.equal(await measured(), 0)
  assert.equal((await backup()).code, 0)
  const [first] = await readManifests(target)
  const takenAt = new Date(first.takenAt).getTime() / 1_000
  assert.equal(await measured(), takenAt)
  // An earlier one may end later.
  await recordBackup(db, new Date('2026-01-01T00:00:00Z'))
  assert.equal(await measured(), takenAt)
  await uploadImage('#993366')
  await rm(join(env['PLATEN_DATA_DIR'] ?? '', 'storage', 'blobs'), { recursive: true })
  assert.equal((await backup()).code, 1)
  assert.equal(await measured(), takenAt)
  assert.equal((await backup('--allow-missing')).code, 0)
  assert.ok((await measured()) > takenAt)
})
