import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { until } from '../../../test/lib/until.ts'
import { newGuestId } from '../../platform/fair-share.ts'
import { RenderFailed, type RenderFailure, RenderQueueFull } from '../errors.ts'
import { startChild } from './child.ts'
import { createMemoryBudget } from './memory-budget.ts'
import type { UnrulyJobs } from './misbehaving.fixture.ts'
import { createPool, type PoolOptions } from './pool.ts'

const module = new URL('./misbehaving.fixture.ts', import.meta.url)

function startPool(t: TestContext, options: Partial<PoolOptions> = {}) {
  const pool = createPool<UnrulyJobs>({
    module,
    processes: 1,
    maxQueue: 10,
    maxQueuePerOwner: 10,
    timeoutMs: 20_000,
    memoryLimitMb: 300,
    memoryBytesOfShare: Number.POSITIVE_INFINITY,
    log: { warn: () => {} },
    ...options,
  })
  t.after(() => pool.close())
  return pool
}

const failsBy = (cause: RenderFailure) => (error: unknown) => error instanceof RenderFailed && error.cause === cause

test('a job that throws fails alone, with its stack in the log: its process takes the next job', async (t) => {
  const warnings: object[] = []
  const pool = startPool(t, { log: { warn: (fields) => warnings.push(fields) } })
  const before = await pool.run('pid', undefined as never)
  await assert.rejects(pool.run('fail', undefined as never), failsBy('error'))
  assert.equal(await pool.run('pid', undefined as never), before)
  const [{ job, thrown } = {}] = warnings as { job?: string; thrown?: string }[]
  assert.equal(job, 'fail')
  assert.match(thrown ?? '', /this job throws\n +at .*misbehaving\.fixture\.ts/)
})

test('a process reports the processor time of a running job, and of one that has ended', async (t) => {
  const ready = Promise.withResolvers<void>()
  const memory = createMemoryBudget(Number.POSITIVE_INFINITY)
  const options = { module, timeoutMs: 20_000, memoryLimitMb: 300, memory, log: { warn: () => {} } }
  const child = startChild(options, { onReady: ready.resolve, onGone: () => {} })
  t.after(() => child.interrupt())
  await ready.promise
  await child.run({ kind: 'pid', input: undefined }, '')
  assert.ok(child.cpuMs() > 0 && child.cpuMs() < 1_000, String(child.cpuMs()))
  const hanging = assert.rejects(child.run({ kind: 'hang', input: undefined }, ''), failsBy('killed'))
  assert.equal(child.cpuMs(), 0)
  await until('the processor time is reported', async () => child.cpuMs() > 300)
  child.interrupt()
  await hanging
})

for (const [kind, cause] of [
  ['hang', 'timeout'],
  ['crash', 'crash'],
  ['trap', 'crash'],
  ['exit', 'crash'],
  ['hoard', 'memory'],
  ['hoardHeap', 'memory'],
] as const) {
  test(`a job of kind "${kind}" fails with ${cause}, and later jobs run in a new process`, async (t) => {
    const pool = startPool(t, kind === 'hang' ? { timeoutMs: 5_000 } : {})
    const before = await pool.run('pid', undefined as never)
    const bad = assert.rejects(pool.run(kind, undefined as never), failsBy(cause))
    const waiting = pool.run('pid', undefined as never)
    await bad
    // The caller may now reuse the output folder, so the process must have ended.
    assert.equal(isAlive(before), false)
    assert.notEqual(await waiting, before)
  })
}

// Callers use the step to identify the document or layer that caused the crash.
test('the last step of a job is known after its process has died', async (t) => {
  const pool = startPool(t)
  // Jobs without a watchdog count, too.
  await pool.run('pid', undefined as never, { isFirst: true })
  await assert.rejects(pool.run('trap', undefined as never), { cause: 'crash', step: 7 })
  await assert.rejects(pool.run('crash', undefined as never), { cause: 'crash', step: undefined })
})

