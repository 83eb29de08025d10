import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { createDatabase, untilBlocked } from '../../../../test/harness.ts'
import { toProblem } from '../../http/responses/errors.ts'
import { createLog } from '../../telemetry/log.ts'
import { mayWaitForLock } from '../connections/may-wait-for-lock.ts'
import { type Db, openDatabase, type PoolSettings } from '../index.ts'
import { reservedFor } from './connection-gate.ts'

const log = createLog({ level: 'silent' })
const MAX = 5

/** Long timeouts, so that the tests also pass on a busy computer. */
const PATIENT = { lock_timeout: 60_000, connectionTimeoutMillis: 60_000 }

async function start(t: TestContext, more: PoolSettings = {}) {
  const settings = await createDatabase(t)
  const database = openDatabase({ ...settings, max: MAX, ...more }, log)
  const beside = openDatabase({ ...settings, max: 2 }, log)
  t.after(() => Promise.all([database.close(), beside.close()]))
  await sql`create table parts (id int primary key, n int not null)`.execute(beside.db)
  await sql`insert into parts values (1, 0), (2, 0)`.execute(beside.db)
  return { db: database.db, pool: database.pool, beside: beside.db }
}

/** Holds the lock of a row while `work` runs. */
async function holding(db: Db, work: () => Promise<void>): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`select from parts where id = 1 for update`.execute(trx)
    await work()
  })
}

const statement = (db: Db) => sql`update parts set n = n + 1 where id = ${1}`.execute(db)
const transaction = (db: Db) =>
  db.transaction().execute((trx) => sql`select from parts where id = 1 for update`.execute(trx))

const transactionAfterRead = (db: Db) =>
  db.transaction().execute(async (trx) => {
    await sql`select 1`.execute(trx)
    await sql`select from parts where id = 1 for update`.execute(trx)
  })

for (const [kind, write] of [
  ['statements', statement],
  ['transactions', transaction],
  ['transactions that begin with a read', transactionAfterRead],
] as const) {
  test(`more ${kind} than connections that wait for a row do not block reads`, async (t) => {
    const { db, pool, beside } = await start(t, PATIENT)
    let writing: Promise<unknown> = Promise.resolve()
    await holding(beside, async () => {
      writing = Promise.all(Array.from({ length: 3 * MAX }, () => write(db)))
      await untilBlocked(beside, MAX - reservedFor(MAX))
      assert.deepEqual((await sql`select n from parts where id = ${2}`.execute(db)).rows, [{ n: 0 }])
      assert.equal((await pool.query({ name: 'parts', text: 'select from parts' })).rowCount, 2)
    })
    await writing
  })
}

test('a statement that waits too long for a lock or a connection ends with 503 and Retry-After', async (t) => {
  const { db, beside } = await start(t, { lock_timeout: 2_000, connectionTimeoutMillis: 500 })
  await holding(beside, async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 2 * MAX }, () => transaction(db)))
    for (const outcome of outcomes) {
      assert.equal(outcome.status, 'rejected')
      const { status, extras } = toProblem(outcome.reason)
      assert.equal(status, 503, String(outcome.reason))
      assert.match(String(extras.headers?.['Retry-After']), /^[1-9]\d*$/)
    }
  })
  // Transactions that timed out have released their connections. The loop is sequential, so that none waits on a busy
  // computer.
  for (let count = 0; count < 2 * MAX; count += 1) await transaction(db)
})

test('by default, a wait for a lock ends long before the statement timeout', async (t) => {
  const { db } = await start(t)
  const { rows } =
    await sql`select current_setting('lock_timeout') as lock, current_setting('statement_timeout') as statement`.execute(
      db,
    )
  assert.deepEqual(rows, [{ lock: '5s', statement: '30s' }])
})

test('a pool of one connection serves reads and writes in turn', async (t) => {
  const { db } = await start(t, { max: 1 })
  await Promise.all([statement(db), transaction(db), sql`select n from parts`.execute(db), statement(db)])
})

test('the text of a statement determines whether it may wait for a lock', () => {
  for (const text of [
    'begin',
    'insert into parts values ($1)',
    'select id from parts for update',
    'select id from parts for no key update',
    'select id from parts for key share',
    'with gone as (delete from parts returning id) select id from gone',
    'select pg_advisory_xact_lock($1)',
    "select graphile_worker.add_job('a')",
    'lock table parts in share mode',
    '/* planned each time */ delete from parts',
    '/* select */ lock table parts',
  ]) {
    assert.equal(mayWaitForLock(text), true, text)
  }
  for (const text of [
    'select updated_at from parts',
    '\n  with a as (select 1) select * from a',
    '/* planned each time */\n      with a as (select 1) select * from a',
    '/* planned each time */select 1',
    'select pg_notify($1, $2)',
    "select from pg_stat_activity where wait_event_type = 'Lock'",
  ]) {
    assert.equal(mayWaitForLock(text), false, text)
  }
})
