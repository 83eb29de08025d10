import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { createDatabase, untilBlocked } from '../../../../test/harness.ts'
import { AUTH_LOCKS } from '../../../auth/locks.ts'
import { createLog } from '../../telemetry/log.ts'
import { type Db, openDatabase } from '../index.ts'
import { LOCKS, lockName } from './locks.ts'

test('advisory locks have different numbers, each of which is defined only once', async () => {
  const numbers = [...Object.values(LOCKS), ...Object.values(AUTH_LOCKS)]
  assert.equal(new Set(numbers).size, numbers.length)
  const root = join(import.meta.dirname, '../../..')
  for await (const path of glob('**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] })) {
    const source = await readFile(join(root, path), 'utf8')
    const locking = [...source.matchAll(/select pg_(?:try_)?advisory_(?:xact_)?lock\([^`'\n]*/g)]
    for (const [call] of locking) {
      // Locks with a text key use the whole range of 64 bits and need no number.
      if (!call.includes('hashtextextended') && !source.includes('export async function lockName'))
        assert.match(source, /LOCKS\.\w+/, `${path}: ${call}`)
    }
  }
})

// A client can compute a name that `hashtextextended` maps to the lock of something else.
test('names that clients choose do not choose the lock', async (t) => {
  const database = openDatabase(await createDatabase(t), createLog({ level: 'silent' }))
  t.after(() => database.close())
  const { db } = database
  const isFree = async (name: string): Promise<boolean> => {
    const { rows } = await sql<{ free: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as free`.execute(db)
    return rows[0]?.free === true
  }
  const claim = async (trx: Db): Promise<boolean> => {
    const { rows } = await sql<{ claimed: boolean }>`
      select claimed from claim_idempotency_key('ann', 'key', now())`.execute(trx)
    return rows[0]?.claimed === true
  }
  const held = await db.startTransaction().execute()
  await lockName(held, 'reference')
  assert.equal(await claim(held), true)
  assert.deepEqual([await isFree('reference'), await isFree('idempotency ann key')], [true, true])
  // The locks of the same names exclude each other.
  assert.equal(await claim(db), false)
  await db.transaction().execute((trx) => lockName(trx, 'another reference'))
  const waiting = db.transaction().execute((trx) => lockName(trx, 'reference'))
  await untilBlocked(db)
  await held.commit().execute()
  await waiting
  assert.equal(await claim(db), true)
})