test('the time limit starts with the job, not with the wait for a process', async (t) => {
  const pool = startPool(t, { timeoutMs: 5_000 })
  const pids = await Promise.all([1, 2, 3].map(() => pool.run('wait', { ms: 2_000 })))
  assert.equal(new Set(pids).size, 1)
})

test('jobs run in parallel in at most the allowed number of processes', async (t) => {
  const pool = startPool(t, { processes: 2 })
  await untilStarted(t, pool, 2)
  const pids = await Promise.all([1, 2, 3, 4, 5].map(() => pool.run('wait', { ms: 300 })))
  assert.equal(new Set(pids).size, 2)
})

// The process that served an owner last has cached the fonts and texts of that owner.
test('an owner gets the process that served it last if this process is free', async (t) => {
  const pool = startPool(t, { processes: 3 })
  const { jobs, letGo } = await startHolding(t, pool, [{ owner: 'a' }, { owner: 'b' }])
  await letGo()
  const [a, b] = await Promise.all(jobs)
  assert.notEqual(a, b)
  for (const owner of ['b', 'a', 'b']) {
    assert.equal(await pool.run('pid', undefined as never, { owner }), owner === 'a' ? a : b)
  }
})

test('a job beyond the queue limit is rejected immediately, and the waiting jobs run', async (t) => {
  const pool = startPool(t, { maxQueue: 1 })
  const running = pool.run('wait', { ms: 200 })
  const waiting = pool.run('echo', { value: 'waited' })
  await assert.rejects(pool.run('echo', { value: 'refused' }), RenderQueueFull)
  await running
  assert.equal(await waiting, 'waited')
})

test('a job prepares when a process takes it, no other job gets this process, and a failure fails this job only', async (t) => {
  const pool = startPool(t)
  const events: string[] = []
  const prepared = Promise.withResolvers<void>()
  const first = pool.run('echo', { value: 'first' }, { onStart: () => prepared.promise })
  const second = pool.run(
    'echo',
    { value: 'second' },
    {
      onStart: async () => {
        events.push('second starts')
        throw new Error('there is no room')
      },
    },
  )
  const third = pool.run('echo', { value: 'third' })
  void third.then(() => events.push('third ends'))
  await sleep(200)
  assert.deepEqual(events, [])
  prepared.resolve()
  assert.equal(await first, 'first')
  await assert.rejects(second, /there is no room/)
  assert.equal(await third, 'third')
})

/** Starts jobs that run until `letGo` is called, and returns their results when all of them run. */
async function startHolding(
  t: TestContext,
  pool: ReturnType<typeof startPool>,
  options: { owner?: string; share?: string; signal?: AbortSignal }[],
) {
  const dir = await mkdtemp(join(tmpdir(), 'platen-pool-'))
  t.after(() => rm(dir, { recursive: true }))
  const until = join(dir, 'end')
  const started = options.map(() => Promise.withResolvers<void>())
  const jobs = options.map((one, index) =>
    pool.run('hold', { until }, { ...one, onStart: async () => started[index]?.resolve() }),
  )
  await Promise.all(started.map(({ promise }) => promise))
  return { jobs, letGo: () => writeFile(until, '') }
}

/** Waits until a pool has started this number of processes. */
async function untilStarted(t: TestContext, pool: ReturnType<typeof startPool>, processes: number): Promise<void> {
  const { jobs, letGo } = await startHolding(t, pool, new Array(processes).fill({}))
  await letGo()
  await Promise.all(jobs)
}

test('if long jobs have all processes, one of their jobs is interrupted for another owner, and runs again', async (t) => {
  const pool = startPool(t, { processes: 3, maxRunningPerOwner: 1, slowJobMs: 100 })
  const { jobs: slow, letGo } = await startHolding(t, pool, [{ owner: 'first' }, { owner: 'second' }])
  assert.equal(await pool.run('echo', { value: 'quick' }, { owner: 'third' }), 'quick')
  await letGo()
  assert.equal((await Promise.all(slow)).length, 2)
})

