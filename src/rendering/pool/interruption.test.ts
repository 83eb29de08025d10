import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createJobQueue, type Priority } from './job-queue.ts'

type Job = {
  priority: Priority
  name: string
  owner: string
  share?: string
  interruptions: number
  cpuMs?: () => number
  hasLowPriority?: boolean
}

/**
 * Creates a queue in which a job may run for 1.5 s before it makes room, and later for 4 s. The test sets the clock of
 * the queue. The owner of a job is the first letter of its name.
 */
function startQueue(processes: number, { maxRunningPerOwner = Number.POSITIVE_INFINITY, slowJobMs = 500 } = {}) {
  let nowMs = 0
  const limits = { maxQueue: 100, maxQueuePerOwner: 100, maxRunningPerOwner, slowJobMs }
  const queue = createJobQueue<Job>({ processes, ...limits, now: () => nowMs })
  const add = (name: string, more: Partial<Job> = {}) =>
    queue.add({ priority: 'interactive', name, owner: name.slice(0, 1), interruptions: 0, ...more })
  const take = () => {
    const job = queue.take()
    assert.ok(job)
    return job
  }
  return {
    queue,
    add,
    take,
    pass: (ms: number) => {
      nowMs += ms
    },
    /** Makes owners known, so that they may use every process. */
    know: (...names: string[]) => {
      for (const name of names) {
        add(name)
        queue.end(take())
      }
    },
    /** Interrupts a job as the pool does. */
    interrupt: (job: Job) => {
      job.interruptions += 1
      queue.end(job, { wasInterrupted: true })
      queue.add(job)
    },
  }
}

test('a job makes room for a lighter owner whose job cannot start otherwise, each time after a longer time', () => {
  const { queue, add, take, pass, interrupt } = startQueue(1)
  add('a0')
  const heavy = take()
  pass(1_501)
  assert.equal(queue.jobToInterrupt(), undefined, 'no job waits')
  add('a1')
  assert.equal(queue.jobToInterrupt(), undefined, 'only a job of the same owner waits')
  add('b0')
  assert.equal(queue.jobToInterrupt(), heavy)
  interrupt(heavy)
  const light = take()
  assert.equal(light.name, 'b0')
  queue.end(light)
  queue.remove(heavy)
  queue.putBack(heavy)
  assert.equal(take(), heavy)
  pass(4_000)
  add('c0')
  assert.equal(queue.jobToInterrupt(), undefined)
  pass(1)
  assert.equal(queue.jobToInterrupt(), heavy)
})

test('owners with a long job in the last ten minutes do not interrupt each other', () => {
  const { queue, add, take, pass, interrupt } = startQueue(1)
  for (const name of ['a0', 'b0']) {
    add(name)
    const long = take()
    pass(name === 'a0' ? 10_000 : 2_001)
    queue.end(long)
  }
  add('a1')
  const running = take()
  pass(1_501)
  add('b1')
  assert.equal(queue.jobToInterrupt(), undefined)
  add('c0')
  assert.equal(queue.jobToInterrupt(), running, 'a new owner does')
  interrupt(running)
})

// With three processes, both kinds share a place.
test('slow visitors make room for a slow customer', () => {
  const { queue, add, take, pass } = startQueue(1)
  const visitor = { share: 'guests 1' }
  for (const [name, ms] of [
    ['a0', 2_001],
    ['v0', 10_000],
  ] as const) {
    add(name, name === 'v0' ? visitor : {})
    const long = take()
    pass(ms)
    queue.end(long)
  }
  add('v1', visitor)
  const running = take()
  pass(1_501)
  add('a1')
  assert.equal(queue.jobToInterrupt(), running)
})

test('at low priority, a job that waits for a processor is not long', () => {
  const { queue, add, take, pass } = startQueue(1)
  add('a0', { cpuMs: () => 400, hasLowPriority: true })
  const slowed = take()
  pass(60_000)
  queue.end(slowed)
  add('a1')
  assert.ok(queue.wantsReserved(), 'its owner may use the reserved process')
})

