import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { AUTH_LOCKS } from '../../auth/locks.ts'
import { LOCKS } from './locks.ts'

test('advisory locks have different numbers, each of which is defined only once', async () => {
  const numbers = [...Object.values(LOCKS), ...Object.values(AUTH_LOCKS)]
  assert.equal(new Set(numbers).size, numbers.length)
  const root = join(import.meta.dirname, '../..')
  for await (const path of glob('**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] })) {
    const source = await readFile(join(root, path), 'utf8')
    const locking = [...source.matchAll(/select pg_(?:try_)?advisory_(?:xact_)?lock\([^`'\n]*/g)]
    for (const [call] of locking) {
      // Locks with a text key use the whole range of 64 bits and need no number.
      if (!call.includes('hashtextextended')) assert.match(source, /LOCKS\.\w+/, `${path}: ${call}`)
    }
  }
})
