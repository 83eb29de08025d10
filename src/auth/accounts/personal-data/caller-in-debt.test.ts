import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { createDatabase, startService } from '../../../../test/harness.ts'
import { createRequestContext, runInRequest } from '../../../platform/concurrency/request-context.ts'
import { createTransferBudgets, openDatabase, transferRates } from '../../../platform/db/index.ts'
import { createLog } from '../../../platform/telemetry/log.ts'
import { eraseOrLeaveToJob } from './erase-data.ts'
import { moveMoreOrLeaveToJob } from './move-rest.ts'

const MIB = 1024 * 1024
/** The number of the level in the log. */
const INFO = 30
const CLIENT = { ip: '192.0.2.1' }

/** Starts a service with a closed user that has a design, and with a caller who may move no more bytes. */
async function startInDebt(t: TestContext) {
  // Time stands still, so that a debt is never worked off.
  const budgets = createTransferBudgets(transferRates(MIB), () => 0)
  const settings = await createDatabase(t)
  const timeout = { connectionTimeoutMillis: 1_000 }
  const database = openDatabase({ ...settings, max: 28, budgets, ...timeout }, createLog({ level: 'silent' }))
  t.after(database.close)
  const service = await startService(t, { database: settings, overrides: { database } })
  const { db, services } = service
  const [closed, caller] = [await service.signUp(), await service.signUp()]
  assert.equal((await service.request('DELETE', '/me', { token: closed.accessToken })).status, 204)
  await sql`
    insert into designs (id, owner_id, status, revision, name, product_id, variant_id, document, preflight, metadata,
      created_at, updated_at)
    values ('dsn_1', ${closed.userId}, 'archived', 1, 'Card', 'none', 'none', '{}', '{}', '{}', now(), now())`.execute(
    db,
  )
  const request = { ...createRequestContext(), account: caller.userId, isCustomer: true }
  budgets.payerOf(request)?.charge(100 * MIB)
  return {
    db,
    auth: services.auth.services,
    job: (name: string) => services.auth.jobs.find((job) => job.name === name)?.handle({ userId: closed.userId }),
    closed,
    caller,
    inDebt: <Result>(work: () => Promise<Result>) => runInRequest(request, work),
    /** The levels of the log with this message. */
    levelsOf: (message: RegExp) =>
      service
        .logLines()
        .split('\n')
        .filter((line) => message.test(line))
        .map((line) => JSON.parse(line).level),
  }
}

test('a claim whose caller may move no more bytes leaves the rest to a job, which is no error', async (t) => {
  const { db, auth, job, closed, caller, inDebt, levelsOf } = await startInDebt(t)
  await db.updateTable('users').set({ merged_into: caller.userId }).where('id', '=', closed.userId).execute()
  await inDebt(() => moveMoreOrLeaveToJob(auth, closed.userId))
  assert.deepEqual(levelsOf(/moving the records of a closed user failed/), [INFO])
  const owners = db.selectFrom('designs').select('owner_id')
  assert.deepEqual(await owners.execute(), [{ owner_id: closed.userId }])
  await job('auth.move_rest')
  assert.deepEqual(await owners.execute(), [{ owner_id: caller.userId }])
})

test('a deletion whose caller may move no more bytes leaves the rest to a job, which is no error', async (t) => {
  const { db, auth, job, closed, caller, inDebt, levelsOf } = await startInDebt(t)
  await inDebt(() => eraseOrLeaveToJob(auth, closed.userId, { userId: caller.userId, client: CLIENT }))
  assert.deepEqual(levelsOf(/erasing the data of a deleted account failed/), [INFO])
  await job('auth.erase')
  assert.deepEqual(await db.selectFrom('designs').select('id').execute(), [])
})
