import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import { ClientGone } from '../../concurrency/client-gone.ts'
import {
  createRequestContext,
  currentRequest,
  type RequestContext,
  runForAll,
  runInRequest,
  runUndo,
} from '../../concurrency/request-context.ts'
import { type ConnectionGate, ConnectionTimeout, createConnectionGate } from './connection-gate.ts'
import { createTransferBudgets, transferRates } from './transfer-budgets.ts'

/** Requests a connection in a request of an account. */
function startRequest(
  gate: ConnectionGate,
  account: string,
  {
    isCustomer = true,
    mayWait = true,
    sendsLargeBodies = false,
    networkOfLarge,
    share,
  }: {
    isCustomer?: boolean
    mayWait?: boolean
    sendsLargeBodies?: boolean
    networkOfLarge?: string
    share?: string
  } = {},
) {
  const request = { ...createRequestContext(), account, share, isCustomer, sendsLargeBodies, networkOfLarge }
  const state: { leave?: () => void; error?: unknown } = {}
  const enter = () => runInRequest(request, () => gate.enter(mayWait))
  enter().then(
    (leave) => {
      state.leave = leave
    },
    (error: unknown) => {
      state.error = error
    },
  )
  return { state, enter }
}

const PATIENT_MS = 2_000

test('the writes of a customer use at most a quarter of the connections for writes, those of an operator half', async () => {
  for (const [isCustomer, share] of [
    [true, 4],
    [false, 8],
  ] as const) {
    const gate = createConnectionGate({ max: 20, timeoutMs: PATIENT_MS })
    const requests = Array.from({ length: 30 }, () => startRequest(gate, 'one', { isCustomer }))
    await turn()
    assert.equal(requests.filter(({ state }) => state.leave !== undefined).length, share)
    const other = startRequest(gate, 'other')
    await turn()
    assert.ok(other.state.leave)
    requests[0]?.state.leave?.()
    await turn()
    assert.equal(requests.filter(({ state }) => state.leave !== undefined).length, share + 1)
  }
})

test('three customers whose writes all wait leave connections for the writes of others and for all reads', async () => {
  const gate = createConnectionGate({ max: 10, timeoutMs: PATIENT_MS })
  for (const account of ['a', 'b', 'c']) for (let i = 0; i < 60; i += 1) startRequest(gate, account)
  const [write, read] = [startRequest(gate, 'victim'), startRequest(gate, 'victim', { mayWait: false })]
  await turn()
  assert.ok(write.state.leave)
  assert.ok(read.state.leave)
})

test('visitors of any number of IP addresses together leave half of the connections to accounts', async () => {
  const gate = createConnectionGate({ max: 10, timeoutMs: PATIENT_MS })
  for (let network = 0; network < 20; network += 1)
    for (const account of [`guests ${network}`, `192.0.2.${network}`])
      for (let i = 0; i < 4; i += 1) startRequest(gate, account, { mayWait: i % 2 === 0 })
  const accounts = [true, true, false, false].map((mayWait, index) => startRequest(gate, `usr_${index}`, { mayWait }))
  await turn()
  for (const { state } of accounts.slice(0, 2)) assert.ok(state.leave)
})

// Accounts are free, and each of them may wait for its own locks.
for (const mayWait of [true, false])
  test(`${mayWait ? 'writes' : 'reads'} of the new customers of one network leave connections to those of others`, async () => {
    const gate = createConnectionGate({ max: 6, timeoutMs: PATIENT_MS })
    const begin = (account: string, network: string) =>
      startRequest(gate, account, { mayWait, share: `guests ${network}${account}` })
    const many = Array.from({ length: 20 }, (_, i) => begin(`usr_${i % 10}`, 'aaa'))
    const other = begin('usr_other', 'bbb')
    const known = startRequest(gate, 'usr_known', { mayWait })
    await turn()
    assert.ok(other.state.leave)
    assert.ok(known.state.leave)
    const granted = () => many.filter(({ state }) => state.leave !== undefined)
    for (let round = 0; round < 3; round += 1) {
      for (const { state } of granted()) state.leave?.()
      await turn()
    }
    assert.equal(granted().length, 8, 'two at a time')
  })

