import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createJobQueue, type Priority } from './job-queue.ts'

type Job = { priority: Priority; name: string; owner: string; share: string }

/** Creates a queue. A job `office/ann 1` belongs to the owner `ann` in the share of visitors `office`. */
function startQueue(options: Partial<Parameters<typeof createJobQueue>[0]> = {}) {
  let nowMs = 0
  const queue = createJobQueue<Job>({
    processes: 4,
    maxQueue: 100,
    maxQueuePerOwner: 100,
    slowJobMs: 300,
    now: () => nowMs,
    ...options,
  })
  const add = (name: string) => {
    const [share = '', owner = ''] = name.replace(/ .*/, '').split('/')
    const job: Job = { priority: 'interactive', name, owner, share: `guests ${share}` }
    queue.add(job)
    const surplus = queue.surplusAfter(job, 0)
    if (surplus !== undefined) queue.remove(surplus)
    return surplus?.name
  }
  const take = () => queue.take()
  return {
    queue,
    add,
    take,
    pass: (ms: number) => {
      nowMs += ms
    },
    /** Runs the next job for some time. Returns its name. */
    run: (ms: number) => {
      const job = take()
      nowMs += ms
      if (job !== undefined) queue.end(job)
      return job?.name
    },
  }
}

test('visitors of one network leave a process to those of another that had a job within a minute', () => {
  const { add, take, run, pass, queue } = startQueue({ processes: 5 })
  add('home/v')
  run(10)
  for (const name of ['flood/a', 'flood/b', 'flood/c']) add(name)
  const first = take()
  assert.deepEqual([first?.name, take()?.name, take()], ['flood/a', 'flood/b', undefined])
  add('home/v')
  const visit = take()
  assert.equal(visit?.name, 'home/v')
  for (const job of [first, visit]) if (job !== undefined) queue.end(job)
  assert.equal(take()?.name, 'flood/c')
  add('flood/d')
  assert.equal(take(), undefined)
  pass(60_001)
  assert.equal(take()?.name, 'flood/d', 'visitors of one network use all places of visitors while there are no others')
})

test('networks of visitors with a long job in the last ten minutes leave a process to other visitors', () => {
  const { add, take, run, pass, queue } = startQueue()
  const networks = ['one', 'two', 'three']
  for (const network of networks) {
    add(`${network}/a`)
    run(7_000)
  }
  add('home/v')
  run(10)
  for (const network of networks) add(`${network}/a`)
  const long = take()
  assert.deepEqual([long?.name, take()], ['one/a', undefined])
  add('home/v')
  const visit = take()
  assert.equal(visit?.name, 'home/v')
  for (const job of [long, visit]) if (job !== undefined) queue.end(job)
  const next = take()
  assert.deepEqual([next?.name, take()], ['two/a', undefined])
  if (next !== undefined) queue.end(next)
  add('one/a')
  pass(60_001)
  assert.notEqual(take(), undefined)
  assert.notEqual(take(), undefined, 'slow networks use all places of visitors while there are no others')
})

test('any number of owners in one share has the turn of one share', () => {
  const { add, run } = startQueue()
  for (let owner = 0; owner < 10; owner += 1) add(`flood/${owner}`)
  for (let count = 0; count < 3; count += 1) run(400)
  add('home/v')
  assert.equal(run(10), 'home/v')
})

test('within a share, an owner whose jobs took less does not wait behind the queue of another', () => {
  const { add, run } = startQueue()
  for (let count = 0; count < 5; count += 1) add(`office/ann ${count}`)
  assert.equal(run(1_000), 'office/ann 0')
  add('office/ben')
  assert.equal(run(10), 'office/ben')
  add('office/cleo')
  assert.deepEqual([run(10), run(10)], ['office/cleo', 'office/ann 1'])
})

test('within a share, owners of whom quick jobs are known come before new ones', () => {
  const { add, run } = startQueue()
  add('office/ann')
  run(10)
  for (let owner = 0; owner < 5; owner += 1) add(`office/new-${owner}`)
  add('office/ann')
  assert.equal(run(10), 'office/ann')
})

test('each of twenty owners behind one network finds a place, beside one with as many jobs as it may have', () => {
  const { add } = startQueue({ maxQueue: 64, maxQueuePerOwner: 8 })
  for (let count = 0; count < 8; count += 1) assert.equal(add(`office/greedy ${count}`), undefined)
  assert.equal(add('office/greedy 8'), 'office/greedy 8')
  for (let owner = 0; owner < 20; owner += 1) assert.equal(add(`office/${owner}`), undefined)
})

test('if visitors have their half of the queue, a job of the share with the most makes room', () => {
  const { add } = startQueue({ maxQueue: 8 })
  for (const name of ['flood/a', 'flood/b', 'flood/c 0', 'flood/c 1']) assert.equal(add(name), undefined)
  assert.equal(add('home/v'), 'flood/c 1', 'of its owners, the one with the most')
  assert.equal(add('home/w'), 'flood/a')
  assert.equal(add('home/x'), 'home/x', 'its share would then have more')
})

test('if visitors have their half of the queue, an owner with one job takes the place of one of its share with several', () => {
  const { add } = startQueue({ maxQueue: 8 })
  for (const name of ['office/ann 0', 'office/ann 1', 'office/ann 2', 'office/ben']) assert.equal(add(name), undefined)
  assert.equal(add('office/cleo'), 'office/ann 2')
})

/** Names of jobs of as many addresses of one network: the first three characters of their groups are the same. */
const addressesOf = (network: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${network.slice(0, 3)}${index}/${index}`)

test('addresses of one network together leave a process to those of another that had a job within a minute', () => {
  const { add, run, take } = startQueue({ processes: 5 })
  add('home/v')
  run(10)
  for (const name of addressesOf('flood', 5)) add(name)
  assert.deepEqual([take()?.name, take()?.name, take()], ['flo0/0', 'flo1/1', undefined])
  add('home/v')
  assert.equal(take()?.name, 'home/v')
})

test('a visitor whose jobs took some time does not wait behind new addresses of a network whose jobs took more', () => {
  const { add, run } = startQueue()
  add('home/v')
  run(900)
  const [first = '', second = '', ...others] = addressesOf('flood', 10)
  for (const name of [first, second]) add(name)
  for (let count = 0; count < 2; count += 1) run(5_000)
  for (const name of others) add(name)
  add('home/v')
  assert.equal(run(10), 'home/v')
})

test('if visitors have their half of the queue, a new address of the network with the most makes room', () => {
  const { add, run } = startQueue({ maxQueue: 8 })
  add('home/v')
  run(900)
  const addresses = addressesOf('flood', 6)
  assert.deepEqual(addresses.map(add).slice(0, 5), [...new Array(4).fill(undefined), 'flo4/4'])
  assert.match(add('home/v') ?? '', /^flo/)
})
