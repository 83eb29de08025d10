import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { AUTH_LOCKS } from '../../auth/locks.ts'
import { LOCKS } from './locks.ts'

test('no two advisory locks have the same number, and none has its number anywhere else', async () => {
  const numbers = [...Object.values(LOCKS), ...Object.values(AUTH_LOCKS)]
  assert.equal(new Set(numbers).size, numbers.length)
  const root = join(import.meta.dirname, '../..')
  for await (const path of glob('**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] })) {
    const source = await readFile(join(root, path), 'utf8')
    const locking = [...source.matchAll(/select pg_(?:try_)?advisory_(?:xact_)?lock\([^`'\n]*/g)]
    for (const [call] of locking) {
      // Locks by name have 64 bits for themselves.
      if (!call.includes('hashtextextended')) assert.match(source, /LOCKS\.\w+/, `${path}: ${call}`)
    }
  }
})
