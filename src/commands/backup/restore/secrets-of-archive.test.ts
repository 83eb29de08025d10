import assert from 'node:assert/strict'
import { readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { startServiceProcess } from '../../../../scripts/lib/service-process.ts'
import { temporaryRoot } from '../../../../test/lib/busy-shop.ts'
import { platen } from '../../platen.fixture.ts'
import { manifestsIn, PASSPHRASE } from '../factory.ts'

test('pruning keeps the secrets that points in time need, and the list names times without one', async (t) => {
  const root = await temporaryRoot(t)
  const [dataDir, target, copyDir] = [join(root, 'data'), join(root, 'backups'), join(root, 'copy')]
  const settings = {
    ...{ PLATEN_STORAGE_FREE_MIB: '0', PLATEN_BACKUP_PASSPHRASE: PASSPHRASE },
    ...{ PLATEN_DATA_DIR: dataDir, PLATEN_WAL_ARCHIVE: join(root, 'archive') },
  }
  const run = async (...args: string[]) => {
    const { code, out, err } = await platen(args, settings)
    assert.equal(code, 0, err)
    return out
  }
  const readSecret = (folder: string) => readFile(join(folder, 'secret.key'), 'utf8')
  const service = await startServiceProcess(settings)
  t.after(() => service.child.kill('SIGKILL'))
  const before = await readSecret(dataDir)
  await run('backup', target)
  await delay(5)
  const at = new Date().toISOString()
  await delay(5)
  await run('secret', 'rotate')
  await run('backup', target)
  await run('backup', target)
  assert.notEqual(await readSecret(dataDir), before)
  // A stop archives the last segment.
  assert.equal(await service.stop(), 0, service.output())
  const [first = '', second = '', third = ''] = (await manifestsIn(target)).map((name) => name.replace('.json', ''))

  assert.doesNotMatch(await run('backup', 'list', target), /may need a secret/)
  const manifest = join(target, 'backups', `${first}.json`)
  await rename(manifest, join(root, 'manifest'))
  assert.match(
    await run('backup', 'list', target),
    /Times from \S+ to \S+ may need a secret that is in no backup of this place: a restore to them then needs --without/,
  )
  await rename(join(root, 'manifest'), manifest)

  const { PLATEN_WAL_ARCHIVE: _archive, ...without } = settings
  const unnamed = await platen(['backup', 'prune', target, '--keep-last', '1'], without)
  assert.deepEqual([unnamed.code, unnamed.out], [1, ''])
  assert.match(unnamed.err, /Nothing was removed, because PLATEN_WAL_ARCHIVE is not set\./)
  const kept = `${first}  kept, because points in time since \\S+ need its secret\n${third}  kept\n`
  const prune = ['backup', 'prune', target, '--keep-last', '1'] as const
  assert.match(await run(...prune, '--dry-run'), new RegExp(`^${kept}${second}  would be removed\n`))
  assert.match(await run(...prune), new RegExp(`^${kept}${second}  removed\n.* Kept: backups 2\\.\n`))
  assert.doesNotMatch(await run('backup', 'list', target), /may need a secret/)
  const restored = await run('restore', target, '--at', at, '--data-dir', copyDir)
  assert.match(restored, /^Start a drill without PLATEN_WAL_ARCHIVE, so that it leaves no log there\./m)
  assert.match(restored, /env -u PLATEN_WAL_ARCHIVE PLATEN_DATA_DIR=\S+ platen serve --no-send$/m)
  assert.equal(await readSecret(copyDir), before)
})
