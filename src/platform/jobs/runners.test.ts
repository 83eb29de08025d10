import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { createDatabase, untilBlocked } from '../../../test/harness.ts'
import { until } from '../../../test/lib/until.ts'
import { openDatabase } from '../db/index.ts'
import { createLog, type Log } from '../telemetry/log.ts'
import { enqueue, type JobDefinition, startJobRunner } from './jobs.ts'
import { type HeartbeatTiming, startHeartbeat } from './runners.ts'

const silent = createLog({ level: 'silent' })

/**
 * The limit is long, so that no process is presumed dead on a slow computer. Tests change timestamps instead of
 * waiting.
 */
const SHORT: HeartbeatTiming = { beatMs: 50, lostAfterMs: 10_000 }

async function openQueue(t: TestContext) {
  const poolConfig = await createDatabase(t)
  const database = openDatabase(poolConfig, silent)
  t.after(() => database.close())
  return { poolConfig, database, db: database.db }
}

type Queue = Awaited<ReturnType<typeof openQueue>>

/** Runs jobs in this process until the test ends. */
function startRunner(t: TestContext, { database }: Queue, jobs: JobDefinition[], timing: HeartbeatTiming = SHORT) {
  const runner = startJobRunner(database, jobs, silent, timing)
  t.after(() => runner.stop(0))
  return runner
}

interface Told {
  event: string
  name?: string
  line?: string
}

/** Starts a process that runs jobs with these names. Each job runs until the process gets `end`. */
async function startProcess(t: TestContext, { poolConfig }: Queue, names: string[]) {
  const args = [JSON.stringify(poolConfig), JSON.stringify(SHORT), ...names]
  const child = fork(join(import.meta.dirname, 'job-process.fixture.ts'), args)
  t.after(() => child.kill('SIGKILL'))
  const told: Told[] = []
  child.on('message', (message) => told.push(message as Told))
  return {
    child,
    untilTold: (what: string, isIt: (message: Told) => boolean) => until(what, () => told.some(isIt)),
  }
}

interface JobRow {
  id: string
  attempts: number
  locked_by: string | null
  last_error: string | null
}

async function listJobs({ db }: Queue): Promise<JobRow[]> {
  const { rows } = await sql<JobRow>`select id, attempts, locked_by, last_error from graphile_worker.jobs`.execute(db)
  return rows
}

async function listHoldersPresumedDead({ db }: Queue): Promise<unknown[]> {
  const { rows } = await sql`
    select id from job_runners where taken_over_at is not null and id in (select locked_by from graphile_worker.jobs)`.execute(
    db,
  )
  return rows
}

async function lockJobs({ db }: Queue, runnerId: string): Promise<void> {
  await sql`update graphile_worker._private_jobs set locked_at = now(), locked_by = ${runnerId}, attempts = 1`.execute(
    db,
  )
}

async function addRunner({ db }: Queue, id: string, lastSeen = sql<Date>`now() - interval '1 hour'`): Promise<void> {
  await db.insertInto('job_runners').values({ id, last_seen_at: lastSeen }).execute()
}

/** Changes the timestamp of the runner that holds the only job, as if its last heartbeat were long ago. */
async function forgetHolder({ db }: Queue): Promise<void> {
  await sql`update job_runners set last_seen_at = now() - interval '1 hour'
    where id in (select locked_by from graphile_worker.jobs)`.execute(db)
}

test('a job of a killed process is run by another process', async (t) => {
  const queue = await openQueue(t)
  await enqueue(queue.db, 'held', {}, { queue: 'one after another' })
  const killed = await startProcess(t, queue, ['held'])
  await killed.untilTold('the job begins', ({ event }) => event === 'began')
  const done = Promise.withResolvers<string>()
  startRunner(t, queue, [{ name: 'held', handle: async () => done.resolve('done') }])
  killed.child.kill('SIGKILL')
  await once(killed.child, 'exit')
  await forgetHolder(queue)
  assert.equal(await Promise.race([done.promise, delay(60_000, 'not taken over', { ref: false })]), 'done')
})

