import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { createDatabase } from '../../../../test/harness.ts'
import { toProblem } from '../../http/responses/errors.ts'
import { createLog } from '../../telemetry/log.ts'
import { openDatabase } from '../index.ts'
import { isDatabaseUnavailable } from './errors.ts'

const log = createLog({ level: 'silent' })

test('a statement that takes too long counts as an unavailable database, and a rejected one does not', async (t) => {
  const { db, close } = openDatabase({ ...(await createDatabase(t)), statement_timeout: 50 }, log)
  t.after(close)
  await assert.rejects(sql`select pg_sleep(5)`.execute(db), isDatabaseUnavailable)
  await assert.rejects(sql`select 1 / 0`.execute(db), (error) => !isDatabaseUnavailable(error))
})

test('of two transactions that deadlock, one is rolled back and its request gets 503', async (t) => {
  const { db, close } = openDatabase(await createDatabase(t), log)
  t.after(close)
  await sql`create table pairs (id int primary key)`.execute(db)
  await sql`insert into pairs values (1), (2)`.execute(db)
  const change = async (first: number, second: number, met: () => Promise<void>) =>
    db.transaction().execute(async (trx) => {
      await sql`update pairs set id = id where id = ${first}`.execute(trx)
      await met()
      await sql`update pairs set id = id where id = ${second}`.execute(trx)
    })
  const { promise: bothThere, resolve } = Promise.withResolvers<void>()
  let there = 0
  const meet = async (): Promise<void> => {
    there += 1
    if (there === 2) resolve()
    await bothThere
  }
  const outcomes = await Promise.allSettled([change(1, 2, meet), change(2, 1, meet)])
  assertUndone(outcomes, '40P01')
})

test('a request whose transaction read rows that another one changed gets 503', async (t) => {
  const { db, close } = openDatabase(await createDatabase(t), log)
  t.after(close)
  await sql`create table pairs (id int primary key, n int)`.execute(db)
  await sql`insert into pairs values (1, 0)`.execute(db)
  const change = sql`update pairs set n = n + 1 where id = 1`
  const undone = db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => {
      await sql`select n from pairs`.execute(trx)
      await change.execute(db)
      await change.execute(trx)
    })
  assertUndone(await Promise.allSettled([undone]), '40001')
})

function assertUndone(outcomes: readonly PromiseSettledResult<void>[], code: string): void {
  const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  assert.deepEqual(
    errors.map((error) => error.code),
    [code],
  )
  const { status, extras } = toProblem(errors[0])
  assert.equal(status, 503)
  assert.match(String(extras.headers?.['Retry-After']), /^[1-9]\d*$/)
}
