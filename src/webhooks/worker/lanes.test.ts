import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLanes } from './lanes.ts'
import type { Claim } from './store.ts'

const claim = (
  endpointId: string,
  { isFailing = false, isCustomers = false, bytes = 1, ownerId = `of ${endpointId}` } = {},
): Claim => ({
  endpointId,
  ownerId,
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
  isCustomers,
  body: { bytes, text: undefined },
  secretSealed: Buffer.alloc(0),
  previousSecretSealed: null,
  previousSecretUntil: null,
})

const many = (count: number, endpointId: string): Claim[] => Array.from({ length: count }, () => claim(endpointId))

test('each success allows an endpoint one more parallel request, up to 16; a failure resets it to one', () => {
  const lanes = createLanes()
  lanes.add(many(100, 'a'))
  const running = lanes.next()
  const widths = []
  for (let round = 0; round < 17; round += 1) {
    widths.push(running.length)
    lanes.ended(running.shift() ?? assert.fail(), true)
    running.push(...lanes.next())
  }
  assert.deepEqual([widths[0], widths[1], running.length], [1, 2, 16])
  for (const one of running.splice(1)) lanes.ended(one, false)
  assert.deepEqual(lanes.next(), [], 'the one that is left takes the only place')
  assert.ok(lanes.takeBack('a').length > 50)
})

test('endpoints that never respond only delay endpoints that have not responded yet', () => {
  const lanes = createLanes()
  lanes.add(many(3, 'good'))
  lanes.ended(lanes.next()[0] ?? assert.fail(), true)
  for (let index = 0; index < 1000; index += 1) {
    const { otherwise } = lanes.places()
    if (otherwise.staff > 0) lanes.add([claim(`dead ${index}`)])
    lanes.next()
  }
  assert.equal(lanes.running(), 402)
  const { known, otherwise } = lanes.places()
  assert.ok((known.get('good') ?? 0) > 0)
  assert.deepEqual([otherwise, known.get('dead 1')], [{ staff: 0, customers: 0 }, 0])
})

const MEGABYTE = 1024 * 1024

test('bodies of running requests have a memory limit; endpoints that never respond get half of it', () => {
  const lanes = createLanes()
  const start = (endpointId: string, ownerId = endpointId): Claim[] => {
    lanes.add([claim(endpointId, { bytes: MEGABYTE, ownerId })])
    return lanes.next()
  }
  const prove = (endpointId: string): void => {
    for (const one of start(endpointId)) lanes.ended(one, true)
  }
  for (let index = 0; index < 40; index += 1) prove(`good ${index}`)
  for (let index = 0; index < 40; index += 1) start(`dead ${index}`)
  assert.deepEqual([lanes.running(), lanes.places().otherwise.staff], [32, 0])
  const sent = Array.from({ length: 40 }, (_, index) => start(`good ${index}`)).flat()
  assert.deepEqual([sent.length, lanes.running()], [32, 64])
  for (const one of sent) lanes.ended(one, true)
  assert.equal(lanes.next().length, 8, 'the others follow')
})

for (const { bytes, most } of [
  { bytes: 1, most: 350 },
  { bytes: MEGABYTE, most: 24 },
]) {
  test(`endpoints of customers that never respond leave room for those of staff (bodies of ${bytes} bytes)`, () => {
    const lanes = createLanes()
    const ofCustomer = (index: number): Claim => claim(`dead ${index}`, { bytes, isCustomers: true })
    for (let index = 0; index < most; index += 1) {
      assert.deepEqual(lanes.places().otherwise, { staff: 1, customers: 1 })
      lanes.add([ofCustomer(index)])
      assert.equal(lanes.next().length, 1)
    }
    assert.deepEqual(lanes.places().otherwise, { staff: 1, customers: 0 })
    // Claims that were made before the part of customers was full wait.
    lanes.add([ofCustomer(most)])
    assert.deepEqual(lanes.next(), [])
    lanes.add([claim('staff', { bytes })])
    const [ofStaff = assert.fail(), ...others] = lanes.next()
    assert.deepEqual([ofStaff.endpointId, others], ['staff', []])
    lanes.ended(ofStaff, false)
    assert.deepEqual(lanes.next(), [], 'the place stays reserved')
  })
}

test('the places of an endpoint follow the role of its owner', () => {
  const lanes = createLanes()
  for (let index = 0; index < 350; index += 1) lanes.add([claim(`dead ${index}`, { isCustomers: true })])
  assert.equal(lanes.next().length, 350)
  const placesAfter = (isCustomers: boolean): number | undefined => {
    lanes.add([claim('a', { isCustomers })])
    lanes.takeBack('a')
    return lanes.places().known.get('a')
  }
  assert.deepEqual([placesAfter(true), placesAfter(false), placesAfter(true)], [0, 1, 0])
})

test('one account gets a small share of the limits, and each of its endpoints one request', () => {
  const lanes = createLanes()
  const ownerId = 'one'
  for (let index = 0; index < 20; index += 1) lanes.add([claim(`dead ${index}`, { ownerId })])
  assert.deepEqual([lanes.next().length, lanes.running()], [5, 5])
  lanes.add([claim('another')])
  assert.equal(lanes.next().length, 1)

  const wide = createLanes()
  for (let index = 0; index < 20; index += 1) {
    for (let round = 0; round < 16; round += 1) {
      wide.add([claim(`good ${index}`, { ownerId })])
      for (const one of wide.next()) wide.ended(one, true)
    }
  }
  const sum = (): number => [...wide.places().known.values()].reduce((total, places) => total + places, 0)
  assert.equal(sum(), 128 + 16, 'four with all they can take, one each for the others')
  for (const [id, places] of wide.places().known) wide.add(many(places, id).map((one) => ({ ...one, ownerId })))
  assert.equal(sum(), 0)
  wide.add([claim('large', { ownerId, bytes: 7 * MEGABYTE }), claim('larger', { ownerId, bytes: 7 * MEGABYTE })])
  assert.equal(wide.next().filter(({ endpointId }) => endpointId.startsWith('large')).length, 1)
})

test('the state of an endpoint is dropped after an idle minute', () => {
  let now = 0
  const lanes = createLanes(() => now)
  lanes.add([claim('a')])
  for (const one of lanes.next()) lanes.ended(one, true)
  now = 59_000
  assert.equal(lanes.places().known.size, 1)
  now = 61_000
  assert.equal(lanes.places().known.size, 0)
})
