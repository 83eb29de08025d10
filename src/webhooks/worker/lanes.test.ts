import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLanes, type Lanes } from './lanes.ts'
import type { Claim } from './store.ts'

const claim = (
  endpointId: string,
  { isFailing = false, isCustomers = false, bytes = 1, share = `of ${endpointId}` } = {},
): Claim => ({
  endpointId,
  share,
  subject: 's',
  token: 't',
  deliveryId: 'd',
  eventId: 'e',
  url: 'http://a.test/',
  isFailing,
  isTest: false,
  tries: 0,
  attempts: [],
  traceparent: null,
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
  assert.deepEqual([otherwise, known.get('dead 1')], [{ staff: 0, customers: 0, visitors: 0 }, 0])
})

const MEGABYTE = 1024 * 1024

test('bodies of running requests have a memory limit; endpoints that never respond get half of it', () => {
  const lanes = createLanes()
  const start = (endpointId: string, share = endpointId): Claim[] => {
    lanes.add([claim(endpointId, { bytes: MEGABYTE, share })])
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
      assert.deepEqual(lanes.places().otherwise, { staff: 1, customers: 1, visitors: 1 })
      lanes.add([ofCustomer(index)])
      assert.equal(lanes.next().length, 1)
    }
    assert.deepEqual(lanes.places().otherwise, { staff: 1, customers: 0, visitors: 0 })
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

test('proven endpoints of customers leave a part of the memory for bodies to those of staff', () => {
  const lanes = createLanes()
  const start = (endpointId: string, isCustomers: boolean, bytes: number): Claim[] => {
    lanes.add([claim(endpointId, { isCustomers, bytes })])
    return lanes.next()
  }
  const names = Array.from({ length: 60 }, (_, index) => `good ${index}`)
  for (const isCustomers of [true, false]) {
    for (const name of names) for (const one of start(`${name} ${isCustomers}`, isCustomers, 1)) lanes.ended(one, true)
  }
  assert.equal(names.flatMap((name) => start(`${name} true`, true, MEGABYTE)).length, 56)
  assert.equal(names.flatMap((name) => start(`${name} false`, false, MEGABYTE)).length, 8)
})

test('endpoints of customers leave a part of the claims to those of staff', () => {
  const lanes = createLanes()
  const roles = [
    ['customer', true],
    ['staff', false],
  ] as const
  for (const [id, isCustomers] of roles) {
    lanes.add([claim(id, { isCustomers })])
    for (const one of lanes.next()) lanes.ended(one, true)
  }
  const placesWith = (claims: number) => {
    lanes.add(Array.from({ length: claims }, (_, index) => claim(`slow ${index % 100}`, { isCustomers: true })))
    const { known, otherwise } = lanes.places()
    return { ...otherwise, proven: roles.map(([id]) => known.get(id)) }
  }
  assert.deepEqual(placesWith(3_599), { staff: 1, customers: 1, visitors: 1, proven: [1, 4] })
  assert.deepEqual(placesWith(1), { staff: 1, customers: 0, visitors: 0, proven: [0, 4] })
  assert.deepEqual(placesWith(400), { staff: 0, customers: 0, visitors: 0, proven: [0, 0] })
})

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
  const share = 'one'
  for (let index = 0; index < 20; index += 1) lanes.add([claim(`dead ${index}`, { share })])
  assert.deepEqual([lanes.next().length, lanes.running()], [5, 5])
  lanes.add([claim('another')])
  assert.equal(lanes.next().length, 1)

  const wide = createLanes()
  for (let index = 0; index < 20; index += 1) {
    for (let round = 0; round < 16; round += 1) {
      wide.add([claim(`good ${index}`, { share })])
      for (const one of wide.next()) wide.ended(one, true)
    }
  }
  const sum = (): number => [...wide.places().known.values()].reduce((total, places) => total + places, 0)
  assert.equal(sum(), 128 + 16, 'four with all they can take, one each for the others')
  for (const [id, places] of wide.places().known) wide.add(many(places, id).map((one) => ({ ...one, share })))
  assert.equal(sum(), 0)
  wide.add([claim('large', { share, bytes: 7 * MEGABYTE }), claim('larger', { share, bytes: 7 * MEGABYTE })])
  assert.equal(wide.next().filter(({ endpointId }) => endpointId.startsWith('large')).length, 1)
})