for (const mayWait of [true, false])
  test(`${mayWait ? 'writes' : 'reads'} of any number of accounts that send large bodies use a third of the connections`, async () => {
    const gate = createConnectionGate({ max: 10, timeoutMs: PATIENT_MS })
    const large = Array.from({ length: 20 }, (_, i) =>
      startRequest(gate, `usr_${i % 10}`, { sendsLargeBodies: true, mayWait }),
    )
    const granted = () => large.filter(({ state }) => state.leave !== undefined)
    await turn()
    assert.equal(granted().length, 3)
    const others = Array.from({ length: 4 }, (_, i) => startRequest(gate, `usr_other_${i}`, { mayWait }))
    await turn()
    for (const { state } of others) assert.ok(state.leave)
    for (let round = 0; round < 3; round += 1) {
      for (const { state } of granted()) state.leave?.()
      await turn()
    }
    assert.equal(granted().length, 12, 'three at a time')
  })

test('the accounts of one network that send large bodies leave half of their share to other networks', async () => {
  const gate = createConnectionGate({ max: 15, timeoutMs: PATIENT_MS })
  const start = (account: string, networkOfLarge: string) =>
    startRequest(gate, account, { sendsLargeBodies: true, networkOfLarge })
  const many = Array.from({ length: 20 }, (_, i) => start(`usr_${i}`, '192.0.2.0/24'))
  await turn()
  const granted = () => many.filter(({ state }) => state.leave !== undefined)
  assert.equal(granted().length, 2)
  const others = Array.from({ length: 3 }, (_, i) => start(`usr_other_${i}`, `198.51.${i}.0/24`))
  await turn()
  for (const { state } of others) assert.ok(state.leave)
  for (const { state } of [...granted(), ...others]) state.leave?.()
  await turn()
  assert.equal(granted().length, 4)
})

test('a visitor who has waited for a second comes before customers who have only just begun to wait', async () => {
  const gate = createConnectionGate({ max: 2, timeoutMs: PATIENT_MS })
  const first = startRequest(gate, 'usr_first')
  await turn()
  const visitor = startRequest(gate, 'usr_visitor', { share: 'guests abc100' })
  await delay(1_100)
  const customer = startRequest(gate, 'usr_customer')
  first.state.leave?.()
  await turn()
  assert.deepEqual([visitor.state.leave !== undefined, customer.state.leave], [true, undefined])
})

const LARGE = { sendsLargeBodies: true, networkOfLarge: '192.0.2.0/24' }

// The pools of API processes have six connections, of which five are for writes. Signing in is anonymous.
test('large records of visitors leave a connection for other visitors, and one for large records of others', async () => {
  const gate = createConnectionGate({ max: 6, timeoutMs: PATIENT_MS })
  const guests = Array.from({ length: 12 }, (_, i) => startRequest(gate, `guests abc${i + 100}`, LARGE))
  const newcomers = Array.from({ length: 12 }, (_, i) =>
    startRequest(gate, `usr_${i}`, { ...LARGE, networkOfLarge: `198.51.${i}.0/24`, share: `guests x${i + 10}abc` }),
  )
  await turn()
  const isGranted = ({ state }: (typeof guests)[number]) => state.leave !== undefined
  assert.equal([...guests, ...newcomers].filter(isGranted).length, 1)
  const signIn = startRequest(gate, '203.0.113.7', { isCustomer: false })
  const established = startRequest(gate, 'usr_established', {
    sendsLargeBodies: true,
    networkOfLarge: '203.0.113.0/24',
  })
  await turn()
  assert.ok(isGranted(signIn))
  assert.ok(isGranted(established))
})

test('visitors of one network take turns with those of others together, after other customers', async () => {
  const gate = createConnectionGate({ max: 6, timeoutMs: PATIENT_MS })
  const many = Array.from({ length: 20 }, (_, i) => startRequest(gate, `usr_${i}`, { share: `guests abc${i + 100}` }))
  await turn()
  const granted = () => many.filter(({ state }) => state.leave !== undefined)
  assert.equal(granted().length, 2, 'half of the connections for writes')
  const other = startRequest(gate, 'usr_other', { share: 'guests xyz100' })
  const another = startRequest(gate, 'usr_another', { share: 'guests uvw100' })
  const last = startRequest(gate, 'usr_last', { share: 'guests rst100' })
  await turn()
  assert.ok(other.state.leave)
  assert.ok(another.state.leave)
  assert.equal(last.state.leave, undefined, 'visitors together leave a connection for others')
  const customers = [startRequest(gate, 'usr_a'), startRequest(gate, 'usr_b')]
  await turn()
  assert.deepEqual(
    customers.map(({ state }) => state.leave !== undefined),
    [true, false],
  )
  other.state.leave()
  await turn()
  assert.ok(customers[1]?.state.leave, 'a customer comes before visitors')
  assert.equal(last.state.leave, undefined)
  another.state.leave()
  await turn()
  assert.ok(last.state.leave, 'a network without a connection comes before one with two')
  assert.equal(granted().length, 2)
})

