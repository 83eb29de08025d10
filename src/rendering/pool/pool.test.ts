import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { RenderFailed, type RenderFailure, RenderQueueFull } from '../errors.ts'
import { createPool, type PoolOptions } from './pool.ts'
import type { UnrulyJobs } from './unruly.fixture.ts'

const module = new URL('./unruly.fixture.ts', import.meta.url)

function startPool(t: TestContext, options: Partial<PoolOptions> = {}) {
  const pool = createPool<UnrulyJobs>({
    module,
    processes: 1,
    maxQueue: 10,
    timeoutMs: 5000,
    memoryLimitMb: 300,
    log: { warn: () => {} },
    ...options,
  })
  t.after(() => pool.close())
  return pool
}

const failsBy = (cause: RenderFailure) => (error: unknown) => error instanceof RenderFailed && error.cause === cause

test('a job that throws fails alone: its process takes the next job', async (t) => {
  const pool = startPool(t)
  const before = await pool.run('pid', undefined as never)
  await assert.rejects(pool.run('fail', undefined as never), failsBy('error'))
  assert.equal(await pool.run('pid', undefined as never), before)
})

for (const [kind, cause] of [
  ['hang', 'timeout'],
  ['crash', 'crash'],
  ['exit', 'crash'],
  ['hoard', 'memory'],
  ['hoardHeap', 'memory'],
] as const) {
  test(`a job that does "${kind}" fails by ${cause}, and the jobs after it are done by a new process`, async (t) => {
    const pool = startPool(t, kind === 'hang' ? { timeoutMs: 1000 } : {})
    const before = await pool.run('pid', undefined as never)
    const bad = assert.rejects(pool.run(kind, undefined as never), failsBy(cause))
    const waiting = pool.run('pid', undefined as never)
    await bad
    assert.notEqual(await waiting, before)
    assert.throws(() => process.kill(before, 0), { code: 'ESRCH' })
  })
}

test('the time limit starts with the job, not with the wait for a process', async (t) => {
  const pool = startPool(t, { timeoutMs: 1500 })
  const pids = await Promise.all([1, 2, 3].map(() => pool.run('wait', { ms: 800 })))
  assert.equal(new Set(pids).size, 1)
})

test('jobs run side by side in as many processes as allowed and no more', async (t) => {
  const pool = startPool(t, { processes: 2 })
  const pids = await Promise.all([1, 2, 3, 4, 5].map(() => pool.run('wait', { ms: 300 })))
  assert.equal(new Set(pids).size, 2)
})

test('a job beyond the queue is refused at once, and those in line are done', async (t) => {
  const pool = startPool(t, { maxQueue: 1 })
  const running = pool.run('wait', { ms: 200 })
  const waiting = pool.run('echo', { value: 'waited' })
  await assert.rejects(pool.run('echo', { value: 'refused' }), RenderQueueFull)
  await running
  assert.equal(await waiting, 'waited')
})

test('a process that keeps more than half its memory after a job is replaced', async (t) => {
  const pool = startPool(t)
  const bloated = await pool.run('swell', { mb: 160 })
  assert.notEqual(await pool.run('pid', undefined as never), bloated)
})

test('a child gets nothing of the environment of its parent', async (t) => {
  process.env['PLATEN_TEST_SECRET'] = 'hush'
  t.after(() => delete process.env['PLATEN_TEST_SECRET'])
  const env = await startPool(t).run('env', undefined as never)
  assert.equal(env['PLATEN_TEST_SECRET'], undefined)
  assert.equal(env['PATH'], undefined)
})

test('closing lets the running job end, refuses the waiting one and leaves no process', async (t) => {
  const pool = startPool(t)
  const running = pool.run('wait', { ms: 200 })
  const waiting = assert.rejects(pool.run('pid', undefined as never), failsBy('error'))
  await pool.close()
  const pid = await running
  await waiting
  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
  await assert.rejects(pool.run('pid', undefined as never), failsBy('error'))
})

// The parent gets no chance to say goodbye, and the job never comes back to its event loop.
test('a process whose parent is killed dies, even in the middle of a job that hangs', async () => {
  const script = `
    import { createPool } from ${JSON.stringify(new URL('./pool.ts', import.meta.url).href)}
    const options = { processes: 1, maxQueue: 1, timeoutMs: 60000, memoryLimitMb: 300, log: console }
    const pool = createPool({ ...options, module: new URL(${JSON.stringify(module.href)}) })
    console.log(await pool.run('pid'))
    pool.run('hang')
  `
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [printed] = await once(parent.stdout, 'data')
  const pid = Number(printed)
  await sleep(200)
  parent.kill('SIGKILL')
  await once(parent, 'exit')
  // Dead at once, but there until the system's first process collects it.
  for (let tries = 0; tries < 200 && isAlive(pid); tries += 1) await sleep(50)
  assert.equal(isAlive(pid), false)
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