/** Makes endpoints proven. Then each of them claims all that it may, and no request ends. Returns all claims. */
function hoard(lanes: Lanes, endpoints: readonly Claim[]): number {
  for (const one of endpoints) {
    for (let round = 0; round < 16; round += 1) {
      lanes.add([{ ...one }])
      for (const started of lanes.next()) lanes.ended(started, true)
    }
  }
  let sum = 0
  for (let isMore = true; isMore; ) {
    isMore = false
    // An endpoint asks alone, as it does when one of its requests has ended.
    for (const one of endpoints) {
      const places = lanes.places().known.get(one.endpointId) ?? 0
      if (places > 0) lanes.add(Array.from({ length: places }, () => ({ ...one })))
      sum += places
      isMore ||= places > 0
    }
  }
  return sum
}

test('however many accounts claim all they can, others get claims as soon as requests end', () => {
  const lanes = createLanes()
  const isCustomers = true
  const proven = claim('proven', { isCustomers })
  lanes.add([proven])
  for (const started of lanes.next()) lanes.ended(started, true)
  hoard(
    lanes,
    Array.from({ length: 400 }, (_, n) => claim(`slow ${n}`, { isCustomers, share: `account ${n % 100}` })),
  )
  const running = lanes.next()
  // An endpoint whose request has ended is the first that claims again.
  for (let n = 0; n < 1_000; n += 1) {
    const ended = running.shift() ?? assert.fail()
    lanes.ended(ended, true)
    const places = lanes.places().known.get(ended.endpointId) ?? 0
    lanes.add(Array.from({ length: places }, () => ({ ...ended })))
    running.push(...lanes.next())
  }
  const { known, otherwise } = lanes.places()
  assert.deepEqual([known.get('proven'), otherwise.customers], [4, 1])
})

test('the new accounts of one network have the share of one account', () => {
  const lanes = createLanes()
  const ofNetwork = (n: number): Claim => claim(`slow ${n}`, { isCustomers: true, share: 'guests a' })
  assert.equal(
    hoard(
      lanes,
      Array.from({ length: 200 }, (_, n) => ofNetwork(n)),
    ),
    128,
  )
  const { known, held } = lanes.places()
  assert.deepEqual([known.get('slow 199'), held.get('guests a')], [0, 128])
  const unproven = createLanes()
  for (let n = 0; n < 20; n += 1) unproven.add([ofNetwork(n)])
  assert.equal(unproven.next().length, 5)
})

test('new accounts of many networks leave half of the places of customers to others', () => {
  const lanes = createLanes()
  const isCustomers = true
  for (let n = 0; n < 350; n += 1) {
    if (lanes.places().otherwise.visitors > 0) lanes.add([claim(`dead ${n}`, { isCustomers, share: `guests ${n}` })])
    lanes.next()
  }
  assert.equal(lanes.running(), 175)
  assert.deepEqual(lanes.places().otherwise, { staff: 1, customers: 1, visitors: 0 })
  const slow = createLanes()
  const endpoints = Array.from({ length: 400 }, (_, n) => claim(`slow ${n}`, { isCustomers, share: `guests ${n}` }))
  const sum = hoard(slow, endpoints)
  assert.ok(sum > 1_300 && sum <= 1_800, `${sum}`)
  slow.add(Array.from({ length: 1_800 - sum }, (_, n) => claim(`more ${n}`, { isCustomers, share: `guests m ${n}` })))
  assert.deepEqual(slow.places().otherwise, { staff: 1, customers: 1, visitors: 0 })
})

test('however many slow endpoints 45 networks have, a new account of another network gets its first claims', () => {
  const isCustomers = true
  const ofNetworks = (name: string): Claim[] =>
    Array.from({ length: 225 }, (_, n) => claim(`${name} ${n}`, { isCustomers, share: `guests ${n % 45}` }))
  const slow = createLanes()
  hoard(slow, ofNetworks('slow'))
  slow.next()
  const dead = createLanes()
  dead.add(ofNetworks('dead'))
  dead.next()
  for (const lanes of [slow, dead]) {
    const { otherwise, mostOfNetwork } = lanes.places()
    assert.equal(otherwise.visitors, 1)
    assert.ok(mostOfNetwork.otherwise >= 2)
    const first = claim('first', { isCustomers, share: 'guests new' })
    lanes.add([first])
    assert.deepEqual(lanes.next(), [first])
  }
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
