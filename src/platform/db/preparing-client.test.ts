import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { createDatabase } from '../../../test/harness.ts'
import { createLog } from '../log.ts'
import { openDatabase, plannedEachTime } from './index.ts'

// A plan from the moment when a queue was empty took 180 ms with 4000 rows in it, instead of one.
test('statements with values are prepared, but for those that say that their plan is not to be kept', async (t) => {
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
