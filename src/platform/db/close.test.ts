import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDatabase } from '../../../test/harness.ts'
import { createLog } from '../telemetry/log.ts'
import { openDatabase } from './index.ts'

test('closing ends the connections of a pool, whether Kysely has used it or not', async (t) => {
  const settings = await createDatabase(t)
  const unused = openDatabase(settings, createLog({ level: 'silent' }))
  await unused.pool.query('select 1')
  assert.equal(unused.load().idle, 1)
  const used = openDatabase(settings, createLog({ level: 'silent' }))
  await used.db.selectFrom('users').select('id').execute()
  for (const pool of [unused, used]) {
    await pool.close()
    assert.deepEqual([pool.load().idle, pool.load().busy], [0, 0])
    await assert.rejects(pool.pool.query('select 1'), /after calling end/)
  }
})

test('a connection that the server ends is logged, unless the pool is closing', async (t) => {
  const lines: string[] = []
  const log = { ...createLog({ level: 'silent' }), warn: (_: object, text: string) => lines.push(text) } as never
  const { pool, close } = openDatabase(await createDatabase(t), log)
  pool.emit('error', new Error('terminating connection'), undefined as never)
  assert.deepEqual(lines, ['an idle database connection broke'])
  const closed = close()
  pool.emit('error', new Error('terminating connection'), undefined as never)
  await closed
  assert.equal(lines.length, 1)
})
