import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createJobQueue, type JobQueue, type Priority } from './job-queue.ts'

type Job = { priority: Priority; name: string; owner?: string; share?: string }

const job = (priority: Priority, name: string): Job => ({ priority, name })

/** Returns a function that adds a job, and removes the job that makes room. The function returns the name of that job. */
function addingTo(queue: JobQueue<Job>, ownerOf: (name: string) => string) {
  return (name: string) => {
    const one = { ...job('interactive', name), owner: ownerOf(name) }
    queue.add(one)
    const surplus = queue.surplusAfter(one, 0)
    if (surplus !== undefined) queue.remove(surplus)
    return surplus?.name
  }
}

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

test('an owner with as many waiting jobs as one may have has no room, beside processes that start', () => {
  const { queue } = fillOwned(2, ['a0', 'a1', 'b0'])
  assert.deepEqual([queue.hasRoom('a', 0), queue.hasRoom('b', 0), queue.hasRoom('c', 0)], [false, true, true])
  assert.equal(queue.hasRoom('a', 1), true)
  queue.take()
  assert.equal(queue.hasRoom('a', 0), true)
})

test('a full queue has no room for owners with about as many jobs as the one with the most, and visitors have half', () => {
  const addAll = (queue: JobQueue<Job>, names: string[], shareOf: (owner: string) => string) => {
    for (const name of names) {
      const owner = name.slice(0, 1)
      queue.add({ ...job('interactive', name), owner, share: shareOf(owner) })
    }
  }
  const roomIn = (queue: JobQueue<Job>, owners: string[], aboutToStart = 0) =>
    owners.filter((owner) => queue.hasRoom(owner, aboutToStart)).join('')
  const queue = createJobQueue<Job>({ processes: 1, maxQueue: 8, maxQueuePerOwner: 5 })
  addAll(queue, ['a0', 'a1', 'a2', 'a3', 'b0', 'b1', 'b2', 'c0'], (owner) => owner)
  assert.equal(roomIn(queue, ['a', 'b', 'c', 'd']), 'cd')
  assert.equal(roomIn(queue, ['a', 'b', 'c', 'd'], 1), 'abcd')
  for (const name of ['a0', 'b0', 'c0', 'a1']) {
    const next = queue.take()
    assert.equal(next?.name, name)
    if (next !== undefined) queue.end(next)
  }
  const shared = createJobQueue<Job>({ processes: 1, maxQueue: 12, maxQueuePerOwner: 4 })
  addAll(shared, ['a0', 'p0', 'q0', 'r0', 's0', 't0', 'y0'], (owner) =>
    owner === 'a' ? owner : owner === 'y' ? 'guests y' : 'guests p',
  )
  assert.equal(roomIn(shared, ['a', 'p', 'q', 'y', 'z']), 'ayz')
  assert.equal(roomIn(shared, ['a', 'p', 'q', 'y', 'z'], 1), 'apqyz')
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

/** Creates a queue in which ordinary jobs take less than 300 ms, long ones more than 1.2 s. The test sets the clock of the queue. */
function startLanes(processes: number) {
  let nowMs = 0
  const options = {
    processes,
    maxQueue: 100,
    maxQueuePerOwner: 100,
    maxRunningPerOwner: Math.max(1, processes - 1),
    slowJobMs: 300,
  }
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

test('owners whose recent jobs took less time come first, and others wait no longer than that', () => {
  const { queue, add, take, pass } = startLanes(1)
  add('a0')
  const first = take()
  pass(1_000)
  queue.end(first)
  add('a1', 'a2', 'b0', 'b1')
  const order = [1, 2, 3, 4].map(() => {
    const one = take()
    pass(400)
    queue.end(one)
    return one.name
  })
  assert.deepEqual(order, ['b0', 'b1', 'a1', 'a2'])
})

test('an owner with short jobs keeps its turn, however many it has had', () => {
  const { queue, add, take, pass } = startLanes(1)
  for (let count = 0; count < 100; count += 1) {
    add('a0')
    const one = take()
    pass(50)
    queue.end(one)
    pass(950)
  }
  add('b0')
  const other = take()
  pass(6_001)
  queue.end(other)
  add('b1', 'a1')
  assert.equal(take().name, 'a1')
})

test('heavy owners together get all processes but two, and one of them half, until their time is forgotten', () => {
  const { queue, add, take, pass } = startLanes(4)
  for (const name of ['a0', 'b0', 'c0']) {
    add(name)
    const one = take()
    // With half-lives of a minute, all of them have about 10 s in the end.
    pass(name === 'a0' ? 36_000 : name === 'b0' ? 24_000 : 19_000)
    queue.end(one)
  }
  pass(60_001)
  add('a1', 'a2', 'a3', 'b1', 'c1')
  assert.deepEqual(
    [take(), take(), take()].map(({ name }) => name),
    ['a1', 'b1', 'none'],
  )
  add('d0')
  assert.deepEqual([take().name, take().name], ['d0', 'none'])
  pass(600_001)
  assert.notEqual(take().name, 'none')
})

test('an owner is not heavy beside a running job of an owner with twice as much time', () => {
  const { queue, add, take, pass } = startLanes(4)
  add('a0', 'b0')
  const long = [take(), take()]
  pass(100_000)
  for (const one of long) queue.end(one)
  add('c0')
  const short = take()
  pass(20_000)
  queue.end(short)
  pass(60_001)
  add('a1', 'b1', 'c1')
  assert.deepEqual([take(), take(), take()].map(({ name }) => name).toSorted(), ['a1', 'b1', 'c1'])
})

test('owners with a long job in the last ten minutes leave processes to others that had a job within a minute', () => {
  const { queue, add, take, pass } = startLanes(4)
  const run = (name: string, ms: number) => {
    add(name)
    const one = take()
    pass(ms)
    queue.end(one)
  }
  for (const name of ['a0', 'b0', 'c0']) run(name, 1_300)
  run('d0', 10)
  add('a1', 'b1', 'c1')
  const first = take()
  assert.deepEqual([first.name, take().name], ['a1', 'none'])
  add('d1', 'e0')
  const others = [take(), take()]
  assert.deepEqual([...others.map(({ name }) => name), take().name], ['d1', 'e0', 'none'])
  for (const one of [first, ...others]) queue.end(one)
  assert.deepEqual([take().name, take().name], ['b1', 'none'])
  pass(60_001)
  assert.equal(take().name, 'c1', 'while there are no others, they use the places')
})

test('slow customers and slow visitors leave each other a process, and together two to others', () => {
  const { queue, add, take, pass } = startLanes(5)
  const visitors = (name: string) => queue.add({ ...job('interactive', name), owner: name, share: `guests ${name}` })
  for (const name of ['a0', 'b0', 'c0']) add(name)
  for (const name of ['aaa', 'bbb', 'ccc']) visitors(name)
  for (let count = 0; count < 6; count += 1) {
    const one = take()
    pass(1_300)
    queue.end(one)
  }
  add('d0')
  queue.end(take())
  add('a1', 'b1', 'c1')
  assert.deepEqual([take().name, take().name, take().name], ['a1', 'b1', 'none'])
  for (const name of ['aaa', 'bbb']) visitors(name)
  assert.deepEqual([take().name, take().name], ['aaa', 'none'])
  add('d1', 'e0')
  assert.deepEqual([take().name, take().name], ['d1', 'e0'])
})

test('heavy owners leave processes to others also while most processes have not started yet', () => {
  const { queue, add, take, pass } = startLanes(4)
  add('a0', 'b0')
  const long = [take(), take()]
  pass(10_000)
  for (const one of long) queue.end(one)
  add('c')
  queue.end(take())
  add('a1', 'b1')
  assert.deepEqual(
    [queue.take({ ready: 2, onlyReserved: false })?.owner !== undefined, queue.take({ ready: 2, onlyReserved: false })],
    [true, undefined],
  )
  add('c0')
  assert.equal(queue.take({ ready: 2, onlyReserved: false })?.name, 'c0')
})

test('the last process only takes jobs of known owners without a long job in the last ten minutes', () => {
  const { queue, add, take, pass } = startLanes(3)
  add('a0', 'b0', 'c0')
  const [a, b] = [take(), take()]
  assert.equal(take().name, 'none')
  queue.end(a)
  assert.deepEqual([take().name, take().name], ['c0', 'none'])
  add('a1')
  const trusted = take()
  assert.equal(trusted.name, 'a1')
  pass(1_201)
  queue.end(trusted)
  queue.end(b)
  add('d0', 'a2')
  assert.deepEqual([take().name, take().name], ['d0', 'none'])
  pass(600_001)
  assert.equal(take().name, 'a2')
})

test('the reserved process only takes interactive jobs of known owners without a long job', () => {
  const { queue, add, take } = startLanes(4)
  add('a0', 'l0')
  const [known, interrupted] = [take(), take()]
  queue.end(known)
  queue.end(interrupted, { wasInterrupted: true })
  queue.add({ ...job('background', 'a1'), owner: 'a' })
  add('b0', 'l1')
  assert.deepEqual([queue.wantsReserved(), queue.take({ ready: 4, onlyReserved: true })], [false, undefined])
  add('a2')
  assert.equal(queue.wantsReserved(), true)
  const taken = queue.take({ ready: 4, onlyReserved: true }) ?? job('interactive', 'none')
  add('a3')
  assert.deepEqual([taken.name, queue.wantsReserved()], ['a2', false], 'the owner has a running job')
  assert.equal(queue.take({ ready: 4, onlyReserved: true }), undefined)
})

test('visitors without an account together get all processes but two, never the reserved one, and half of the queue', () => {
  const queue = createJobQueue<Job>({ processes: 4, maxQueue: 10, maxQueuePerOwner: 8 })
  const jobs = Array.from({ length: 9 }, (_, index) => ({
    ...job('interactive', `g${index}`),
    owner: `guests ${index}`,
  }))
  const surplus = jobs.flatMap((one) => {
    queue.add(one)
    const refused = queue.surplusAfter(one, 0)
    if (refused !== undefined) queue.remove(refused)
    return refused === undefined ? [] : [refused.name]
  })
  assert.deepEqual(surplus, ['g5', 'g6', 'g7', 'g8'])
  queue.add({ ...job('interactive', 'a0'), owner: 'a' })
  assert.deepEqual(
    [1, 2, 3, 4].map(() => queue.take()?.name),
    ['g0', 'g1', 'a0', undefined],
  )
  for (const one of jobs) queue.end(one)
  assert.equal(queue.take({ ready: 4, onlyReserved: true }), undefined)
})

test('in the half of the visitors, a job of the visitor with the most jobs or the most time makes room', () => {
  let nowMs = 0
  const queue = createJobQueue<Job>({
    processes: 3,
    maxQueue: 6,
    maxQueuePerOwner: 8,
    slowJobMs: 300,
    now: () => nowMs,
  })
  const add = addingTo(queue, (name) => `guests ${name.slice(0, 1)}`)
  assert.equal(add('a0'), undefined)
  const running = queue.take()
  nowMs += 100
  if (running !== undefined) queue.end(running)
  for (const name of ['b0', 'c0', 'c1']) assert.equal(add(name), undefined)
  assert.equal(add('d0'), 'c1')
  assert.equal(add('e0'), 'e0', 'no visitor has more')
  queue.drain()
  assert.equal(add('a1'), undefined)
  assert.equal(queue.take()?.name, 'a1')
  for (const name of ['a2', 'b1', 'c2']) assert.equal(add(name), undefined)
  assert.equal(add('d1'), 'a2', 'only a has used time, and uses more')
})

// A client may have several accounts, and could otherwise keep all visitors out.
test('a quarter of the queue is for visitors: they take places of accounts, and accounts do not take theirs', () => {
  const queue = createJobQueue<Job>({ processes: 3, maxQueue: 8, maxQueuePerOwner: 8 })
  const add = addingTo(queue, (name) => (/[v-z]/.test(name) ? `guests ${name}` : name.slice(0, 1)))
  for (const name of ['a0', 'a1', 'a2', 'a3', 'b0', 'b1', 'b2', 'b3']) assert.equal(add(name), undefined)
  assert.deepEqual(['v', 'w', 'x'].map(add), ['a3', 'b3', 'x'])
  assert.equal(add('c0'), 'a2')
  assert.deepEqual([add('c1'), add('c2')], ['b2', 'c2'])
  assert.deepEqual(
    queue
      .drain()
      .map(({ name }) => name)
      .toSorted(),
    ['a0', 'a1', 'b0', 'b1', 'c0', 'c1', 'v', 'w'],
  )
})

test('beyond a quarter of the queue, a visitor never takes the place of an account', () => {
  const queue = createJobQueue<Job>({ processes: 3, maxQueue: 3, maxQueuePerOwner: 8 })
  const add = addingTo(queue, (name) => (name === 'visitor' ? 'guests z' : name.slice(0, 1)))
  for (const name of ['a0', 'a1', 'b0']) assert.equal(add(name), undefined)
  assert.equal(add('visitor'), 'visitor')
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
  nowMs += 150_000
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
  const add = addingTo(queue, (name) => name.slice(0, 1))
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