test('a frozen process does not complete a job that another process took over, and continues with other jobs', async (t) => {
  const queue = await openQueue(t)
  await enqueue(queue.db, 'held', {})
  const frozen = await startProcess(t, queue, ['held', 'other'])
  await frozen.untilTold('the job begins', ({ event }) => event === 'began')
  const began = Promise.withResolvers<void>()
  const fails = Promise.withResolvers<void>()
  frozen.child.kill('SIGSTOP')
  await forgetHolder(queue)
  startRunner(t, queue, [
    {
      name: 'held',
      handle: async () => {
        began.resolve()
        await fails.promise
      },
    },
  ])
  await began.promise
  frozen.child.kill('SIGCONT')
  frozen.child.send('end')
  await frozen.untilTold('the late end is noticed', ({ line }) => line?.includes('was taken over') === true)
  await frozen.untilTold('it continues', ({ line }) => line?.includes('with a new job runner') === true)
  await enqueue(queue.db, 'other', {})
  await frozen.untilTold('another job begins', ({ name }) => name === 'other')
  assert.deepEqual(await listHoldersPresumedDead(queue), [])
  frozen.child.send('end')
  await until('the other job is done', async () => (await listJobs(queue)).length === 1)
  fails.reject(new Error('to be tried again'))
  await until('the failure is recorded', async () => (await listJobs(queue))[0]?.last_error === 'to be tried again')
})

test('jobs that a runner takes after it was presumed dead are released as well', async (t) => {
  const queue = await openQueue(t)
  await addRunner(queue, 'late')
  startRunner(t, queue, [{ name: 'unrelated', handle: async () => undefined }])
  const isTakenOver = async () =>
    (await queue.db.selectFrom('job_runners').selectAll().execute()).some((one) => one.taken_over_at)
  await until('the runner is presumed dead', isTakenOver)
  await enqueue(queue.db, 'held', {})
  await lockJobs(queue, 'late')
  await until('the job is free', async () => (await listJobs(queue))[0]?.locked_by === null)
})

test('after an outage of the database, a runner is presumed dead only after a time in which it could send a heartbeat', async (t) => {
  const queue = await openQueue(t)
  const warnings: string[] = []
  const timing = { beatMs: 50, lostAfterMs: 4_000 }
  const heartbeat = startHeartbeat(queue.database, logTo(warnings), timing)
  t.after(() => heartbeat.end())
  await delay(timing.lostAfterMs / 2)
  await takeAway(queue)
  const findWarning = () => warnings.find((line) => line.includes('heartbeat'))
  await until('the outage is noticed', () => findWarning() !== undefined)
  const noticedAt = JSON.parse(findWarning() ?? '').time
  // Every runner polls in this way after the outage.
  await until('the database is back', () =>
    addRunner(queue, 'other').then(
      () => true,
      () => false,
    ),
  )
  const other = () => queue.db.selectFrom('job_runners').selectAll().where('id', '=', 'other').executeTakeFirst()
  await until('it is presumed dead', async () => (await other())?.taken_over_at !== null)
  const waitedMs = ((await other())?.taken_over_at?.getTime() ?? 0) - new Date(noticedAt).getTime()
  assert.ok(waitedMs >= timing.lostAfterMs / 2, `${waitedMs} ms`)
})

test('if two processes take over jobs at once, only one gets them', async (t) => {
  const queue = await openQueue(t)
  await addRunner(queue, 'dead')
  await enqueue(queue.db, 'held', {})
  await lockJobs(queue, 'dead')
  const lines: string[] = []
  const held = Promise.withResolvers<void>()
  const holding = Promise.withResolvers<void>()
  const transaction = queue.db.transaction().execute(async (trx) => {
    await sql`select from job_runners where id = 'dead' for update`.execute(trx)
    holding.resolve()
    await held.promise
  })
  await holding.promise
  const heartbeats = [1, 2].map(() => startHeartbeat(queue.database, logTo(lines), SHORT))
  await untilBlocked(queue.db, 2)
  held.resolve()
  await transaction
  await until('the job is free', async () => (await listJobs(queue))[0]?.locked_by === null)
  await Promise.all(heartbeats.map((heartbeat) => heartbeat.end()))
  assert.equal(lines.filter((line) => line.includes('released the jobs')).length, 1)
})

test('a job that does not end when its process stops is released immediately, and the attempt does not count', async (t) => {
  const queue = await openQueue(t)
  await enqueue(queue.db, 'hanging', {}, { queue: 'one after another' })
  const began = Promise.withResolvers<void>()
  const hanging = {
    name: 'hanging',
    handle: () => {
      began.resolve()
      return new Promise<void>(() => undefined)
    },
  }
  const runner = startJobRunner(queue.database, [hanging], silent)
  await began.promise
  await runner.stop(100)
  assert.deepEqual(
    (await listJobs(queue)).map(({ attempts, locked_by }) => [attempts, locked_by]),
    [[0, null]],
  )
  const done = Promise.withResolvers<void>()
  startRunner(t, queue, [{ name: 'hanging', handle: async () => done.resolve() }])
  await done.promise
})

