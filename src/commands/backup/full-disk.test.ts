import assert from 'node:assert/strict'
import fs from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type TestContext, test } from 'node:test'
import { emptyPlace, manifestsIn, runWith, startBackedUpShop } from './factory.ts'

/** Fails each write of a stream to a file, as a full disk does. */
function fillDisk(t: TestContext): { free(): void } {
  const fail = (...args: unknown[]): void => {
    const done = args.at(-1) as (error: Error) => void
    done(Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }))
  }
  const mocks = [
    t.mock.method(fs, 'write', fail as typeof fs.write),
    t.mock.method(fs, 'writev', fail as typeof fs.writev),
  ]
  return {
    free: () => {
      for (const { mock } of mocks) mock.restore()
    },
  }
}

test('a backup and a restore on a full disk name the reason, leave nothing, and can be repeated', async (t) => {
  const { backup, target } = await startBackedUpShop(t)
  const first = fillDisk(t)
  const refused = await backup()
  first.free()
  assert.equal(refused.code, 1)
  assert.match(
    refused.err,
    /^platen: No backup was made in \S+, because a disk is full: ENOSPC.* run the command again\.$/m,
  )
  assert.deepEqual(await manifestsIn(target), [])
  assert.equal((await backup()).code, 0)

  const { env, dataDir } = await emptyPlace(t)
  const second = fillDisk(t)
  const failed = await runWith(env, ['restore', target])
  second.free()
  assert.equal(failed.code, 1)
  assert.match(
    failed.err,
    /Nothing was restored to \S+, because a disk is full: ENOSPC\S*.* No backup is damaged by this\./,
  )
  assert.deepEqual(await readdir(dirname(dataDir)), [])
  const restored = await runWith(env, ['restore', target])
  assert.equal(restored.code, 0, restored.err)
})
