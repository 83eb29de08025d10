import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { readSecrets } from '../../../auth/index.ts'
import { readConfig } from '../../../config/index.ts'
import { ENCRYPTED_COLUMNS } from '../../../features.ts'
import { openFolderSource } from '../../../platform/backup/index.ts'
import { readManifests, startBackedUpShop } from '../factory.ts'
import { readSecretsNear, requireFitting } from './secret-of-time.ts'

test('a restore to a time between a rotation and the backup after it takes the secret that opens the database', async (t) => {
  const { db, env, run, backup, target } = await startBackedUpShop(t)
  const dataDir = env['PLATEN_DATA_DIR'] ?? ''
  const [before] = await readSecrets({ dataDir })
  assert.equal((await backup()).code, 0)
  const rotated = await run('secret', 'rotate')
  assert.equal(rotated.code, 0, rotated.err)
  const at = new Date()
  assert.equal((await backup()).code, 0)
  const [after] = await readSecrets({ dataDir })
  assert.ok(before !== undefined && after !== undefined && !before.equals(after))

  const config = readConfig(env)
  const read = async (settings = config) => readSecretsNear(await openFolderSource(target), at, {}, settings)
  const deps = { database: { db }, secretFrom: { dataDir }, columns: ENCRYPTED_COLUMNS, at }
  const near = await read()
  assert.deepEqual(near?.secrets, [before, after])
  assert.deepEqual(await requireFitting(near, deps), after)

  const withSetting = async (secret: Buffer) => {
    const candidates = await read({ ...config, secretKey: secret.toString('base64url') })
    assert.ok(candidates !== undefined)
    return requireFitting(candidates, deps)
  }
  assert.deepEqual(await withSetting(after), after)
  await assert.rejects(withSetting(before), /PLATEN_SECRET_KEY is not the secret of the database at this time/)

  const [, second] = await readManifests(target)
  await rm(join(target, 'backups', `${second.id}.json`))
  const earlier = await read()
  assert.ok(earlier !== undefined)
  await assert.rejects(requireFitting(earlier, deps), /has another secret than the backups \S+\. Nothing was restored/)
})
