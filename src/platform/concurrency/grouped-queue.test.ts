import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createGroupedQueue } from './grouped-queue.ts'

interface Job {
  name: string
  owner: string
  group: { key: string }
}

function createQueue() {
  const queue = createGroupedQueue<Job['group'], Job>()
  const add = (key: string, owner: string, name = `${key} ${owner}`): Job => {
    const job = { name, owner, group: { key } }
    queue.add(job)
    return job
  }
  const take = (rankOf: (group: Job['group']) => number = () => 0, mayServe: (job: Job) => boolean = () => true) =>
    queue.take((group, next) => (next === undefined ? Number.POSITIVE_INFINITY : rankOf(group)), mayServe)?.name
  return { queue, add, take }
}

test('groups take turns, and so do the owners of a group', () => {
  const { add, take, queue } = createQueue()
  for (const owner of ['a', 'a', 'b', 'c']) add('many', owner)
  add('single', 'd')
  add('single', 'd')
  assert.deepEqual(
    Array.from({ length: 7 }, () => take()),
    ['many a', 'single d', 'many b', 'single d', 'many c', 'many a', undefined],
  )
  queue.forEachGroup(({ key }) => assert.fail(key))
  assert.equal(queue.count(), 0)
})

test('taking a job ranks each group once, however many owners it has', () => {
  const { add, take } = createQueue()
  for (let owner = 0; owner < 1_000; owner += 1) add('many', String(owner))
  add('single', 'a')
  let ranked = 0
  let asked = 0
  const rankOf = ({ key }: Job['group']): number => {
    ranked += 1
    return key === 'single' ? 0 : 1
  }
  const isFree = (): boolean => {
    asked += 1
    return true
  }
  assert.equal(take(rankOf, isFree), 'single a')
  assert.deepEqual([ranked, asked], [2, 2])
})

test('an owner that may not be served keeps its place, and its group goes on with the next one', () => {
  const { add, take } = createQueue()
  for (const owner of ['a', 'b', 'c']) add('many', owner)
  assert.equal(
    take(undefined, ({ owner }) => owner !== 'a'),
    'many b',
  )
  assert.deepEqual([take(), take()], ['many a', 'many c'])
  add('many', 'a')
  assert.equal(
    take(undefined, () => false),
    undefined,
  )
})

test('a removed job is not taken, and others keep their places', () => {
  const { add, take, queue } = createQueue()
  const [first, second] = [add('many', 'a', '1'), add('many', 'a', '2')]
  add('many', 'b', '3')
  add('other', 'c', '4')
  assert.deepEqual([queue.remove(first), queue.remove(first), queue.count()], [true, false, 3])
  assert.deepEqual([take(), take(), take(), queue.remove(second)], ['2', '4', '3', false])
})
