import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../../test/lib/until.ts'
import { createMemoryBudget } from './memory-budget.ts'
import type { UnrulyJobs } from './misbehaving.fixture.ts'
import { createPool } from './pool.ts'

const MIB = 1024 * 1024

test('memory is granted in the order of the claims of a share, and a claim that exceeds the limit is granted alone', () => {
  const events: string[] = []
  const budget = createMemoryBudget(10)
  const take = (name: string, bytes: number, share = 'one') => budget.take(share, bytes, () => events.push(name))
  const first = take('first', 6)
  const huge = take('huge', 20)
  const small = take('small', 1)
  const cancelled = take('cancelled', 1)
  assert.deepEqual(events, ['first'])
  // Another share does not wait.
  take('other', 10, 'two')
  assert.equal(events.pop(), 'other')
  cancelled()
  first()
  assert.deepEqual(events, ['first', 'huge'])
  huge()
  // Giving back twice changes nothing.
  huge()
  assert.deepEqual(events, ['first', 'huge', 'small'])
  take('rest', 9)
  take('late', 1)
  assert.deepEqual(events, ['first', 'huge', 'small', 'rest'])
  small()
  assert.deepEqual(events, ['first', 'huge', 'small', 'rest', 'late'])
})

async function startPool(t: TestContext, timeoutMs: number) {
  const folder = await mkdtemp(join(tmpdir(), 'platen-memory-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const pool = createPool<UnrulyJobs>({
    module: new URL('./misbehaving.fixture.ts', import.meta.url),
    ...{
      processes: 5,
      maxQueue: 10,
      maxQueuePerOwner: 10,
      memoryLimitMb: 300,
      timeoutMs,
      memoryBytesOfShare: 1_000 * MIB,
    },
    log: { warn: () => {} },
  })
  t.after(() => pool.close())
  const log = join(folder, 'log')
  await writeFile(log, '')
  return {
    pool,
    use: (name: string, bytes: number, owner?: string) =>
      pool.run('useMemory', { name, bytes, log, until: join(folder, name) }, { owner }),
    finish: (name: string) => writeFile(join(folder, name), ''),
    events: async () => (await readFile(log, 'utf8')).split('\n').slice(0, -1),
  }
}

test('jobs of one share use large memory one after another in all processes, and the wait is not part of the time of a job', async (t) => {
  const timeoutMs = 5_000
  const { use, finish, events } = await startPool(t, timeoutMs)
  const hasBegun = (name: string) => until(`${name} to begin`, async () => (await events()).at(-1) === `${name} begins`)
  const first = assert.rejects(use('first', 600 * MIB), { cause: 'timeout' })
  await hasBegun('first')
  const others = Promise.all([use('a', 600 * MIB), use('b', 600 * MIB)])
  // The first process is ended at its limit, which gives its memory back.
  await first
  await until('another to begin', async () => (await events()).length === 2)
  // Their processes start in any order.
  const [second = '', third = ''] = (await events()).at(-1) === 'a begins' ? ['a', 'b'] : ['b', 'a']
  // Afterwards, the third has waited for longer than a job may take.
  await sleep(timeoutMs * 0.7)
  await finish(second)
  await hasBegun(third)
  await finish(third)
  await others
  const inTurn = ['first begins', `${second} begins`, `${second} ends`, `${third} begins`, `${third} ends`]
  assert.deepEqual(await events(), inTurn)
})

test('a job does not wait for the memory of another share', async (t) => {
  const { use, finish, events } = await startPool(t, 20_000)
  const first = use('first', 1_000 * MIB, 'usr_1')
  await until('first to begin', async () => (await events()).length === 1)
  await finish('other')
  await use('other', 1_000 * MIB, 'usr_2')
  await finish('first')
  await first
})

test('the addresses of one network share their memory, and another network does not wait for it', async (t) => {
  const { use, finish, events } = await startPool(t, 20_000)
  const first = use('first', 1_000 * MIB, '192.0.2.1')
  await until('first to begin', async () => (await events()).length === 1)
  const second = use('second', 1_000 * MIB, '192.0.2.2')
  await finish('other')
  await use('other', 1_000 * MIB, '198.51.100.1')
  assert.deepEqual(await events(), ['first begins', 'other begins', 'other ends'])
  for (const name of ['first', 'second']) await finish(name)
  await Promise.all([first, second])
})

test('a process that dies gives its memory back', async (t) => {
  const { pool, use, finish } = await startPool(t, 20_000)
  await finish('next')
  await assert.rejects(pool.run('dieWithMemory', { bytes: 1_000 * MIB }), { cause: 'crash' })
  await use('next', 1_000 * MIB)
})

test('a process whose job fails while it uses memory ends, and gives it back', async (t) => {
  const { pool, use, finish } = await startPool(t, 20_000)
  const before = await pool.run('pid', undefined as never)
  await finish('next')
  await assert.rejects(pool.run('failWithMemory', { bytes: 1_000 * MIB }), { cause: 'error' })
  await use('next', 1_000 * MIB)
  assert.notEqual(await pool.run('pid', undefined as never), before)
})
