import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createJobQueue, type Priority } from './job-queue.ts'

type Job = { priority: Priority; name: string; owner?: string }

const job = (priority: Priority, name: string): Job => ({ priority, name })

function fill(processes: number, people: number, background: number) {
  const queue = createJobQueue<Job>({ processes, maxQueue: 100, maxQueuePerOwner: 100 })
  for (let index = 0; index < background; index += 1) queue.add(job('background', `b${index}`))
  for (let index = 0; index < people; index += 1) queue.add(job('interactive', `p${index}`))
  return queue
}

test('interactive jobs come before background jobs that waited longer', () => {
  const queue = fill(4, 2, 2)
  assert.deepEqual(
    [1, 2, 3, 4].map(() => queue.take()?.name),
    ['p0', 'p1', 'b0', 'b1'],
  )
})

test('background jobs leave one process free for interactive jobs, unless there is only one process', () => {
  for (const [processes, places] of [
    [1, 1],
    [2, 1],
    [4, 3],
  ] as const) {
    const queue = fill(processes, 0, 10)
    assert.equal(queue.startable(), places)
    const running = Array.from({ length: places }, () => queue.take())
    assert.ok(running.every((one) => one !== undefined))
    assert.deepEqual([queue.take(), queue.startable()], [undefined, 0])
    queue.add(job('interactive', 'person'))
    assert.equal(queue.take()?.name, 'person')
    queue.end(running[0] ?? job('background', ''))
    assert.equal(queue.take()?.priority, 'background')
  }
})

test('a background job runs, however many interactive jobs wait', () => {
  const queue = fill(1, 100, 2)
  const first = Array.from({ length: 20 }, () => {
    const taken = queue.take()
    if (taken !== undefined) queue.end(taken)
    return taken?.priority
  })
  assert.deepEqual(
    first.flatMap((priority, index) => (priority === 'background' ? [index] : [])),
    [8, 17],
  )
})

test('each priority has a limit of its own, and a job that is put back is next', () => {
  const queue = createJobQueue<Job>({ processes: 2, maxQueue: 1, maxQueuePerOwner: 1 })
  queue.add(job('background', 'b0'))
  const last = job('background', 'b1')
  const person = job('interactive', 'p0')
  queue.add(last)
  queue.add(person)
  assert.equal(queue.surplusAfter(person, 0), undefined)
  assert.equal(queue.surplusAfter(last, 1), undefined)
  assert.equal(queue.surplusAfter(last, 0), last)
  assert.deepEqual([queue.remove(last), queue.remove(last)], [true, false])
  queue.putBack(job('interactive', 'again'))
  assert.equal(queue.take()?.name, 'again')
  assert.deepEqual(
    queue.drain().map(({ name }) => name),
    ['p0', 'b0'],
  )
})

function fillOwned(processes: number, names: readonly string[]) {
  const queue = createJobQueue<Job>({ processes, maxQueue: 100, maxQueuePerOwner: 2 })
  const jobs = names.map((name) => ({ ...job('interactive', name), owner: name.slice(0, 1) }))
  for (const one of jobs) queue.add(one)
  return { queue, jobs }
}

test('the queue serves owners in rotation, even if many jobs of one owner wait', () => {
  const { queue } = fillOwned(1, ['a0', 'a1', 'a2', 'b0', 'b1', 'c0'])
  const order = Array.from({ length: 6 }, () => {
    const taken = queue.take()
    if (taken !== undefined) queue.end(taken)
    return taken?.name
  })
  assert.deepEqual(order, ['a0', 'b0', 'c0', 'a1', 'b1', 'a2'])
})

test('an owner of quick jobs gets all processes but one while others wait, and all processes if no other owner waits', () => {
  const { queue, jobs } = fillOwned(3, ['b', 'a'])
  for (const one of [queue.take(), queue.take()]) if (one !== undefined) queue.end(one)
  for (const name of ['a0', 'a1']) queue.add({ ...job('interactive', name), owner: 'a' })
  assert.deepEqual([queue.take()?.name, queue.take()?.name], ['a0', 'a1'])
  for (const name of ['a2', 'b0', 'a3']) queue.add({ ...job('interactive', name), owner: name.slice(0, 1) })
  assert.equal(queue.take()?.name, 'b0')
  assert.deepEqual([queue.take()?.name, queue.take()?.name], ['a2', 'a3'])
  for (const one of jobs) queue.end(one)
})

test('an owner of slow jobs gets half of the processes for ten minutes, even if no other owner waits', () => {
  let nowMs = 0
  const queue = createJobQueue<Job>({ processes: 4, maxQueue: 100, maxQueuePerOwner: 100, now: () => nowMs })
  const add = (owner: string, name: string, priority: Priority = 'interactive') => queue.add({ priority, name, owner })
  const take = () => queue.take() ?? job('interactive', 'none')
  for (const name of ['a0', 'a1', 'a2', 'a3', 'a4']) add('a', name)
  const first = take()
  nowMs += 4_000
  const next = [take(), take()]
  assert.deepEqual(
    next.map(({ name }) => name),
    ['a1', 'a2'],
  )
  nowMs += 1_001
  queue.end(first)
  assert.equal(take().name, 'none')
  add('a', 'background', 'background')
  assert.equal(take().name, 'none')
  add('b', 'b0')
  assert.deepEqual([take().name, take().name], ['b0', 'none'])
  for (const one of next) queue.end(one)
  nowMs += 600_001
  assert.deepEqual([take().name, take().name, take().name], ['a3', 'a4', 'background'])
})

