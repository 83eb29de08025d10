import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { untilEventsVisible } from '../../../test/harness.ts'
import type { Trx } from '../db/index.ts'
import { emitAlone, openPools } from './factory.ts'
import { emit, readEvents } from './index.ts'

test('events of a subject are read in the order of changes, independent of the order of transaction ids', async (t) => {
  const [pool, other] = await openPools(t, 2)
  assert.ok(pool !== undefined && other !== undefined)
  const event = { type: 'order.created', subject: 'ord_1', ownerId: 'usr_1', data: {}, at: new Date() } as const
  await pool.db.transaction().execute(async (early: Trx) => {
    await sql`select pg_current_xact_id()`.execute(early)
    await emitAlone(other, 'ord_1')
    await emitAlone(other, 'ord_1')
    assert.deepEqual((await readEvents(other.db, { after: undefined, limit: 10 })).events, [])
    await emit(early, event)
  })
  await emitAlone(other, 'ord_1')
  await untilEventsVisible(pool.db)
  const { events } = await readEvents(pool.db, { after: undefined, limit: 10 })
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    [1, 2, 3, 4],
  )
})
