import assert from 'node:assert/strict'
import { readdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryDir } from '../../../../test/harness.ts'
import { requireNewFolder } from './new-folder.ts'

/** Finds an empty folder on which a file system is mounted. */
async function findEmptyMount(): Promise<string | undefined> {
  const mounts = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '')
  for (const line of mounts.split('\n')) {
    const folder = line.split(' ')[4] ?? ''
    const names = await readdir(folder).catch(() => ['unreadable'])
    if (names.length === 0) return folder
  }
  return undefined
}

test('a restore to a mount point is refused, because it could only fail at its end', async (t) => {
  const mount = await findEmptyMount()
  if (mount === undefined) return t.skip('no empty mount point')
  const link = join(await temporaryDir(t), 'link')
  await symlink(mount, link)
  for (const folder of [mount, link]) {
    await assert.rejects(requireNewFolder(folder), /is a mount point, .* Nothing was changed\. Add --data-dir/)
  }
})