/** Creates a queue in which jobs of more than 300 ms are slow. The test sets the clock of the queue. */
function startLanes(processes: number) {
  let nowMs = 0
  const options = { processes, maxQueue: 100, maxQueuePerOwner: 100, maxRunningPerOwner: processes - 1, slowJobMs: 300 }
  const queue = createJobQueue<Job>({ ...options, now: () => nowMs })
  return {
    queue,
    add: (...names: string[]) => {
      for (const name of names) queue.add({ priority: 'interactive', name, owner: name.slice(0, 1) })
    },
    take: () => queue.take() ?? job('interactive', 'none'),
    pass: (ms: number) => {
      nowMs += ms
    },
  }
}

test('any number of owners of slow jobs share all processes but two', () => {
  const { queue, add, take, pass } = startLanes(4)
  add('a0', 'b0', 'c0')
  const first = [take(), take(), take()]
  pass(301)
  for (const one of first) queue.end(one)
  add('a1', 'b1', 'c1', 'a2', 'b2', 'c2')
  assert.deepEqual(
    [take(), take(), take()].map(({ name }) => name),
    ['a1', 'b1', 'none'],
  )
  add('d0')
  const other = take()
  assert.equal(other.name, 'd0')
  queue.end(other)
  assert.equal(take().name, 'none')
  pass(600_001)
  assert.equal(take().name, 'c1')
})

test('the last process only takes jobs of owners who are known for quick jobs', () => {
  const { queue, add, take, pass } = startLanes(3)
  add('a0', 'b0', 'c0', 'd0')
  const running = [take(), take()]
  assert.equal(take().name, 'none')
  queue.end(running[0] ?? job('interactive', ''))
  assert.deepEqual([take().name, take().name], ['c0', 'none'])
  add('a1')
  assert.equal(take().name, 'a1')
  pass(301)
  // All processes that a new owner may use are now running slow jobs.
  assert.equal(queue.jobToInterrupt()?.owner, 'b')
})

test('an owner counts as slow while its slow job is running', () => {
  const { queue, add, take, pass } = startLanes(3)
  add('a0')
  const first = take()
  pass(301)
  queue.end(first)
  add('b0')
  assert.equal(take().name, 'b0')
  pass(301)
  add('a1')
  assert.equal(take().name, 'none')
  add('c0')
  assert.equal(take().name, 'c0')
})

test('an owner whose job hit its deadline comes after all others for a minute, with one process', () => {
  const { queue, add, take, pass } = startLanes(4)
  add('a0', 'b', 'c')
  for (const hitDeadline of [true, false, false]) queue.end(take(), { hitDeadline })
  add('a1', 'a2', 'b0', 'c0')
  const running = [take(), take(), take(), take()]
  assert.deepEqual(
    running.map(({ name }) => name),
    ['b0', 'c0', 'a1', 'none'],
  )
  for (const one of running) queue.end(one)
  add('b1')
  for (const name of ['b1', 'a2']) {
    const one = take()
    assert.equal(one.name, name)
    queue.end(one)
  }
  pass(60_001)
  add('a3', 'b2')
  assert.equal(take().name, 'a3')
})

test('an owner never exceeds its limit of running jobs, even if no other owner waits', () => {
  const options = { processes: 3, maxQueue: 10, maxQueuePerOwner: 10, maxRunningPerOwner: 2 }
  const queue = createJobQueue<Job>(options)
  for (const name of ['a0', 'a1', 'a2']) queue.add({ priority: 'interactive', name, owner: 'a' })
  const first = queue.take() ?? job('interactive', 'none')
  assert.deepEqual([queue.take()?.name, queue.take()], ['a1', undefined])
  queue.end(first)
  assert.equal(queue.take()?.name, 'a2')
})

test('background jobs run while the waiting interactive jobs of an owner are held back', () => {
  let nowMs = 0
  const queue = createJobQueue<Job>({ processes: 3, maxQueue: 100, maxQueuePerOwner: 100, now: () => nowMs })
  for (const name of ['a0', 'a1', 'a2']) queue.add({ priority: 'interactive', name, owner: 'a' })
  const slow = queue.take() ?? job('interactive', 'none')
  nowMs += 6_000
  queue.end(slow)
  queue.add({ priority: 'background', name: 'b0', owner: 'b' })
  assert.deepEqual([queue.take()?.name, queue.take()?.name, queue.take()], ['a1', 'b0', undefined])
})

test('the limit per owner leaves room in the queue for others', () => {
  const { queue, jobs } = fillOwned(1, ['a0', 'a1', 'a2', 'b0'])
  const [, , last = job('interactive', ''), other = job('interactive', '')] = jobs
  assert.deepEqual([queue.surplusAfter(last, 0), queue.surplusAfter(last, 1)], [last, undefined])
  assert.equal(queue.surplusAfter(other, 0), undefined)
})

test('if the queue is full, the last waiting job of the owner with the most jobs is rejected', () => {
  const queue = createJobQueue<Job>({ processes: 1, maxQueue: 4, maxQueuePerOwner: 100 })
  const add = (name: string) => {
    const one = { ...job('interactive', name), owner: name.slice(0, 1) }
    queue.add(one)
    const surplus = queue.surplusAfter(one, 0)
    if (surplus !== undefined) queue.remove(surplus)
    return surplus?.name
  }
  for (const name of ['a0', 'a1', 'a2', 'b0']) assert.equal(add(name), undefined)
  assert.equal(add('c0'), 'a2')
  assert.equal(add('c1'), 'c1', 'no other owner has more')
  assert.equal(add('a3'), 'a3')
  assert.equal(add('d0'), 'a1')
  assert.equal(add('e0'), 'e0')
  assert.deepEqual(
    queue.drain().map(({ name }) => name),
    ['a0', 'b0', 'c0', 'd0'],
  )
})
