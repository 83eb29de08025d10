import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { createDatabase } from '../../../test/harness.ts'
import { createLog } from '../log.ts'
import { isDatabaseUnavailable } from './errors.ts'
import { openDatabase } from './index.ts'

const log = createLog({ level: 'silent' })

test('a statement that takes too long counts as a database that does not answer, a refused one does not', async (t) => {
  const { db, close } = openDatabase({ ...(await createDatabase(t)), statement_timeout: 50 }, log)
  t.after(close)
  await assert.rejects(sql`select pg_sleep(5)`.execute(db), isDatabaseUnavailable)
  await assert.rejects(sql`select 1 / 0`.execute(db), (error) => !isDatabaseUnavailable(error))
})