test('a runner takes no job before it is registered', async (t) => {
  const queue = await openQueue(t)
  await enqueue(queue.db, 'early', {})
  const done = Promise.withResolvers<void>()
  await queue.db.transaction().execute(async (trx) => {
    await sql`lock table job_runners in share mode`.execute(trx)
    startRunner(t, queue, [{ name: 'early', handle: async () => done.resolve() }])
    await untilBlocked(queue.db)
    await delay(500)
    assert.equal((await listJobs(queue))[0]?.attempts, 0)
  })
  await done.promise
})

test('a due job that no notification announces runs after the next heartbeat', async (t) => {
  const queue = await openQueue(t)
  const ran: unknown[] = []
  startRunner(t, queue, [{ name: 'test.note', handle: async (payload) => void ran.push(payload) }])
  await enqueue(queue.db, 'test.note', { n: 1 })
  await until('the first job to end', async () => ran.length === 1 && (await listJobs(queue)).length === 0)
  await sql`
    insert into graphile_worker._private_jobs (task_id, payload)
    select id, '{"n": 2}' from graphile_worker._private_tasks where identifier = ${'test.note'}`.execute(queue.db)
  await until('the second job to run', () => ran.length === 2)
})

test('a job whose end a runner could not record is released when the runner is removed', async (t) => {
  const queue = await openQueue(t)
  const heartbeat = startHeartbeat(queue.database, silent)
  t.after(() => heartbeat.end())
  await heartbeat.register(
    'ended',
    () => undefined,
    () => undefined,
  )
  await enqueue(queue.db, 'held', {})
  await lockJobs(queue, 'ended')
  await heartbeat.remove('ended')
  assert.equal((await listJobs(queue))[0]?.locked_by, null)
})

test('a stopped runner is removed from the list', async (t) => {
  const queue = await openQueue(t)
  const began = Promise.withResolvers<void>()
  await enqueue(queue.db, 'quick', {})
  const runner = startJobRunner(queue.database, [{ name: 'quick', handle: async () => began.resolve() }], silent)
  await began.promise
  assert.equal((await queue.db.selectFrom('job_runners').select('id').execute()).length, 1)
  await runner.stop()
  assert.deepEqual(await queue.db.selectFrom('job_runners').select('id').execute(), [])
  assert.deepEqual(await listJobs(queue), [])
})

/** Ends every connection to the database of the queue, and prevents new ones for half a second. */
async function takeAway({ poolConfig }: Queue): Promise<void> {
  const admin = new pg.Client({ ...poolConfig, database: 'postgres' })
  await admin.connect()
  await admin.query(`alter database ${poolConfig.database} allow_connections false`)
  await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [poolConfig.database])
  setTimeout(async () => {
    await admin.query(`alter database ${poolConfig.database} allow_connections true`)
    await admin.end()
  }, 500)
}

const PATIENT = { beatMs: 50, lostAfterMs: 60_000 }

test('a job that completes while the database is unavailable does not run again', async (t) => {
  const queue = await openQueue(t)
  let runs = 0
  await enqueue(queue.db, 'ending', {})
  const handle = async () => {
    runs += 1
    await takeAway(queue)
  }
  startRunner(t, queue, [{ name: 'ending', handle }], PATIENT)
  await until('the job is gone', async () => {
    const jobs = await listJobs(queue).catch(() => undefined)
    return runs > 0 && jobs?.length === 0
  })
  assert.equal(runs, 1)
})

// The test would fail with its process, because an unhandled rejection ends the process.
test('a job that fails while the database is unavailable is retried, and the process continues', async (t) => {
  const queue = await openQueue(t)
  await enqueue(queue.db, 'failing', {})
  const again = Promise.withResolvers<string>()
  let runs = 0
  const handle = async () => {
    runs += 1
    if (runs > 1) return again.resolve('tried again')
    await takeAway(queue)
    throw new Error('to be tried again')
  }
  startRunner(t, queue, [{ name: 'failing', handle }])
  assert.equal(await Promise.race([again.promise, delay(60_000, 'never', { ref: false })]), 'tried again')
})

function logTo(lines: string[]): Log {
  const destination = { write: (line: string) => lines.push(line) } as unknown as NodeJS.WritableStream
  return createLog({ level: 'debug', destination })
}
