import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event } from '../../platform/outbox/index.ts'
import { createFollower, type Placed } from './follower.ts'

test('a client that reads nothing for 30 seconds is disconnected, and a slow client is not', () => {
  let isCut = false
  const response = { writableLength: 0, destroy: () => (isCut = true) } as unknown as Placed['response']
  const follower = createFollower({ response } as Placed, 0, () => undefined)
  const event = { id: 'evt_1', at: { transactionId: 1, position: 1 } } as Event
  follower.send(event, Buffer.alloc(100_000))
  assert.equal(follower.hasRoom(), false)
  for (let ms = 0; ms <= 100_000; ms += 10_000) {
    follower.tick(ms)
    assert.equal(isCut, false)
    if (ms % 20_000 === 0) follower.body.read(1_000)
  }
  follower.tick(120_000)
  assert.equal(isCut, false)
  follower.tick(150_000)
  assert.equal(isCut, true)
})