test('a slow job leaves the reserved process to a quick one of another owner, and runs again at low priority', async (t) => {
  const pool = startPool(t, { processes: 2, slowJobMs: 250 })
  const niceness = async (owner: string) => (await pool.run('niceness', undefined as never, { owner })) - getPriority()
  assert.deepEqual([await niceness('one'), await niceness('two')], [5, 5])
  const first = await startHolding(t, pool, [{ owner: 'new' }])
  assert.equal(await niceness('one'), 0)
  const slow = await startHolding(t, pool, [{ owner: 'one' }])
  assert.equal(await niceness('two'), 0)
  await Promise.all([first.letGo(), slow.letGo()])
  assert.equal((await Promise.all([...first.jobs, ...slow.jobs])).length, 2)
})

const SLOW = { processes: 4, slowJobMs: 250, slowOwners: { niceness: 10, timeFactor: 2 } }

/** Runs a job of an owner that is long for `SLOW`, so that the owner counts as slow. Others take less than 4 s. */
async function makeSlow(pool: ReturnType<typeof startPool>, owner: string, ms = 4_200): Promise<void> {
  await pool.run('wait', { ms }, { owner })
}

/** Returns the niceness of the threads of a process, as far as it exceeds that of this process. */
const nicenessIn =
  (pool: ReturnType<typeof startPool>) =>
  async (owner: string): Promise<number[]> => {
    const threads = await pool.run('nicenessOfThreads', undefined as never, { owner })
    return Array.from(new Set(threads.map((one) => one - getPriority())))
  }

// Only Linux has a priority for each thread. The most niceness is 19, also for tests that run at a low priority.
const isOnLinux = { skip: process.platform !== 'linux' || getPriority() > 4 }

test('slow owners have processes of low priority, and others start further ones', isOnLinux, async (t) => {
  const pool = startPool(t, SLOW)
  const niceness = nicenessIn(pool)
  await makeSlow(pool, 'slow')
  assert.deepEqual(await niceness('slow'), [10])
  assert.deepEqual([await niceness('quick'), await niceness('new')], [[5], [5]])
  assert.deepEqual(await niceness('slow'), [10])
  const held = await startHolding(t, pool, [{ owner: 'first' }, { owner: 'second' }])
  assert.deepEqual(await niceness('quick'), [0])
  assert.deepEqual(await niceness('slow'), [10])
  await held.letGo()
  await Promise.all(held.jobs)
})

test('others use the process of a slow owner if no further one can start', isOnLinux, async (t) => {
  const pool = startPool(t, { ...SLOW, processes: 1 })
  await makeSlow(pool, 'slow')
  assert.deepEqual(await nicenessIn(pool)('slow'), [10])
  assert.deepEqual(await nicenessIn(pool)('quick'), [10])
})

test('a job at low priority has more time', async (t) => {
  const pool = startPool(t, { ...SLOW, processes: 1, slowJobMs: 80, timeoutMs: 3_000 })
  await makeSlow(pool, 'slow', 1_500)
  assert.equal(typeof (await pool.run('wait', { ms: 3_500 }, { owner: 'slow' })), 'number')
  await assert.rejects(pool.run('wait', { ms: 20_000 }, { owner: 'slow' }), failsBy('timeout'))
})

test('processes of slow owners end after a time without a job of theirs', isOnLinux, async (t) => {
  const pool = startPool(t, { ...SLOW, processes: 1, slowOwners: { ...SLOW.slowOwners, keptMs: 1_000 } })
  await makeSlow(pool, 'slow')
  const own = await pool.run('pid', undefined as never, { owner: 'slow' })
  await until('the end', async () => !isAlive(own))
  assert.deepEqual(await nicenessIn(pool)('quick'), [5])
})

test('a closed pool starts no process when its last job ends', async (t) => {
  const pool = startPool(t, { processes: 2, keptReady: 2 })
  await untilStarted(t, pool, 2)
  const running = pool.run('wait', { ms: 300 })
  await pool.close()
  await running
  await sleep(500)
  assert.equal(await countProcesses(), 0)
})

test('the first process, which warms up, takes the first job of a new owner', async (t) => {
  const pool = startPool(t, { processes: 2 })
  const warm = await pool.run('pid', undefined as never, { isFirst: true })
  assert.equal(await pool.run('pid', undefined as never, { owner: 'new' }), warm)
})

