import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { createDatabase } from '../../../../test/harness.ts'
import { createRequestContext, currentRequest, runInRequest } from '../../concurrency/request-context.ts'
import { createLog } from '../../telemetry/log.ts'
import { openDatabase } from '../index.ts'
import { defineLeases, keepLease } from './leases.ts'

const FIRST = '00000000-0000-4000-8000-000000000001'
const SECOND = '00000000-0000-4000-8000-000000000002'
const LATER = new Date('2030-01-01T00:00:00Z')

async function openWork(t: TestContext) {
  const database = openDatabase(await createDatabase(t), createLog({ level: 'silent' }))
  t.after(() => database.close())
  await sql`create table work (key text primary key, lease_token uuid, leased_until timestamptz)`.execute(database.db)
  await sql`insert into work values ('a', ${FIRST}, now())`.execute(database.db)
  return database.db
}

test('only the holder of a lease renews it', async (t) => {
  const db = await openWork(t)
  const leases = defineLeases('work', { id: 'key', until: 'leased_until' })
  assert.equal(await leases.renew(db, { id: 'a', token: FIRST }, LATER), true)
  const { rows } = await sql<{ until: Date }>`select leased_until as until from work`.execute(db)
  assert.deepEqual(rows, [{ until: LATER }])
  await sql`update work set lease_token = ${SECOND}`.execute(db)
  assert.equal(await leases.renew(db, { id: 'a', token: FIRST }, LATER), false)
  assert.equal(await leases.renew(db, { id: 'b', token: SECOND }, LATER), false)
})

test('a lease is renewed by the service, and not by the caller who may have to wait', async () => {
  const renewed = Promise.withResolvers<unknown>()
  const renew = async () => renewed.resolve(currentRequest())
  const stop = runInRequest(createRequestContext(), () => keepLease({ everyMs: 5, renew, onError: renewed.reject }))
  assert.equal(await renewed.promise, undefined)
  stop()
})

test('a lease is not renewed again while a renewal is running', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const errors: unknown[] = []
  const renewals: PromiseWithResolvers<void>[] = []
  const renew = () => {
    const renewal = Promise.withResolvers<void>()
    renewals.push(renewal)
    return renewal.promise
  }
  const stop = keepLease({ everyMs: 10, renew, onError: (error) => errors.push(error) })
  t.mock.timers.tick(30)
  assert.equal(renewals.length, 1)
  renewals[0]?.reject(new Error('the database is away'))
  await new Promise(setImmediate)
  t.mock.timers.tick(10)
  assert.equal(renewals.length, 2)
  stop()
  t.mock.timers.tick(100)
  assert.deepEqual([renewals.length, errors.length], [2, 1])
})
