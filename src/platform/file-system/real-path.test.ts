import assert from 'node:assert/strict'
import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { isInside, realPathOf } from './real-path.ts'

test('a path is resolved although its end does not exist, and a link that leads nowhere is named', async (t) => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'platen-paths-')))
  t.after(() => rm(root, { recursive: true, force: true }))
  await mkdir(join(root, 'data'))
  await symlink('data', join(root, 'link'))
  await symlink('missing', join(root, 'nowhere'))
  assert.equal(await realPathOf(join(root, 'link/new/folder')), join(root, 'data/new/folder'))
  await assert.rejects(realPathOf(join(root, 'nowhere')), /nowhere is a symbolic link to missing, which does not exist/)
  for (const [path, folder, expected] of [
    ['link/archive', 'data', true],
    ['data/archive', 'link', true],
    ['link', 'data', true],
    ['data-archive', 'link', false],
    ['.', 'link', false],
  ] as const) {
    assert.equal(await isInside(join(root, path), join(root, folder)), expected, `${path} in ${folder}`)
  }
})
