import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { createDatabase } from '../../../test/harness.ts'
import { type DatabasePool, openDatabase } from '../db/index.ts'
import { createLog } from '../telemetry/log.ts'
import { enqueue, type JobDefinition, releaseLeftJobs, startJobRunner, toTaskList } from './jobs.ts'

const log = createLog({ level: 'silent' })

async function openQueue(t: TestContext) {
  const database = openDatabase(await createDatabase(t), log)
  t.after(() => database.close())
  return database
}

/** Runs jobs until the promise `done` resolves. */
async function runUntil(done: Promise<unknown>, database: DatabasePool, jobs: JobDefinition[]): Promise<void> {
  const runner = startJobRunner(database, jobs, log)
  await done
  await runner.stop()
}

test('heavy jobs do not delay other jobs', async (t) => {
  const database = await openQueue(t)
  const quick = Promise.withResolvers<void>()
  const heavyEnds = Promise.withResolvers<void>()
  const heavyBegins = Promise.withResolvers<void>()
  for (let count = 0; count < 40; count += 1) await enqueue(database.db, 'heavy', {})
  const quickIsDone = async () => {
    await heavyBegins.promise
    await enqueue(database.db, 'quick', {})
    await quick.promise
    heavyEnds.resolve()
  }
  await runUntil(quickIsDone(), database, [
    {
      name: 'heavy',
      isHeavy: true,
      handle: async () => {
        heavyBegins.resolve()
        await heavyEnds.promise
      },
    },
    { name: 'quick', handle: async () => quick.resolve() },
  ])
})

test('heavy jobs of eleven customers with two jobs each leave places for others', async (t) => {
  const database = await openQueue(t)
  const other = Promise.withResolvers<void>()
  for (let count = 0; count < 22; count += 1) await enqueue(database.db, 'slow', {})
  let begun = 0
  await runUntil(other.promise, database, [
    {
      name: 'slow',
      isHeavy: true,
      handle: async () => {
        begun += 1
        if (begun === 22) await enqueue(database.db, 'other', {})
        await other.promise
      },
    },
    { name: 'other', isHeavy: true, handle: async () => other.resolve() },
  ])
})

test('a handler knows whether the attempt is the last one', async (t) => {
  const database = await openQueue(t)
  const attempts: boolean[] = []
  const ended = Promise.withResolvers<void>()
  await enqueue(database.db, 'failing', {}, { maxAttempts: 2 })
  await runUntil(ended.promise, database, [
    {
      name: 'failing',
      handle: async (_, attempt) => {
        attempts.push(attempt?.isLast === true)
        if (attempt?.isLast === true) ended.resolve()
        // Simulates the end of the pause after a failure.
        else void soon(database)
        throw new Error('once more')
      },
    },
  ])
  assert.deepEqual(attempts, [false, true])
})

async function soon({ db }: Awaited<ReturnType<typeof openQueue>>): Promise<void> {
  for (;;) {
    await delay(20)
    const { numAffectedRows } = await sql`
      update graphile_worker._private_jobs set run_at = now() where attempts = 1 and locked_at is null`.execute(db)
    if (numAffectedRows === 1n) return
  }
}

test('jobs of a killed process run again in the next process after their release', async (t) => {
  const database = await openQueue(t)
  await enqueue(database.db, 'left', {})
  await sql`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'killed', attempts = 1`.execute(
    database.db,
  )
  const done = Promise.withResolvers<void>()
  await releaseLeftJobs(database.db)
  // A call without jobs to release succeeds.
  await releaseLeftJobs(database.db)
  await runUntil(done.promise, database, [{ name: 'left', handle: async () => done.resolve() }])
})

test('two jobs of one name are an error, also if one of them had the name before', () => {
  const job = (name: string, ...formerNames: string[]) => ({ name, formerNames, handle: async () => undefined })
  const db = {} as DatabasePool['db']
  assert.deepEqual(Object.keys(toTaskList([job('a', 'b'), job('c')], db)), ['a', 'b', 'c'])
  assert.throws(() => toTaskList([job('a'), job('a')], db), /two jobs have the name a/)
  assert.throws(() => toTaskList([job('a', 'b'), job('b')], db), /two jobs have the name b/)
})

// Otherwise, each job of a queue would wait for the heartbeat of five seconds that makes a place look for it.
test('the jobs of a queue follow each other at once', async (t) => {
  const database = await openQueue(t)
  const done = Promise.withResolvers<void>()
  let running = 0
  let most = 0
  let ended = 0
  for (let count = 0; count < 10; count += 1) await enqueue(database.db, 'queued', {}, { queue: 'one by one' })
  const begin = performance.now()
  await runUntil(done.promise, database, [
    {
      name: 'queued',
      handle: async () => {
        running += 1
        most = Math.max(most, running)
        await delay(5)
        running -= 1
        ended += 1
        if (ended === 10) done.resolve()
      },
    },
  ])
  assert.equal(most, 1)
  const tookMs = performance.now() - begin
  assert.ok(tookMs < 20_000, `${tookMs} ms`)
})

test('of drawn deliveries, a share takes half of the places at most, in order, and leaves the others to others', async (t) => {
  const database = await openQueue(t)
  const names: string[] = []
  let [running, most] = [0, 0]
  const others = Promise.withResolvers<void>()
  const { promise: done, resolve: end } = Promise.withResolvers<void>()
  const add = (name: string, share?: string) => enqueue(database.db, 'drawn', { name, share }, { share })
  for (let number = 1; number <= 6; number += 1) await add(`many ${number}`, 'many')
  await runUntil(done, database, [
    {
      name: 'drawn',
      isDelivery: true,
      isDrawn: true,
      handle: async (payload) => {
        const { name, share } = payload as { name: string; share?: string }
        names.push(name)
        running += share === 'many' ? 1 : 0
        most = Math.max(most, running)
        if (name === 'many 1') await Promise.all([add('other', 'other'), add('without a share')])
        if (names.includes('other') && names.includes('without a share')) others.resolve()
        // Without places for others, the jobs of the share would wait for them for ever.
        if (share === 'many' && running < 3) await others.promise
        if (share === 'many') await delay(5)
        running -= share === 'many' ? 1 : 0
        if (names.length === 8) end()
      },
    },
  ])
  assert.equal(most, 1)
  const ofMany = names.filter((name) => name.startsWith('many'))
  assert.deepEqual([names[0], ofMany], ['many 1', ofMany.toSorted()])
})

test('a job of a share follows one that fails', async (t) => {
  const database = await openQueue(t)
  const done = Promise.withResolvers<void>()
  for (const name of ['failing', 'next'])
    await enqueue(database.db, 'drawn', { name }, { share: 'one', maxAttempts: 1 })
  await runUntil(done.promise, database, [
    {
      name: 'drawn',
      isDelivery: true,
      isDrawn: true,
      handle: async (payload) => {
        if ((payload as { name: string }).name === 'failing') throw new Error('for the test')
        done.resolve()
      },
    },
  ])
})
