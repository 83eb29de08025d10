import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { createDatabase } from '../../../../test/harness.ts'
import { createLog } from '../../telemetry/log.ts'
import { type Db, openDatabase } from '../index.ts'

const log = createLog({ level: 'silent' })

/** Creates a table, one connection with prepared statements, and another connection that migrates. */
async function start(t: TestContext) {
  const settings = await createDatabase(t)
  const database = openDatabase({ ...settings, max: 1 }, log)
  const migrator = new pg.Client(settings)
  // The database may be dropped before the connection ends.
  migrator.on('error', () => undefined)
  await migrator.connect()
  t.after(async () => {
    await database.close()
    await migrator.end()
  })
  await migrator.query('create table parts (id int primary key, n int not null)')
  await migrator.query('insert into parts values (1, 10)')
  const backend = async (): Promise<number> =>
    (await database.pool.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid ?? 0
  return { ...database, backend, migrate: (text: string) => migrator.query(text) }
}

const readAll = (db: Db) => sql<{ id: number; n: number }>`select * from parts where id = ${1}`.execute(db)

test('a statement whose result a migration changed is prepared again and succeeds', async (t) => {
  const { db, backend, migrate } = await start(t)
  const before = await backend()
  const read = () => sql<{ n: number }>`select n from parts where id = ${1}`.execute(db)
  const write = () => sql<{ n: number }>`update parts set n = n + ${1} where id = 1 returning n`.execute(db)
  await readAll(db)
  await read()
  await write()
  await migrate('alter table parts alter column n type bigint')
  assert.deepEqual((await write()).rows, [{ n: 12 }])
  assert.deepEqual((await read()).rows, [{ n: 12 }])
  await migrate('alter table parts add column added text')
  assert.deepEqual((await readAll(db)).rows, [{ id: 1, n: 12, added: null }])
  // Asserts that the same connection was used, because a new connection would delay other requests.
  assert.equal(await backend(), before)
})

test('a named statement that is sent to the pool succeeds as well', async (t) => {
  const { pool, migrate } = await start(t)
  const read = () =>
    pool.query<{ n: number }>({ name: 'read-part', text: 'select n from parts where id = $1', values: [1] })
  await read()
  await migrate('alter table parts alter column n type bigint')
  assert.deepEqual((await read()).rows, [{ n: 10 }])
})

test('a transaction with such a statement runs again from its beginning, and its effects occur once', async (t) => {
  const { db, migrate } = await start(t)
  await readAll(db)
  await migrate('alter table parts add column added text')
  let runs = 0
  const rows = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => {
      runs += 1
      await sql`insert into parts (id, n) values (${2}, 20)`.execute(trx)
      return (await readAll(trx)).rows
    })
  assert.deepEqual(rows, [{ id: 1, n: 10, added: null }])
  assert.equal(runs, 2)
  assert.deepEqual((await sql`select id from parts order by id`.execute(db)).rows, [{ id: 1 }, { id: 2 }])
})

test('an error of another kind ends a transaction in its first run', async (t) => {
  const { db } = await start(t)
  let runs = 0
  const failing = db.transaction().execute(async (trx) => {
    runs += 1
    await sql`insert into parts (id, n) values (${1}, 20)`.execute(trx)
  })
  await assert.rejects(failing, { code: '23505' })
  assert.equal(runs, 1)
})
