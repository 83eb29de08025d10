import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { createDatabase } from '../../../../test/harness.ts'
import { createLog } from '../../telemetry/log.ts'
import { type Db, openDatabase, type PoolSettings } from '../index.ts'

/** A pool of one connection, and a counter of the round trips on it. */
async function start(t: TestContext, more: PoolSettings = {}) {
  const settings = await createDatabase(t)
  const { db, pool, close } = openDatabase({ ...settings, max: 1, ...more }, createLog({ level: 'silent' }))
  t.after(close)
  let answers = 0
  pool.on('connect', ({ connection }) => connection.on('readyForQuery', () => (answers += 1)))
  await sql`create table parts (id int primary key)`.execute(db)
  const countTrips = async (work: () => Promise<unknown>): Promise<number> => {
    const before = answers
    await work()
    return answers - before
  }
  return { settings, db, countTrips }
}

const insert = (db: Db, id: number) => sql`insert into parts (id) values (${id})`.execute(db)
const listParts = async (db: Db) =>
  (await sql<{ id: number }>`select id from parts order by id`.execute(db)).rows.map(({ id }) => id)

const insertIn = (db: Db, id: number) =>
  db.transaction().execute(async (trx) => {
    await insert(trx, id)
  })

test('a transaction begins in the round trip of its first statement, once the connection has prepared it', async (t) => {
  const { db, countTrips } = await start(t)
  assert.equal(await countTrips(() => insertIn(db, 1)), 3)
  assert.equal(await countTrips(() => insertIn(db, 2)), 2)
  assert.deepEqual(await listParts(db), [1, 2])
})

test('without prepared statements, a transaction begins in a round trip of its own', async (t) => {
  const { db, countTrips } = await start(t, { prepares: false })
  for (const id of [1, 2]) assert.equal(await countTrips(() => insertIn(db, id)), 3)
  assert.deepEqual(await listParts(db), [1, 2])
})

test('the first statement belongs to the transaction, and is rolled back with it', async (t) => {
  const { db } = await start(t)
  await insertIn(db, 1)
  const failing = db.transaction().execute(async (trx) => {
    await insert(trx, 2)
    throw new Error('failed later')
  })
  await assert.rejects(failing, /failed later/)
  assert.deepEqual(await listParts(db), [1])
})

test('a first statement that fails leaves the connection without a transaction', async (t) => {
  const { settings, db } = await start(t)
  await insertIn(db, 1)
  await assert.rejects(insertIn(db, 1), ({ code, stack }: Error & { code: string }) => {
    assert.equal(code, '23505')
    assert.match(stack ?? '', /late-connection\.test\.ts/, 'the stack names the caller')
    return true
  })
  await insert(db, 2)
  const other = openDatabase({ ...settings, max: 1 }, createLog({ level: 'silent' }))
  t.after(other.close)
  assert.deepEqual(await listParts(other.db), [1, 2])
})

test('a transaction without statements sends nothing', async (t) => {
  const { db, countTrips } = await start(t)
  assert.equal(await countTrips(() => db.transaction().execute(async () => 'nothing')), 0)
  await assert.rejects(
    db.transaction().execute(async () => {
      throw new Error('before any statement')
    }),
    /before any statement/,
  )
})

test('a transaction with an isolation level has it from its first statement', async (t) => {
  const { db } = await start(t)
  const { rows } = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute((trx) => sql<{ level: string }>`select current_setting('transaction_isolation') as level`.execute(trx))
  assert.deepEqual(rows, [{ level: 'repeatable read' }])
})

test('a migration before the first statement of a transaction makes it run again, with its effects once', async (t) => {
  const { settings, db } = await start(t)
  const read = (trx: Db) => sql<{ id: number }>`select * from parts where id > ${0}`.execute(trx)
  await insertIn(db, 1)
  await read(db)
  const migrator = new pg.Client(settings)
  await migrator.connect()
  await migrator.query('alter table parts add column added text')
  await migrator.end()
  let runs = 0
  await db.transaction().execute(async (trx) => {
    runs += 1
    await read(trx)
    await insert(trx, 2)
  })
  assert.equal(runs, 2)
  assert.deepEqual(await listParts(db), [1, 2])
})
