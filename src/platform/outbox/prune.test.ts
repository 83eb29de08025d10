import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { addSeconds } from '../clock.ts'
import type { DatabasePool } from '../db/index.ts'
import { emitAlone, openPools } from './factory.ts'
import { pruneEvents } from './index.ts'

const now = new Date()
const old = addSeconds(now, -40 * 86_400)
const cutoff = addSeconds(now, -30 * 86_400)

async function sequencesOf({ db }: DatabasePool, subject: string): Promise<number[]> {
  const query = db.selectFrom('events').select('sequence').where('subject', '=', subject).orderBy('sequence')
  return (await query.execute()).map(({ sequence }) => sequence)
}

test('any number of old events is deleted, and the sequence numbers of their subjects continue', async (t) => {
  const [pool, beside] = await openPools(t, 2)
  assert.ok(pool !== undefined && beside !== undefined)
  await sql`
    insert into events (id, type, subject, owner_id, sequence, data, created_at)
    select 'evt_' || n, 'order.created', 'ord_' || n, 'usr_1', 1, '{}', ${old} from generate_series(1, 1500) n
  `.execute(pool.db)
  for (const at of [old, old, now]) await emitAlone(pool, 'ord_a', { at })
  for (const at of [old, old]) await emitAlone(pool, 'ord_b', { at })
  await pruneEvents(pool.db, cutoff)
  assert.deepEqual(await sequencesOf(pool, 'ord_a'), [3])
  assert.deepEqual(await sequencesOf(pool, 'ord_b'), [])
  const { count } = await pool.db
    .selectFrom('events')
    .select(sql<number>`count(*)`.as('count'))
    .executeTakeFirstOrThrow()
  assert.equal(count, 1)

  for (const subject of ['ord_a', 'ord_b', 'ord_b']) await emitAlone(pool, subject, { at: old })
  assert.deepEqual(
    [await sequencesOf(pool, 'ord_a'), await sequencesOf(pool, 'ord_b')],
    [
      [3, 4],
      [3, 4],
    ],
  )
  await pruneEvents(pool.db, cutoff)
  for (const subject of ['ord_a', 'ord_b']) await emitAlone(pool, subject, { at: old })
  assert.deepEqual([await sequencesOf(pool, 'ord_a'), await sequencesOf(pool, 'ord_b')], [[3, 5], [5]])

  // Deletion skips an event that is being rewritten, because the rewriting transaction may wait for a row that is being
  // deleted.
  await beside.db.transaction().execute(async (trx) => {
    await sql`select from events where subject = 'ord_b' for update`.execute(trx)
    await pruneEvents(pool.db, cutoff)
  })
  assert.deepEqual([await sequencesOf(pool, 'ord_a'), await sequencesOf(pool, 'ord_b')], [[3], [5]])
})
