import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBounds } from './bounds.ts'
import type { EndedEntry } from './entry.ts'

const DAY = '2026-03-01'

function entry(changes: Partial<EndedEntry> = {}): EndedEntry {
  return {
    requestId: '',
    endedAt: new Date(`${DAY}T12:00:00Z`),
    method: 'GET',
    route: null,
    operation: null,
    parameters: [],
    status: 200,
    problem: null,
    durationMs: 0,
    caller: null,
    userId: null,
    actorId: null,
    credentialId: null,
    network: null,
    isStaff: false,
    ...changes,
  }
}

/** Offers entries. Returns how many were admitted. */
function admitted(bounds: ReturnType<typeof createBounds>, count: number, changes: (n: number) => Partial<EndedEntry>) {
  return Array.from({ length: count }, (_, n) => bounds.admits(entry(changes(n)))).filter(Boolean).length
}

test('a client has a bound of its own, so that others are still logged', () => {
  const bounds = createBounds({ perDay: 1_000, perClient: 10 })
  assert.equal(
    admitted(bounds, 50, () => ({ userId: 'usr_loud' })),
    10,
  )
  assert.equal(
    admitted(bounds, 5, () => ({ userId: 'usr_quiet' })),
    5,
  )
  assert.equal(
    admitted(bounds, 50, () => ({ network: '203.0.113.7' })),
    10,
  )
})

test('anonymous callers with any number of IP addresses leave half of a day to accounts', () => {
  const bounds = createBounds({ perDay: 100, perClient: 10 })
  assert.equal(
    admitted(bounds, 500, (n) => ({ network: `2001:db8::${n}/64` })),
    50,
  )
  assert.equal(
    admitted(bounds, 500, (n) => ({ userId: `usr_${n}` })),
    30,
  )
})

test('accounts of one network count together, and no number of customers hides the requests of staff', () => {
  const bounds = createBounds({ perDay: 100, perClient: 30 })
  assert.equal(
    admitted(bounds, 500, (n) => ({ userId: `usr_${n}`, network: '203.0.113.7' })),
    30,
  )
  assert.equal(
    admitted(bounds, 500, (n) => ({ userId: `usr_${n}`, network: `198.51.100.${n}` })),
    50,
  )
  assert.equal(
    admitted(bounds, 500, () => ({ userId: 'usr_staff', network: '203.0.113.7', isStaff: true })),
    10,
  )
})

test('the last tenth of a day is for responses with which the service failed', () => {
  const bounds = createBounds({ perDay: 100, perClient: 100 })
  assert.equal(
    admitted(bounds, 200, (n) => ({ userId: `usr_${n}`, isStaff: true })),
    90,
  )
  assert.equal(
    admitted(bounds, 200, (n) => ({ userId: `usr_${n}`, status: 500 })),
    10,
  )
})

test('what other processes have stored counts, until the next day begins', () => {
  const bounds = createBounds({ perDay: 100, perClient: 100 })
  const user = () => ({ userId: 'usr_a' })
  assert.equal(admitted(bounds, 1, user), 1)
  bounds.note('2026-02-28', 500)
  assert.equal(admitted(bounds, 1, user), 1)
  bounds.note(DAY, 90)
  assert.equal(admitted(bounds, 1, user), 0)
  assert.equal(
    admitted(bounds, 1, () => ({ ...user(), endedAt: new Date('2026-03-02T00:00:00Z') })),
    1,
  )
})

test('clients beyond ten thousand count as one', () => {
  const bounds = createBounds({ perDay: 1_000_000, perClient: 10 })
  assert.equal(
    admitted(bounds, 10_000, (n) => ({ userId: `usr_${n}` })),
    10_000,
  )
  assert.equal(
    admitted(bounds, 1_000, (n) => ({ userId: `usr_more_${n}` })),
    10,
  )
})
