import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFairQueue } from './fair-queue.ts'

test('among owners with as many jobs, one with the largest weight is found, even if weights change with time', () => {
  const queue = createFairQueue<{ owner: string }>()
  for (const owner of ['a', 'b', 'c']) queue.add({ owner })
  let elapsed = 0
  const weightOf = (owner: string | undefined): number => {
    elapsed += 1
    return (owner === 'b' ? 1_000 : 1) / elapsed
  }
  assert.equal(queue.lastOfLongest(undefined, weightOf)?.owner, 'b')
  assert.equal(queue.lastOfLongest((owner) => owner !== 'b', weightOf)?.owner, 'a')
  queue.add({ owner: 'c' })
  assert.equal(queue.lastOfLongest(undefined, weightOf)?.owner, 'c')
})