test('an interrupted job whose client has disconnected does not run again', async (t) => {
  const pool = startPool(t, { processes: 3, maxRunningPerOwner: 1, slowJobMs: 100 })
  const clients = [new AbortController(), new AbortController()]
  const { jobs: slow, letGo } = await startHolding(
    t,
    pool,
    clients.map(({ signal }, index) => ({ owner: String(index), signal })),
  )
  const outcomes = Promise.allSettled(slow)
  for (const client of clients) client.abort()
  assert.equal(await pool.run('echo', { value: 'quick' }, { owner: 'third' }), 'quick')
  await letGo()
  assert.deepEqual((await outcomes).map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
})

test('a process is replaced if it uses more than half of its memory limit after a job', async (t) => {
  const pool = startPool(t)
  const bloated = await pool.run('swell', { mb: 160 })
  assert.notEqual(await pool.run('pid', undefined as never), bloated)
})

test('with a high limit, a process that keeps what ordinary jobs leave goes on, and one with more is replaced', async (t) => {
  const pool = startPool(t, { memoryLimitMb: 1_024 })
  const first = await pool.run('swell', { mb: 180 })
  assert.equal(await pool.run('swell', { mb: 120 }), first)
  assert.notEqual(await pool.run('pid', undefined as never), first)
})

test('a child does not inherit the environment of its parent', async (t) => {
  process.env['PLATEN_TEST_SECRET'] = 'hush'
  t.after(() => delete process.env['PLATEN_TEST_SECRET'])
  const env = await startPool(t).run('env', undefined as never)
  assert.equal(env['PLATEN_TEST_SECRET'], undefined)
  assert.equal(env['PATH'], undefined)
})

test('closing waits for the running job, rejects the waiting job and ends all processes', async (t) => {
  const pool = startPool(t)
  const pid = await pool.run('pid', undefined as never)
  const running = pool.run('wait', { ms: 200 })
  const waiting = assert.rejects(pool.run('pid', undefined as never), failsBy('unavailable'))
  await pool.close()
  assert.equal(await running, pid)
  await waiting
  assert.equal(isAlive(pid), false)
  await assert.rejects(pool.run('pid', undefined as never), failsBy('unavailable'))
})

test('a job whose process died runs once more if its caller allows it, and no more than once', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'platen-pool-'))
  t.after(() => rm(dir, { recursive: true }))
  const pool = startPool(t, { log: { warn: () => {} } })
  const path = (name: string) => join(dir, name)
  const once = pool.run('diesAtFirst', { path: path('a'), deaths: 1 }, { againAfterDeath: true })
  const next = pool.run('echo', { value: 'next' })
  assert.equal(await once, 2)
  assert.equal(await next, 'next')
  await assert.rejects(
    pool.run('diesAtFirst', { path: path('b'), deaths: 2 }, { againAfterDeath: true }),
    failsBy('crash'),
  )
  await assert.rejects(pool.run('diesAtFirst', { path: path('c'), deaths: 1 }), failsBy('crash'))
  await assert.rejects(pool.run('throwsAtFirst', { path: path('d') }, { againAfterDeath: true }), failsBy('error'))
  assert.deepEqual(
    await Promise.all(['a', 'b', 'c'].map(async (name) => (await readFile(path(name), 'utf8')).length)),
    [2, 2, 1],
  )
})

test('a process that the system kills is distinguished from one that exceeded its memory, and is replaced', async (t) => {
  const pool = startPool(t)
  const pid = await pool.run('pid', undefined as never)
  const killed = assert.rejects(pool.run('hang', undefined as never), failsBy('killed'))
  process.kill(pid, 'SIGKILL')
  await killed
  assert.notEqual(await pool.run('pid', undefined as never), pid)
})

test('an idle process that dies is replaced without failing a job', async (t) => {
  const pool = startPool(t)
  const pid = await pool.run('pid', undefined as never)
  process.kill(pid, 'SIGKILL')
  while (isAlive(pid)) await sleep(5)
  assert.equal(typeof (await pool.run('pid', undefined as never, { againAfterDeath: true })), 'number')
})

