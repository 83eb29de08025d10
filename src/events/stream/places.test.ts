import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPlaces, type Opener, type Places } from './places.ts'

const isFull = { code: 'event_streams_full' }
const isTooMany = { code: 'too_many_event_streams' }

/** Returns an account of a share. `ended` collects the accounts whose streams were ended for others. */
function account(share: string, name: string, ended: string[] = []): Opener {
  return { userId: `${share} ${name}`, isCustomers: true, share, end: () => ended.push(`${share} ${name}`) }
}

/** Opens streams of accounts that have the same share until one is refused. Returns how many were opened. */
function openMany(places: Places, share: string, ended: string[] = []): number {
  for (let n = 0; n < 1_000; n += 1) {
    try {
      places.take(account(share, `${n}`, ended))
    } catch {
      return n
    }
  }
  return 1_000
}

test('visitors of one network have a twentieth of the streams, and at least as many as an account', () => {
  const places = createPlaces({ perUser: 10, total: 2_000 })
  assert.equal(openMany(places, 'guests a'), 100)
  assert.throws(() => places.take(account('guests a', 'one')), isTooMany)
  places.take(account('guests b', 'one'))
  assert.equal(openMany(createPlaces({ perUser: 10, total: 40 }), 'guests a'), 10)
})

test('visitors of many networks leave half of the streams of customers to customers who have paid', () => {
  const places = createPlaces({ perUser: 10, total: 2_000 })
  let opened = 0
  for (let network = 0; network < 9; network += 1) opened += openMany(places, `guests ${network}`)
  assert.equal(opened, 900)
  const staff = (): (() => void) => places.take({ ...account('staff', 'one'), isCustomers: false })
  for (let n = 0; n < 900; n += 1) places.take(account(`paid ${n}`, 'one'))
  assert.throws(() => places.take(account('paid', 'one')), isFull)
  assert.throws(() => places.take(account('guests new', 'one')), isFull)
  for (let n = 0; n < 200; n += 1) places.take({ ...account(`staff ${n}`, 'one'), isCustomers: false })
  assert.throws(staff, isFull)
})

test('when visitors have all of their places, the largest network gives one to a smaller network', () => {
  const places = createPlaces({ perUser: 10, total: 2_000 })
  const ended: string[] = []
  for (let network = 0; network < 9; network += 1) openMany(places, `guests ${network}`, ended)
  assert.deepEqual(ended, [])
  assert.equal(openMany(places, 'guests new', ended), 90, 'as many as each of the others then has')
  assert.equal(ended.length, 90)
})

test('networks with as many streams take no places from each other', () => {
  const places = createPlaces({ perUser: 10, total: 200 })
  const ended: string[] = []
  let opened = 0
  for (let turn = 0; turn < 30; turn += 1) {
    for (let network = 0; network < 10; network += 1) {
      try {
        places.take(account(`guests ${network}`, `${turn}`, ended))
        opened += 1
      } catch {}
    }
  }
  assert.deepEqual([opened, ended.length], [90, 0])
})

test('in a full network, the account with the most streams gives one to an account with fewer', () => {
  const places = createPlaces({ perUser: 10, total: 400 })
  const ended: string[] = []
  for (let n = 0; n < 20; n += 1) places.take(account('guests a', n < 4 ? 'modest' : `${n % 2}`, ended))
  places.take(account('guests a', 'new', ended))
  places.take(account('guests a', 'new', ended))
  assert.deepEqual(ended.toSorted(), ['guests a 0', 'guests a 1'])
})

test('a place that is given back can be taken again', () => {
  const places = createPlaces({ perUser: 1, total: 1 })
  const visitor = account('guests a', 'one')
  const leave = places.take(visitor)
  assert.throws(() => places.take(visitor), isFull)
  leave()
  places.take(visitor)
})