test('a job that uses little processor time on a busy computer is neither interrupted nor long', () => {
  const { queue, add, take, pass } = startQueue(1)
  add('a0', { cpuMs: () => 1_400 })
  const slowed = take()
  pass(5_900)
  add('b0')
  assert.equal(queue.jobToInterrupt(), undefined)
  queue.end(slowed)
  add('a1')
  assert.ok(queue.wantsReserved(), 'its owner may use the reserved process')
})

test('a job makes room for others when its processor time, or four times as much time, has passed', () => {
  const busy = startQueue(1)
  busy.add('a0', { cpuMs: () => 1_501 })
  const long = busy.take()
  busy.pass(1_502)
  busy.add('b0')
  assert.equal(busy.queue.jobToInterrupt(), long)
  const waiting = startQueue(1)
  waiting.add('a0', { cpuMs: () => 0 })
  const idle = waiting.take()
  waiting.add('b0')
  waiting.pass(6_000)
  assert.equal(waiting.queue.jobToInterrupt(), undefined)
  waiting.pass(1)
  assert.equal(waiting.queue.jobToInterrupt(), idle)
})

test('a job that is still within its time is not interrupted', () => {
  const { queue, add, take, pass } = startQueue(1)
  add('a0')
  take()
  add('b0')
  pass(1_500)
  assert.equal(queue.jobToInterrupt(), undefined)
})

// An interruption ends a process. For short jobs, this would take longer than the job.
test('where ordinary jobs are short, a job still has a second and a half', () => {
  const { queue, add, take, pass } = startQueue(1, { slowJobMs: 100 })
  add('a0')
  const heavy = take()
  add('b0')
  pass(1_500)
  assert.equal(queue.jobToInterrupt(), undefined)
  pass(1)
  assert.equal(queue.jobToInterrupt(), heavy)
})

// Otherwise, under constant load, it would never end.
test('a job that was interrupted twice runs to its end', () => {
  const { queue, add, take, pass, interrupt } = startQueue(1)
  add('a0')
  for (let times = 0; times < 2; times += 1) {
    const heavy = take()
    pass(5_000)
    add(`${times}`)
    assert.equal(queue.jobToInterrupt(), heavy)
    interrupt(heavy)
    queue.end(take())
  }
  const heavy = take()
  assert.equal(heavy.name, 'a0')
  pass(100_000)
  add('b0')
  assert.equal(queue.jobToInterrupt(), undefined)
})

test('jobs that run to their end leave three processes to others', () => {
  const { queue, add, take } = startQueue(4)
  for (const name of ['a0', 'b0']) add(name, { interruptions: 2 })
  take()
  assert.equal(queue.take(), undefined)
  add('c0')
  assert.equal(take().name, 'c0')
})

test('a job makes no room for owners whose jobs took more than half of its time', () => {
  const { queue, add, take, pass } = startQueue(1)
  add('b0')
  const before = take()
  pass(1_000)
  queue.end(before)
  add('a0')
  take()
  pass(1_900)
  add('b1')
  assert.equal(queue.jobToInterrupt(), undefined)
  pass(200)
  assert.equal(queue.jobToInterrupt()?.name, 'a0')
})

test('a job is not interrupted if the waiting job can start anyway, or could not start then', () => {
  const { queue, add, take, pass, know } = startQueue(3, { maxRunningPerOwner: 1 })
  know('c', 'd')
  add('a0')
  add('b0')
  const [a, b] = [take(), take()]
  pass(1_501)
  add('c0')
  assert.equal(queue.jobToInterrupt(), undefined, 'known owners have the third process')
  take()
  add('c1')
  assert.equal(queue.jobToInterrupt(), undefined, 'its owner has as many jobs as it may')
  add('d0')
  assert.equal(queue.jobToInterrupt(), a)
  queue.end(b)
  assert.equal(queue.jobToInterrupt(), undefined, 'a process is free')
})