test('in a pool of any size, an account that sends large bodies gets a connection', async () => {
  for (const max of [1, 2, 3, 4, 5]) {
    const gate = createConnectionGate({ max, timeoutMs: PATIENT_MS })
    for (const mayWait of [true, false]) {
      const { state } = startRequest(gate, 'usr_1', { sendsLargeBodies: true, networkOfLarge: '192.0.2.0/24', mayWait })
      await turn()
      assert.ok(state.leave, `${max} ${mayWait}`)
      state.leave()
    }
  }
})

test('three customers whose reads all wait leave connections for the writes and reads of others', async () => {
  const gate = createConnectionGate({ max: 10, timeoutMs: PATIENT_MS })
  for (const account of ['a', 'b', 'c']) for (let i = 0; i < 60; i += 1) startRequest(gate, account, { mayWait: false })
  const [write, read] = [startRequest(gate, 'victim'), startRequest(gate, 'victim', { mayWait: false })]
  await turn()
  assert.ok(write.state.leave)
  assert.ok(read.state.leave)
})

test('a write gets a connection although reads always wait', async () => {
  const gate = createConnectionGate({ max: 10, timeoutMs: PATIENT_MS })
  const readers = Array.from({ length: 8 }, (_, index) => String(index))
  const reads = readers.flatMap((account) =>
    Array.from({ length: 20 }, () => startRequest(gate, account, { mayWait: false })),
  )
  const writes = Array.from({ length: 3 }, (_, index) => startRequest(gate, `writer ${index}`))
  await turn()
  assert.equal(writes.filter(({ state }) => state.leave !== undefined).length, 2)
  const running = reads.filter(({ state }) => state.leave !== undefined)
  assert.equal(running.length, 8)
  for (const { state } of running.slice(0, 2)) state.leave?.()
  await turn()
  assert.ok(writes.every(({ state }) => state.leave !== undefined))
})

test('accounts are served in rotation, even if many requests of one account wait', async () => {
  const gate = createConnectionGate({ max: 2, timeoutMs: PATIENT_MS })
  const many = Array.from({ length: 20 }, () => startRequest(gate, 'many', { mayWait: false }))
  await turn()
  const single = startRequest(gate, 'single', { mayWait: false })
  many[0]?.state.leave?.()
  await turn()
  assert.ok(single.state.leave)
})

test('work of the service waits for no account, until it has a quarter of the connections', async () => {
  const gate = createConnectionGate({ max: 10, timeoutMs: PATIENT_MS })
  const requests = Array.from({ length: 40 }, (_, n) => startRequest(gate, `usr_${n}`))
  await turn()
  const granted = () => requests.filter(({ state }) => state.leave !== undefined)
  const running = granted()
  assert.equal(running.length, 8)
  let ofService = 0
  for (let n = 0; n < 10; n += 1) {
    runForAll(() => gate.enter(true)).then(
      () => {
        ofService += 1
      },
      () => undefined,
    )
  }
  const counts: number[][] = []
  for (const { state } of running.slice(0, 3)) {
    state.leave?.()
    await turn()
    counts.push([ofService, granted().length])
  }
  assert.deepEqual(counts, [
    [1, 8],
    [2, 8],
    [2, 9],
  ])
})

test('a request with a connection gets another one immediately, so that it never waits for itself', async () => {
  const gate = createConnectionGate({ max: 10, timeoutMs: PATIENT_MS })
  const requests = Array.from({ length: 10 }, () => startRequest(gate, 'one'))
  await turn()
  const [first] = requests
  const leave = await first?.enter()
  leave?.()
  leave?.()
  first?.state.leave?.()
  await turn()
  assert.equal(requests.filter(({ state }) => state.leave !== undefined).length, 3, 'a connection is freed once')
})

// A connection is freed in the context of the request that had it.
test('a read that waited gets a freed connection at once, in the context of its own request', async () => {
  const gate = createConnectionGate({ max: 1, timeoutMs: PATIENT_MS })
  const [first, second] = ['usr_1', 'usr_2'].map((account) => ({ ...createRequestContext(), account }))
  assert.ok(first !== undefined && second !== undefined)
  const seen: unknown[] = []
  const read = (goOn: (leave: () => void) => void) => () => gate.enterRead(goOn, assert.fail)
  const frees: (() => void)[] = []
  runInRequest(
    first,
    read((leave) => void frees.push(leave)),
  )
  runInRequest(
    second,
    read(() => void seen.push(currentRequest())),
  )
  runInRequest(first, () => frees[0]?.())
  assert.equal(seen[0], second)
})

