import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLanes } from './lanes.ts'
import type { Claim } from './store.ts'

const claim = (endpointId: string, { isFailing = false, body = 'x' } = {}): Claim => ({
  endpointId,
  subject: 's',
  token: 't',
  deliveryId: 'd',
  eventId: 'e',
  url: 'http://a.test/',
  isFailing,
  isTest: false,
  tries: 0,
  attempts: [],
  isForbidden: false,
  body,
  secretSealed: Buffer.alloc(0),
  previousSecretSealed: null,
  previousSecretUntil: null,
})

const many = (count: number, endpointId: string): Claim[] => Array.from({ length: count }, () => claim(endpointId))

test('an endpoint gets more requests at a time with each success, eight at most, and one after a failure', () => {
  const lanes = createLanes()
  lanes.add(many(100, 'a'))
  const running = lanes.next()
  const widths = []
  for (let round = 0; round < 9; round += 1) {
    widths.push(running.length)
    lanes.ended(running.shift() ?? assert.fail(), true)
    running.push(...lanes.next())
  }
  assert.deepEqual([widths[0], widths[1], running.length], [1, 2, 8])
  for (const one of running.splice(1)) lanes.ended(one, false)
  assert.deepEqual(lanes.next(), [], 'the one that is left takes the only place')
  assert.ok(lanes.takeBack('a').length > 50)
})

test('endpoints that never answer take the places of those alone that have not answered yet', () => {
  const lanes = createLanes()
  lanes.add(many(3, 'good'))
  lanes.ended(lanes.next()[0] ?? assert.fail(), true)
  for (let index = 0; index < 1000; index += 1) {
    const { otherwise } = lanes.places()
    if (otherwise > 0) lanes.add([claim(`dead ${index}`)])
    lanes.next()
  }
  assert.equal(lanes.running(), 402)
  const { known, otherwise } = lanes.places()
  assert.ok((known.get('good') ?? 0) > 0)
  assert.deepEqual([otherwise, known.get('dead 1')], [0, 0])
})

test('bodies that wait for endpoints that never answer hold a bounded part of the memory', () => {
  const lanes = createLanes()
  const body = 'x'.repeat(1024 * 1024)
  let added = 0
  while (lanes.places().otherwise > 0) {
    lanes.add([claim(`dead ${added}`, { body })])
    lanes.next()
    added += 1
  }
  assert.equal(added, 64)
})