test('of several jobs, the one of the heaviest share is interrupted', () => {
  const { queue, add, take, pass, know } = startQueue(2)
  know('a', 'b')
  add('b0')
  const before = take()
  pass(100)
  queue.end(before)
  for (const name of ['a0', 'b1']) {
    add(name)
    take()
  }
  pass(1_501)
  add('c0')
  assert.equal(queue.jobToInterrupt()?.name, 'b1')
})

test('an owner of a heavy share makes room before a heavier owner of a lighter share', () => {
  const { queue, add, take, pass } = startQueue(4)
  add('x', { share: 'guests one' })
  const before = take()
  pass(1_000)
  queue.end(before)
  add('a0', { share: 'guests two' })
  take()
  pass(100)
  add('b0', { share: 'guests one' })
  take()
  pass(1_501)
  add('c0', { share: 'guests three' })
  assert.equal(queue.jobToInterrupt()?.name, 'b0')
})

test('if only the reserved process is free, a job makes room for an owner who may not use it', () => {
  const { queue, add, take, pass, know } = startQueue(2)
  know('k', 'a')
  add('a0')
  const heavy = take()
  pass(1_501)
  add('k0')
  assert.equal(queue.jobToInterrupt({ job: undefined }), undefined, 'a known owner may use it')
  add('n0')
  assert.equal(queue.jobToInterrupt({ job: undefined }), heavy)
})

test('a job makes no room for an owner whose turn in the reserved process comes soon', () => {
  const { queue, add, take, pass, know } = startQueue(2)
  know('k', 'l', 'a')
  add('a0')
  const heavy = take()
  pass(1_501)
  add('k0')
  const reserved = { job: take() }
  add('l0')
  assert.equal(queue.jobToInterrupt(reserved), undefined)
  add('n0')
  assert.equal(queue.jobToInterrupt(reserved), heavy, 'a new owner may not use it')
  pass(1_001)
  assert.equal(queue.jobToInterrupt(reserved), reserved.job)
})

test('a slow job in the reserved process is interrupted if a job of another owner waits for this process', () => {
  const { queue, add, take, pass, know } = startQueue(4)
  know('a', 'b')
  add('a0')
  const slow = take()
  const reserved = { job: slow }
  pass(1_001)
  add('a1')
  add('c0')
  assert.equal(queue.jobToInterrupt(reserved), undefined, 'only jobs of its owner and of unknown owners wait')
  add('b0')
  assert.equal(queue.jobToInterrupt(reserved), slow)
  assert.equal(queue.jobToInterrupt(), undefined, 'in another process, the job may go on')
})

test('an interactive job makes no room for background jobs, and a background job for both', () => {
  for (const priority of ['interactive', 'background'] as const) {
    const { queue, add, take, pass } = startQueue(1)
    add('a0', { priority })
    const heavy = take()
    pass(1_501)
    add('b0', { priority: 'background' })
    assert.equal(queue.jobToInterrupt(), priority === 'background' ? heavy : undefined)
    add('c0')
    assert.equal(queue.jobToInterrupt(), heavy)
  }
})

// A client may register any number of accounts. If their first jobs interrupted each other, none would end.
test('within a share, a job only makes room for a lighter owner of whom quick jobs are known', () => {
  const { queue, add, take, pass } = startQueue(3)
  const share = 'guests office'
  add('b', { share })
  queue.end(take())
  add('a0', { share })
  const heavy = take()
  pass(1_501)
  add('a1', { share })
  add('n0', { share })
  assert.equal(queue.jobToInterrupt(), undefined, 'only jobs of the same owner and of a new one wait')
  add('b0', { share })
  assert.equal(queue.jobToInterrupt(), heavy)
  queue.end(heavy, { wasInterrupted: true })
  assert.equal(take().name, 'b0')
})

test('first jobs of many addresses of one network do not interrupt each other, but make room for another network', () => {
  const { queue, add, take, pass } = startQueue(3)
  add('a0', { share: 'guests flo1' })
  const heavy = take()
  pass(1_501)
  add('b0', { share: 'guests flo2' })
  assert.equal(queue.jobToInterrupt(), undefined)
  add('c0', { share: 'guests home' })
  assert.equal(queue.jobToInterrupt(), heavy)
})
