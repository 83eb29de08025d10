import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { untilEventsVisible } from '../../test/harness.ts'
import { startShop } from '../orders/factory.ts'
import type { Db } from '../platform/db/index.ts'
import { addMails } from './add-mails.ts'

const DATA_LOCK = 7

/** Makes each reading of the data of an event wait as long as a transaction holds `DATA_LOCK`. */
async function holdUpData(db: Db): Promise<void> {
  await sql`
    create function held_up(data json) returns json language plpgsql stable as $$
    begin
      perform pg_advisory_xact_lock_shared(${sql.lit(DATA_LOCK)});
      return data;
    end $$`.execute(db)
  await sql`alter table events rename to stored_events`.execute(db)
  await sql`
    create view events as
    select id, type, subject, sequence, transaction_id, position, held_up(data) as data from stored_events`.execute(db)
}

// Readers see no event that is newer than the oldest transaction with an id, and large orders can take seconds.
test('a process that reads a batch of events holds back no reader of events', async (t) => {
  const shop = await startShop(t)
  const { db, service } = shop
  await shop.order()
  await untilEventsVisible(db)
  await holdUpData(db)
  const { adding } = await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${DATA_LOCK}::bigint)`.execute(trx)
    const begun = addMails({ db: service.db, clock: service.clock, config: { orderMails: true } })
    await service.untilBlocked()
    const { rows } = await sql<{ hasId: boolean }>`
      select backend_xid is not null as "hasId" from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(trx)
    assert.deepEqual(rows, [{ hasId: false }])
    return { adding: begun }
  })
  await adding
  const mails = await db.selectFrom('order_mails').select('kind').execute()
  assert.deepEqual(mails, [{ kind: 'order_received' }])
})