test('if the input of a job cannot be sent, only this job fails', async (t) => {
  const pool = startPool(t)
  await assert.rejects(pool.run('echo', { value: () => {} }), failsBy('crash'))
  assert.equal(await pool.run('echo', { value: 1 }), 1)
})

test('while a background job runs and others wait, an interactive job finds a free process', async (t) => {
  const pool = startPool(t, { processes: 2 })
  const order: string[] = []
  const background = { priority: 'background' } as const
  const dir = await mkdtemp(join(tmpdir(), 'platen-pool-'))
  t.after(() => rm(dir, { recursive: true }))
  const until = join(dir, 'end')
  const jobs = [1, 2, 3].map(() => pool.run('hold', { until }, background).then(() => order.push('background')))
  await pool.run('echo', { value: 1 })
  order.push('person')
  await writeFile(until, '')
  await Promise.all(jobs)
  assert.deepEqual(order, ['person', 'background', 'background', 'background'])
})

test('one owner cannot fill the queue: its further jobs are rejected, and jobs of others run', async (t) => {
  const pool = startPool(t, { maxQueuePerOwner: 2 })
  await pool.run('pid', undefined as never)
  const order: string[] = []
  const run = (owner: string) => pool.run('wait', { ms: 20 }, { owner }).then(() => void order.push(owner))
  const jobs = [run('greedy'), run('greedy'), run('greedy')]
  await assert.rejects(run('greedy'), RenderQueueFull)
  await Promise.all([...jobs, run('other'), run('third')])
  assert.deepEqual(order, ['greedy', 'greedy', 'other', 'third', 'greedy'])
})

for (const [who, ownerOf] of [
  ['guests', (network: number) => ({ owner: newGuestId('usr', Uint8Array.of(network, 0, 0, 0)) })],
  ['customers', (network: number) => ({ owner: `${Math.random()}`, share: `guests ${network}` })],
] as const) {
  test(`${who} of one share leave a process to another share of visitors that had a job lately`, async (t) => {
    const pool = startPool(t, { processes: 4 })
    await pool.run('pid', undefined as never, ownerOf(2))
    const held = await startHolding(t, pool, [ownerOf(1)])
    let hasEnded = false
    const second = pool.run('pid', undefined as never, ownerOf(1)).then(() => (hasEnded = true))
    await pool.run('pid', undefined as never, ownerOf(2))
    assert.equal(hasEnded, false)
    await held.letGo()
    await Promise.all([...held.jobs, second])
  })
}

test('an aborted job leaves the queue; a running one continues', async (t) => {
  const pool = startPool(t)
  const pid = await pool.run('pid', undefined as never)
  const [first, second] = [new AbortController(), new AbortController()]
  const running = pool.run('wait', { ms: 100 }, { signal: first.signal })
  const dropped = assert.rejects(
    pool.run('hang', undefined as never, { signal: second.signal }),
    failsBy('unavailable'),
  )
  const next = pool.run('pid', undefined as never)
  first.abort()
  second.abort()
  await dropped
  assert.equal(await running, pid)
  assert.equal(await next, pid)
  const late = pool.run('hang', undefined as never, { signal: AbortSignal.abort() })
  await assert.rejects(late, failsBy('unavailable'))
})

// Node.js reports the first error with an event, and throws the second one immediately.
for (const [what, path] of [
  ['a program that does not exist', '/there/is/no/node'],
  ['a start that the system refuses', `/${'x'.repeat(5000)}`],
] as const) {
  test(`${what}: waiting jobs are rejected as "unavailable", and later jobs run after the repair`, async (t) => {
    const warnings: string[] = []
    const pool = startPool(t, { processes: 2, log: { warn: (_, message) => void warnings.push(message) } })
    const { execPath } = process
    process.execPath = path
    t.after(() => (process.execPath = execPath))
    const jobs = [1, 2].map(() => assert.rejects(pool.run('pid', undefined as never), failsBy('unavailable')))
    await Promise.all(jobs)
    assert.ok(warnings.length > 1)
    process.execPath = execPath
    assert.equal(await pool.run('echo', { value: 'mended' }), 'mended')
  })
}

