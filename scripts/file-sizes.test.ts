import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const SOURCE = join(import.meta.dirname, '../src')

test('half of the source files have fewer than 90 lines', () => {
  const files = globSync('**/*.ts', { cwd: SOURCE }).filter((file) => !file.endsWith('.test.ts'))
  const lines = files.map((file) => readFileSync(join(SOURCE, file), 'utf8').split('\n').length - 1)
  const median = lines.sort((a, b) => a - b)[Math.floor(lines.length / 2)] ?? 0
  assert.ok(median < 90, `${median} lines`)
})
