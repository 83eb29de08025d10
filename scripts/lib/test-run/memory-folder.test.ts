import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeMemoryFolder } from './memory-folder.ts'

test('creates an empty folder that other users may enter, or none without enough memory', (t) => {
  const memory = mkdtempSync(join(tmpdir(), 'platen-memory-'))
  t.after(() => rmSync(memory, { recursive: true }))
  const folder = makeMemoryFolder(memory)
  // On a machine with little memory, no folder is created.
  if (folder !== undefined) {
    assert.ok(folder.startsWith(memory))
    assert.deepEqual(readdirSync(folder), [])
    assert.equal(statSync(folder).mode & 0o777, 0o711)
  }
  const nowhere = join(memory, 'nowhere')
  assert.equal(makeMemoryFolder(nowhere), undefined)
  assert.ok(!existsSync(nowhere))
})