test('a process that dies before it is ready fails no job', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'platen-pool-'))
  t.after(() => rm(dir, { recursive: true }))
  const count = join(dir, 'count')
  // Two starts fail, and the third one succeeds.
  const source = `
    import { appendFileSync, readFileSync } from 'node:fs'
    appendFileSync(${JSON.stringify(count)}, '.')
    if (readFileSync(${JSON.stringify(count)}).length < 3) process.exit(1)
    await import(${JSON.stringify(module.href)})
  `
  await writeFile(join(dir, 'child.mjs'), source)
  const pool = startPool(t, { module: pathToFileURL(join(dir, 'child.mjs')) })
  assert.equal(await pool.run('echo', { value: 'done' }), 'done')
  assert.equal((await readFile(count)).length, 3)
})

test('without file descriptors, jobs are rejected, and the parent survives and recovers', async () => {
  const script = `
    import { closeSync, openSync } from 'node:fs'
    import { createPool } from ${JSON.stringify(new URL('./pool.ts', import.meta.url).href)}
    const options = { processes: 1, maxQueue: 1, maxQueuePerOwner: 1, timeoutMs: 5000, memoryLimitMb: 300, log: { warn() {} } }
    const pool = createPool({ ...options, module: new URL(${JSON.stringify(module.href)}) })
    const taken = []
    try { for (;;) taken.push(openSync('/dev/null')) } catch {}
    console.log(await pool.run('echo', { value: 1 }).catch((error) => error.cause))
    for (const one of taken) closeSync(one)
    console.log(await pool.run('echo', { value: 2 }))
    await pool.close()
  `
  const args = ['-c', 'ulimit -n 200; exec "$0" "$@"', process.execPath, '--input-type=module', '-e', script]
  const { stdout } = await promisify(execFile)('/bin/sh', args)
  assert.equal(stdout, 'unavailable\n2\n')
})

// A killed parent cannot tell its child to end, and a job of kind "hang" never returns to the event loop of the child.
for (const job of ['hang', 'echo']) {
  test(`a process ends after its parent was killed during a job of kind "${job}"`, async () => {
    const script = `
      import { createPool } from ${JSON.stringify(new URL('./pool.ts', import.meta.url).href)}
      const options = { processes: 1, maxQueue: 1, maxQueuePerOwner: 1, timeoutMs: 60000, memoryLimitMb: 300, log: console }
      const pool = createPool({ ...options, module: new URL(${JSON.stringify(module.href)}) })
      console.log(await pool.run('pid'))
      pool.run(${JSON.stringify(job)}, {})
      setInterval(() => {}, 1000)
    `
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [printed] = await once(parent.stdout, 'data')
    const pid = Number(printed)
    await sleep(200)
    parent.kill('SIGKILL')
    await once(parent, 'exit')
    // A killed process stops at once, but remains as a zombie until the init process collects it.
    await until('the end of the process', () => !isAlive(pid))
  })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

test('a job never gets the result of another one: a process that sends such a reply is replaced', async (t) => {
  const pool = startPool(t)
  const before = await pool.run('pid', undefined as never)
  await assert.rejects(pool.run('replyTwice', undefined as never), failsBy('crash'))
  assert.notEqual(await pool.run('pid', undefined as never), before)
})

test('an idle pool has one process, and a pool in use keeps others ready', async (t) => {
  const pool = startPool(t, { processes: 3, keptReady: 2, idleMs: 1_000 })
  await pool.run('pid', undefined as never, { isFirst: true })
  assert.equal(await countProcesses(), 1)
  await pool.run('pid', undefined as never)
  await until('the second process', async () => (await countProcesses()) === 2)
  await until('its end', async () => (await countProcesses()) === 1)
  assert.equal(typeof (await pool.run('pid', undefined as never)), 'number')
})

async function countProcesses(): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['--ppid', String(process.pid), '-o', 'args='])
  return stdout.split('\n').filter((line) => line.includes('misbehaving.fixture')).length
}
