import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { untilBlocked } from '../../../test/harness.ts'
import { until } from '../../../test/lib/until.ts'
import { addSeconds } from '../clock.ts'
import type { DatabasePool } from '../db/index.ts'
import { collectLog, emitAlone, openPools } from './factory.ts'
import { type EventPosition, keepOrderOfEvents, pruneEvents, readEvents } from './index.ts'

/** Reads until the newest event is readable. */
async function readTo({ db }: DatabasePool, last: string, after?: EventPosition) {
  let page = await readEvents(db, { after, limit: 10 })
  await until(`${last} to be readable`, async () => {
    page = await readEvents(db, { after, limit: 10 })
    return page.events.at(-1)?.subject === last
  })
  const { events, upTo } = page
  return { subjects: events.map(({ subject }) => subject), upTo, at: events.at(-1)?.at }
}

test('after a restore on a server with fewer transactions, events keep their order', async (t) => {
  const [pool, other, beside] = await openPools(t, 3)
  assert.ok(pool !== undefined && other !== undefined && beside !== undefined)
  await emitAlone(pool, 'ord_1')
  await emitAlone(pool, 'ord_2')
  await keepOrderOfEvents(pool.db, collectLog().log)
  const ahead = async () =>
    (await pool.db.selectFrom('event_clock').select('transactions_ahead').executeTakeFirst())?.transactions_ahead
  assert.equal(await ahead(), 0)

  for (const last of ['ord_3', 'ord_4']) {
    // Simulates the events of a restored dump from a server with more transactions.
    await sql`update events set transaction_id = (transaction_id::text::bigint + 5000000)::text::xid8`.execute(pool.db)
    const { log, lines } = collectLog()
    const starts = await beside.db.transaction().execute(async (trx) => {
      await sql`lock table events in share row exclusive mode`.execute(trx)
      const begun = [pool, other].map(({ db }) => keepOrderOfEvents(db, log))
      await untilBlocked(beside.db, 2)
      return { all: Promise.all(begun) }
    })
    await starts.all
    // A second change of the clock would move it back for readers in the meantime, so only one process changes it.
    assert.equal(lines.length, 1)
    const before = await readTo(pool, last === 'ord_3' ? 'ord_2' : 'ord_3')
    await emitAlone(pool, last)
    assert.deepEqual((await readTo(pool, last, before.upTo)).subjects, [last])
  }
  const all = await readTo(pool, 'ord_4')
  assert.deepEqual(all.subjects, ['ord_1', 'ord_2', 'ord_3', 'ord_4'])

  // Also holds for readers whose events were all deleted.
  await pruneEvents(pool.db, addSeconds(new Date(), 60))
  // Simulates a server with as few transactions as this one.
  await sql`update event_clock set transactions_ahead = 0`.execute(pool.db)
  await keepOrderOfEvents(pool.db, collectLog().log)
  await emitAlone(pool, 'ord_5')
  assert.deepEqual((await readTo(pool, 'ord_5', all.at)).subjects, ['ord_5'])
})
