import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { createDatabase, untilBlocked } from '../../../../test/harness.ts'
import { newId } from '../../../../test/ids.ts'
import { addSeconds } from '../../clock.ts'
import { openDatabase, type Trx } from '../../db/index.ts'
import { Problem } from '../../problem.ts'
import { createLog } from '../../telemetry/log.ts'
import { setQuota } from './store.ts'
import {
  createUnpaidBound,
  deleteExpiredUnpaid,
  extendUnpaid,
  forgetUnpaid,
  settleUnpaid,
  UNBOUNDED,
  unpaidBoundFor,
} from './unpaid.ts'

const QUOTA = 1_000
const HOUR = 3600

/** Opens a limit of 1,000 bytes for what an account stores without paying. */
async function openBound(t: TestContext) {
  const database = openDatabase(await createDatabase(t), createLog({ level: 'silent' }))
  t.after(() => database.close())
  const { db } = database
  const bound = createUnpaidBound(QUOTA)
  const ownerId = newId('user')
  const now = new Date()
  const inTransaction = <T>(work: (trx: Trx) => Promise<T>): Promise<T> => db.transaction().execute(work)
  const charge = (subject: string, bytes: number, members: { ownerId?: string; now?: Date; until?: Date } = {}) =>
    inTransaction((trx) => bound.charge(trx, { ownerId, subject, bytes, now, ...members }))
  return { db, bound, ownerId, now, inTransaction, charge }
}

async function assertExceeded(work: Promise<unknown>, used: number): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof Problem, String(error))
    assert.deepEqual([error.status, error.code], [413, 'storage_quota_exceeded'])
    assert.deepEqual(error.extras.members, { used, quota: QUOTA })
    assert.match(error.extras.detail ?? '', /not paid for count for 24 hours/)
    return true
  })
}

test('unpaid additions count for 24 hours, separately for each account', async (t) => {
  const { now, charge } = await openBound(t)
  await charge('a', 600)
  await assertExceeded(charge('b', 401), 600)
  await charge('b', 400)
  await charge('c', QUOTA, { ownerId: newId('user') })
  await assertExceeded(charge('d', 1, { now: addSeconds(now, 24 * HOUR - 1) }), QUOTA)
  await charge('d', QUOTA, { now: addSeconds(now, 24 * HOUR) })
})

test('files of an addition that counts need room when they are created, up to exactly the limit', async (t) => {
  const { db, bound, ownerId, now, inTransaction, charge } = await openBound(t)
  await charge('lease', 600)
  await charge('b', 400)
  const lease = { ownerId, subject: 'lease', now }
  const uncounted = { ...lease, subject: 'paid' }
  await bound.requireRoomFor(db, lease)
  await inTransaction((trx) => settleUnpaid(trx, 'b', { subject: 'b', bytes: 401, now }))
  await assertExceeded(bound.requireRoomFor(db, lease), 1_001)
  assert.deepEqual([await bound.hasRoomFor(db, lease), await bound.hasRoomFor(db, uncounted)], [false, true])
  await bound.requireRoomFor(db, uncounted)
})

test('tryCharge returns false without an error if there is no room', async (t) => {
  const { bound, ownerId, now, inTransaction } = await openBound(t)
  const attempt = (bytes: number) =>
    inTransaction((trx) => bound.tryCharge(trx, { ownerId, subject: 'order', bytes, now }))
  assert.deepEqual(
    [await attempt(700), await attempt(301), await attempt(300), await attempt(1)],
    [true, false, true, false],
  )
})

test('an estimate ends with its lease, or is replaced by the actual bytes', async (t) => {
  const { db, now, inTransaction, charge } = await openBound(t)
  await charge('lease', QUOTA, { until: addSeconds(now, 8) })
  await extendUnpaid(db, 'lease', addSeconds(now, 16))
  await assertExceeded(charge('a', 1, { now: addSeconds(now, 15) }), QUOTA)
  await charge('a', 100, { now: addSeconds(now, 16) })
  await inTransaction((trx) => settleUnpaid(trx, 'lease', { subject: 'design', bytes: 700, now }))
  await assertExceeded(charge('b', 201), 800)
  await forgetUnpaid(db, ['design', 'nothing'])
  await charge('b', 900)
})

// Without the lock on the row of the account, both would read the same state before either writes.
test('paid additions make room, even within the hour without a recount of the total', async (t) => {
  const { db, now, charge } = await openBound(t)
  for (let order = 0; order < 10; order += 1) await charge(`order-${order}`, 100)
  await assertExceeded(charge('more', 1, { now: addSeconds(now, 60) }), QUOTA)
  await forgetUnpaid(db, ['order-1', 'order-2'])
  await charge('more', 200, { now: addSeconds(now, 61) })
  await assertExceeded(charge('most', 1, { now: addSeconds(now, 62) }), QUOTA)
})

test('an addition recounts the others only if the recorded total leaves no room for it', async (t) => {
  const { db, now, charge } = await openBound(t)
  await charge('a', 400)
  await sql`update storage_unpaid set bytes = 900`.execute(db)
  await charge('b', 300)
  await assertExceeded(charge('c', 400), 1_200)
  await charge('d', 1, { now: addSeconds(now, 24 * HOUR) })
})

test('two concurrent additions together stay within the limit', async (t) => {
  const { db, charge } = await openBound(t)
  let both: Promise<PromiseSettledResult<unknown>[]> | undefined
  await charge('first', 1)
  await db.transaction().execute(async (trx) => {
    await sql`lock table storage_unpaid in share mode`.execute(trx)
    both = Promise.allSettled([charge('a', 600), charge('b', 600)])
    await untilBlocked(db, 2)
  })
  const outcomes = (await both)?.map(({ status }) => status)
  assert.deepEqual(outcomes?.toSorted(), ['fulfilled', 'rejected'])
})

test('rows that no longer count are deleted a day later', async (t) => {
  const { db, now, charge } = await openBound(t)
  await charge('old', 1, { until: addSeconds(now, -25 * HOUR) })
  await charge('recent', 1, { until: addSeconds(now, -23 * HOUR) })
  await deleteExpiredUnpaid(db)
  const { rows } = await sql<{ subject: string }>`select subject from storage_unpaid`.execute(db)
  assert.deepEqual(rows, [{ subject: 'recent' }])
})

test('operators and administrators have no limit, and without a quota no account has one', () => {
  const unpaid = createUnpaidBound(QUOTA)
  const boundOf = (role: string) => unpaidBoundFor({ role }, { unpaid })
  assert.deepEqual([boundOf('customer'), boundOf('operator'), boundOf('admin')], [unpaid, UNBOUNDED, UNBOUNDED])
  assert.equal(createUnpaidBound(undefined), UNBOUNDED)
})

test('an account with a limit of its own has this limit for unpaid additions too, also after a recount', async (t) => {
  const { ownerId, inTransaction, charge } = await openBound(t)
  await inTransaction((trx) => setQuota(trx, ownerId, 100))
  await charge('a', 60)
  for (const subject of ['b', 'c'])
    await assert.rejects(charge(subject, 41), (error) => {
      assert.ok(error instanceof Problem)
      assert.deepEqual(error.extras.members, { used: 60, quota: 100 })
      return true
    })
  await charge('d', 40)
})
