import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { corpusFiles } from './lib/corpus.ts'
import { replay } from './lib/replay.ts'
import { TARGET_NAMES } from './lib/target.ts'

for (const target of TARGET_NAMES) {
  test(`no input of the corpus for ${target} ends a process, hangs, or is accepted and fails later`, async () => {
    const files = corpusFiles(target)
    assert.ok(files.length > 0)
    const results = await replay(target, files)
    assert.equal(results.length, files.length)
    assert.deepEqual(
      results.filter((result) => 'failure' in result),
      [],
    )
  })
}

test('a replayed input that ends its process is a failure, and the next input is checked', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'platen-replay-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const [missing, sound] = [join(dir, 'missing'), join(dir, 'sound')]
  writeFileSync(sound, 'M0 0H1')
  const [first, second] = await replay('path', [missing, sound])
  assert.ok(first !== undefined && 'failure' in first, JSON.stringify(first))
  assert.ok(second !== undefined && 'outcome' in second, JSON.stringify(second))
})
