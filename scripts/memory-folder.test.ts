import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeMemoryFolder } from './lib/memory-folder.ts'

test('a folder in memory is empty, and lets another user pass; where there is no memory to have, there is none', (t) => {
  const memory = mkdtempSync(join(tmpdir(), 'platen-memory-'))
  t.after(() => rmSync(memory, { recursive: true }))
  const folder = makeMemoryFolder(memory)
  // A machine with little memory or room has none.
  if (folder !== undefined) {
    assert.ok(folder.startsWith(memory))
    assert.deepEqual(readdirSync(folder), [])
    assert.equal(statSync(folder).mode & 0o777, 0o711)
  }
  const nowhere = join(memory, 'nowhere')
  assert.equal(makeMemoryFolder(nowhere), undefined)
  assert.ok(!existsSync(nowhere))
})
