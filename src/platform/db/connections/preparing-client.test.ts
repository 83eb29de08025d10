import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { createDatabase } from '../../../../test/harness.ts'
import { createLog } from '../../telemetry/log.ts'
import { openDatabase, plannedEachTime } from '../index.ts'

// For a queue of 4,000 rows, a plan from the time when the queue was empty took 180 ms and not 1 ms.
test('statements with values are prepared, except those whose plan must not be cached', async (t) => {
  const database = openDatabase({ ...(await createDatabase(t)), max: 1 }, createLog({ level: 'silent' }))
  const { db } = database
  try {
    await sql`select ${1}::int + 1 as kept`.execute(db)
    await sql`${plannedEachTime}select ${1}::int + 1 as fresh`.execute(db)
    const { rows } = await sql<{ statement: string }>`
      select statement from pg_prepared_statements where statement not like '%pg_prepared%'`.execute(db)
    assert.deepEqual(
      rows.map(({ statement }) => statement),
      ['select $1::int + 1 as kept'],
    )
  } finally {
    await database.close()
  }
})

test('without prepared statements, the server keeps none, not even those with a name', async (t) => {
  const database = openDatabase(
    { ...(await createDatabase(t)), max: 1, prepares: false },
    createLog({ level: 'silent' }),
  )
  try {
    await sql`select ${1}::int + 1 as kept`.execute(database.db)
    await database.reads.query({ name: 'named', text: 'select $1::int', values: [1] })
    const { rows } = await sql`select statement from pg_prepared_statements`.execute(database.db)
    assert.deepEqual(rows, [])
  } finally {
    await database.close()
  }
})

// A design with another number of images is a statement with another number of parameters.
test('statements of a caller who varies them replace each other, and not those that are used all the time', async (t) => {
  const database = openDatabase({ ...(await createDatabase(t)), max: 1 }, createLog({ level: 'silent' }))
  t.after(database.close)
  const { db } = database
  const usual = () => sql`select ${1}::int as usual`.execute(db)
  for (let count = 1; count <= 700; count += 1) {
    await sql`select ${count}::int as ${sql.ref(`varied_${count}`)}`.execute(db)
    if (count % 100 === 0) await usual()
  }
  const { rows: later } = await sql`select ${1}::int as later`.execute(db)
  assert.deepEqual(later, [{ later: 1 }])
  const { rows } = await sql<{ statement: string; runs: number }>`
    select statement, (generic_plans + custom_plans)::int as runs from pg_prepared_statements`.execute(db)
  const runsOf = (name: string) => rows.find(({ statement }) => statement.endsWith(` as ${name}`))?.runs
  assert.deepEqual(
    [runsOf('usual'), runsOf('later'), runsOf('"varied_700"'), runsOf('"varied_1"')],
    [7, 1, 1, undefined],
  )
  assert.ok(rows.length <= 300, `${rows.length} statements`)
  const client = await database.pool.connect()
  const { parsedStatements } = (client as unknown as { connection: { parsedStatements: object } }).connection
  client.release()
  assert.equal(Object.keys(parsedStatements).length, rows.length)
})

test('a statement that lost its place runs again, also in a transaction and after an error in one', async (t) => {
  const database = openDatabase({ ...(await createDatabase(t)), max: 1 }, createLog({ level: 'silent' }))
  t.after(database.close)
  const { db } = database
  const replaceAll = async (round: number) => {
    for (let count = 1; count <= 300; count += 1)
      await sql`select ${count}::int as ${sql.ref(`round_${round}_${count}`)}`.execute(db)
  }
  const read = (of: typeof db) => sql<{ n: number }>`select ${7}::int as n`.execute(of)
  await read(db)
  await replaceAll(1)
  const failing = db.transaction().execute(async (trx) => {
    await sql`select ${1}::int / 0`.execute(trx).catch(() => undefined)
    await read(trx)
  })
  await assert.rejects(failing, { code: '25P02' })
  await replaceAll(2)
  const { rows } = await db.transaction().execute((trx) => read(trx))
  assert.deepEqual(rows, [{ n: 7 }])
  assert.deepEqual((await read(db)).rows, [{ n: 7 }])
})
