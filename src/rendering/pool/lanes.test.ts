import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLanes, type Lane } from './lanes.ts'

type Job = { lane: Lane; name: string }

const job = (lane: Lane, name: string): Job => ({ lane, name })

function fill(processes: number, people: number, background: number) {
  const lanes = createLanes<Job>({ processes, maxQueue: 100 })
  for (let index = 0; index < background; index += 1) lanes.add(job('background', `b${index}`))
  for (let index = 0; index < people; index += 1) lanes.add(job('interactive', `p${index}`))
  return lanes
}

test('people come before background jobs that waited longer', () => {
  const lanes = fill(4, 2, 2)
  assert.deepEqual(
    [1, 2, 3, 4].map(() => lanes.take()?.name),
    ['p0', 'p1', 'b0', 'b1'],
  )
})

test('background jobs leave one process to people, and use the only one there is', () => {
  for (const [processes, places] of [
    [1, 1],
    [2, 1],
    [4, 3],
  ] as const) {
    const lanes = fill(processes, 0, 10)
    assert.equal(lanes.startable(), places)
    const running = Array.from({ length: places }, () => lanes.take())
    assert.ok(running.every((one) => one !== undefined))
    assert.deepEqual([lanes.take(), lanes.startable()], [undefined, 0])
    lanes.add(job('interactive', 'person'))
    assert.equal(lanes.take()?.name, 'person')
    lanes.end(running[0] ?? job('background', ''))
    assert.equal(lanes.take()?.lane, 'background')
  }
})

test('however many people there are, a background job has its turn', () => {
  const lanes = fill(1, 100, 2)
  const first = Array.from({ length: 20 }, () => {
    const taken = lanes.take()
    if (taken !== undefined) lanes.end(taken)
    return taken?.lane
  })
  assert.deepEqual(
    first.flatMap((lane, index) => (lane === 'background' ? [index] : [])),
    [8, 17],
  )
})

test('each lane has a bound of its own, and a job that is put back is next', () => {
  const lanes = createLanes<Job>({ processes: 2, maxQueue: 1 })
  lanes.add(job('background', 'b0'))
  lanes.add(job('background', 'b1'))
  lanes.add(job('interactive', 'p0'))
  assert.equal(lanes.overflow('interactive', 0), undefined)
  assert.equal(lanes.overflow('background', 1), undefined)
  assert.equal(lanes.overflow('background', 0)?.name, 'b1')
  lanes.putBack(job('interactive', 'again'))
  assert.equal(lanes.take()?.name, 'again')
  assert.deepEqual(
    lanes.drain().map(({ name }) => name),
    ['p0', 'b0'],
  )
})