test('work of the service has no account limit, even if a request starts it', async () => {
  const gate = createConnectionGate({ max: 10, timeoutMs: PATIENT_MS })
  for (let i = 0; i < 10; i += 1) startRequest(gate, 'one')
  const request = { ...createRequestContext(), account: 'one', isCustomer: true }
  const leave = await runInRequest(request, () => runForAll(() => gate.enter(true)))
  leave()
})

test('a request that gets no connection in time is rejected and gets none later', async () => {
  const gate = createConnectionGate({ max: 1, timeoutMs: 20 })
  const leave = await gate.enter(true)
  await assert.rejects(gate.enter(true), ConnectionTimeout)
  assert.equal(gate.timeouts(), 1)
  leave()
  const again = await gate.enter(true)
  again()
})

// A client can rent a network of any number of IP addresses, each of which is an owner.
test('the cost of a connection does not grow with the visitors of a network that wait', async () => {
  let asked = 0
  const count = (): number => {
    asked += 1
    return 0
  }
  const payer = { charge: () => undefined, note: () => undefined, used: count, waitMs: count }
  const gate = createConnectionGate({
    max: 1,
    timeoutMs: PATIENT_MS,
    budgets: { payerOf: () => payer, use: createTransferBudgets(transferRates(1)).use },
  })
  const first = startRequest(gate, 'usr_first')
  await turn()
  const visitor = (index: number): RequestContext => ({
    ...createRequestContext(),
    account: `2001:db8:7:${index.toString(16)}::/64`,
    anonymousNetwork: '2001:db8:7::/48',
  })
  for (let index = 0; index < 1_000; index += 1) {
    runInRequest(visitor(index), () => gate.enter(false)).catch(() => undefined)
  }
  const customer = startRequest(gate, 'usr_customer', { mayWait: false })
  await turn()
  asked = 0
  first.state.leave?.()
  assert.ok(asked > 0 && asked < 10, `${asked} calls`)
  await turn()
  assert.ok(customer.state.leave)
})

/** Requests a connection in a request whose client leaves when the test says so. */
function startLeaving(gate: ConnectionGate, context: Partial<RequestContext> = {}) {
  const listeners = new Set<() => void>()
  let hasLeft = false
  const request: RequestContext = {
    ...createRequestContext(),
    account: 'usr_leaving',
    hasLeft: () => hasLeft,
    onLeave: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    ...context,
  }
  return {
    listeners,
    enter: (mayWait = true) => runInRequest(request, () => gate.enter(mayWait)),
    undo: () => runInRequest(request, () => runUndo(() => gate.enter(true))),
    leave: () => {
      hasLeft = true
      for (const listener of listeners) listener()
    },
  }
}

test('a request whose client leaves while it waits for its first connection ends, and so does a later one', async () => {
  const gate = createConnectionGate({ max: 1, timeoutMs: PATIENT_MS })
  const free = await gate.enter(true)
  const client = startLeaving(gate)
  const waiting = assert.rejects(client.enter(), ClientGone)
  await turn()
  assert.equal(gate.waiting(), 1)
  client.leave()
  assert.equal(gate.waiting(), 0)
  await waiting
  await assert.rejects(client.enter(false), ClientGone)
  assert.deepEqual([gate.waiting(), gate.timeouts()], [0, 0])
  const next = startRequest(gate, 'usr_next')
  free()
  await turn()
  assert.ok(next.state.leave)
})

test('a request that has only read ends when its client leaves, and one that may have written goes on', async () => {
  for (const mayWait of [false, true]) {
    const gate = createConnectionGate({ max: 1, timeoutMs: PATIENT_MS })
    const client = startLeaving(gate)
    const leave = await client.enter(mayWait)
    leave()
    const free = await gate.enter(true)
    const waiting = [client.enter(), client.undo()]
    const outcomes = Promise.allSettled(waiting)
    await turn()
    client.leave()
    assert.equal(gate.waiting(), mayWait ? 2 : 1, 'undoing always goes on')
    free()
    for (const one of waiting) one.then((end) => end()).catch(() => undefined)
    const statuses = (await outcomes).map(({ status }) => status)
    assert.deepEqual(statuses, [mayWait ? 'fulfilled' : 'rejected', 'fulfilled'])
    assert.equal(client.listeners.size, 0)
  }
})

test('a request that holds a connection gets another one although its client has left', async () => {
  const gate = createConnectionGate({ max: 1, timeoutMs: PATIENT_MS })
  const client = startLeaving(gate)
  const first = await client.enter(false)
  client.leave()
  const second = await client.enter(false)
  second()
  first()
})
