import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { createDatabase } from '../../../../test/harness.ts'
import { ClientGone } from '../../concurrency/client-gone.ts'
import { runInTurn } from '../../concurrency/debts.ts'
import { createRequestContext, type RequestContext, runInRequest, runUndo } from '../../concurrency/request-context.ts'
import { createLog } from '../../telemetry/log.ts'
import { openDatabase } from '../index.ts'
import { createConnectionGate, TransferLimited } from './connection-gate.ts'
import { createDebts } from './debts.ts'
import { createTransferBudgets, transferRates } from './transfer-budgets.ts'

const MIB = 1024 * 1024
const RATES = {
  visitors: { ofOne: 4 * MIB, ofAll: 8 * MIB, burst: 4 * MIB },
  established: { ofOne: 8 * MIB, ofAll: 24 * MIB, burst: 16 * MIB },
}
const USUAL = transferRates(8 * MIB)

const contextOf = (context: Partial<RequestContext>): RequestContext => ({ ...createRequestContext(), ...context })
const customer = (account: string, share?: string) => contextOf({ account, share, isCustomer: true })
const anonymous = (network: string) => contextOf({ account: network, anonymousNetwork: network })

function open() {
  let now = 0
  const budgets = createTransferBudgets(RATES, () => now)
  const payerOf = (context: RequestContext) => {
    const payer = budgets.payerOf(context)
    assert.ok(payer)
    return payer
  }
  return {
    budgets,
    pass: (ms: number) => {
      now += ms
    },
    charge: (context: RequestContext, bytes: number) => payerOf(context).charge(bytes),
    waitMs: (context: RequestContext) => Math.round(payerOf(context).waitMs()),
  }
}

test('the rate of a customer scales all others', () => {
  assert.deepEqual(transferRates(MIB), {
    visitors: { ofOne: MIB / 2, ofAll: MIB / 2, burst: MIB / 2 },
    established: { ofOne: MIB, ofAll: 3 * MIB, burst: 2 * MIB },
  })
})

test('an owner that has moved more than its burst waits until its rate allows more, and others do not', () => {
  const { charge, waitMs, pass } = open()
  const [one, other] = [customer('usr_one'), customer('usr_other')]
  charge(one, 16 * MIB)
  assert.equal(waitMs(one), 0)
  charge(one, 4 * MIB)
  assert.deepEqual([waitMs(one), waitMs(other)], [500, 0])
  pass(499)
  assert.equal(waitMs(one), 1)
  pass(1)
  assert.equal(waitMs(one), 0)
})

test('visitors pay as their network, whatever accounts they have', () => {
  const { charge, waitMs } = open()
  charge(customer('usr_a', 'guests abcdef'), 3 * MIB)
  charge(customer('usr_b', 'guests abcxyz'), 3 * MIB)
  assert.equal(waitMs(customer('usr_c', 'guests abc123')), 500)
  assert.equal(waitMs(customer('usr_d', 'guests xyz123')), 0)
  charge(anonymous('192.0.2.0/24'), 6 * MIB)
  assert.deepEqual([waitMs(anonymous('192.0.2.0/24')), waitMs(anonymous('198.51.100.0/24'))], [500, 0])
})

test('networks that move much share a rate, and one that moves little keeps its own', () => {
  const { charge, waitMs, pass } = open()
  const networks = ['a', 'b', 'c', 'd'].map((name) => anonymous(`192.0.${name}`))
  for (const network of networks) charge(network, 6 * MIB)
  const little = anonymous('198.51.100.0/24')
  charge(little, MIB)
  assert.deepEqual(networks.map(waitMs), [1_000, 1_000, 1_000, 1_000], 'each has a quarter of 8 MiB/s')
  pass(1_000)
  assert.deepEqual(networks.map(waitMs), [0, 0, 0, 0])
  assert.equal(waitMs(little), 0)
  pass(60_000)
  charge(networks[0] ?? little, 6 * MIB)
  assert.equal(waitMs(networks[0] ?? little), 500, 'those that have stopped no longer take a part')
})

test('an owner that goes on gets its whole rate again soon after others have stopped', () => {
  const { charge, waitMs, pass } = open()
  const others = Array.from({ length: 9 }, (_, i) => anonymous(`192.0.${i}`))
  const one = anonymous('198.51.100.0/24')
  for (const network of [...others, one]) charge(network, 4.5 * MIB)
  assert.equal(waitMs(one), 625, 'a tenth of 8 MiB/s')
  pass(700)
  charge(one, 4.5 * MIB)
  pass(100)
  charge(one, MIB)
  assert.ok(waitMs(one) <= 1_500)
  assert.equal(waitMs(others[0] ?? one), 0)
})

test('a debt is bounded, and so is what many networks take of the rate of one', () => {
  const { charge, waitMs } = open()
  const one = anonymous('198.51.100.0/24')
  charge(one, 1_000 * MIB)
  assert.equal(waitMs(one), 2_000)
  for (let i = 0; i < 200; i += 1) charge(anonymous(`192.0.${i}`), 5 * MIB)
  assert.equal(waitMs(one), 16_000, 'an eighth of its rate')
})

test('staff, the service itself and signing in have no budget', () => {
  const { budgets } = open()
  assert.equal(
    budgets.payerOf(contextOf({ account: '192.0.2.1', anonymousNetwork: '192.0.2.0/24', signsIn: true })),
    undefined,
  )
  assert.equal(budgets.payerOf(contextOf({ account: 'usr_staff' })), undefined)
  assert.equal(budgets.payerOf(createRequestContext()), undefined)
})

/** Makes a gate in which the owner of a request has moved more than its budget. */
async function startInDebt(first: RequestContext) {
  const rates = { ofOne: MIB, ofAll: MIB, burst: MIB }
  const gate = createConnectionGate({
    max: 10,
    timeoutMs: 2_000,
    budgets: createTransferBudgets({ visitors: rates, established: rates }),
  })
  const leave = await runInRequest(first, () => gate.enter(false))
  first.movedBytes += 1.25 * MIB
  leave()
  const order: string[] = []
  const enter = async (context: RequestContext, name: string) => {
    await runInRequest(context, () => gate.enter(false))
    order.push(name)
  }
  return { gate, enter, order }
}

test('a request waits for a connection until its owner has worked off what it moved', async () => {
  const { enter, order } = await startInDebt(customer('usr_one'))
  const waiting = enter(customer('usr_one'), 'one')
  await delay(50)
  await enter(customer('usr_other'), 'other')
  await waiting
  assert.deepEqual(order, ['other', 'one'])
})

test('a short wait is not hidden by a longer one, and a wait beyond the limit is refused at once', async () => {
  const rates = { ofOne: MIB, ofAll: 8 * MIB, burst: MIB }
  const gate = createConnectionGate({
    max: 10,
    timeoutMs: 1_500,
    budgets: createTransferBudgets({ visitors: rates, established: rates }),
  })
  const move = async (account: string, bytes: number) => {
    const request = customer(account)
    const leave = await runInRequest(request, () => gate.enter(false))
    request.movedBytes += bytes
    leave()
  }
  await move('usr_long', 2 * MIB)
  await move('usr_short', 1.05 * MIB)
  const enter = (account: string) => runInRequest(customer(account), () => gate.enter(false))
  const long = enter('usr_long')
  const begin = performance.now()
  await enter('usr_short')
  assert.ok(performance.now() - begin < 800)
  await long
  await move('usr_over', 100 * MIB)
  const before = performance.now()
  await assert.rejects(enter('usr_over'), (error) => error instanceof TransferLimited && error.retryAfterSeconds === 2)
  assert.ok(performance.now() - before < 500)
})

test('bytes, waits and refusals are counted by kind of caller, those of staff not at all', async () => {
  const rates = { ofOne: MIB, ofAll: MIB, burst: MIB }
  const budgets = createTransferBudgets({ visitors: rates, established: { ...rates, ofOne: MIB / 16 } })
  const gate = createConnectionGate({ max: 10, timeoutMs: 300, budgets })
  const move = async (request: RequestContext, bytes: number) => {
    const leave = await runInRequest(request, () => gate.enter(false))
    request.movedBytes += bytes
    leave()
  }
  await move(contextOf({ account: 'usr_staff' }), 8 * MIB)
  await move(customer('usr_new', 'guests abcdef'), 1_000)
  await move(anonymous('192.0.2.0/24'), MIB + 100_000)
  await move(anonymous('192.0.2.0/24'), 1)
  await move(customer('usr_one'), 2 * MIB)
  await assert.rejects(move(customer('usr_one'), 1), TransferLimited)
  assert.deepEqual(budgets.use, {
    customer: { bytes: 2 * MIB, waits: 0, refusals: 1 },
    newcomer: { bytes: 1_000, waits: 0, refusals: 0 },
    anonymous: { bytes: MIB + 100_001, waits: 1, refusals: 0 },
  })
  assert.equal(gate.timeouts(), 0)
})

test('statements that wait for a connection and not for a budget are not counted as waits', async () => {
  const rates = { ofOne: MIB, ofAll: MIB, burst: MIB }
  const budgets = createTransferBudgets({ visitors: rates, established: rates })
  const gate = createConnectionGate({ max: 2, timeoutMs: 2_000, budgets })
  const one = () => customer('usr_one')
  const first = one()
  const leave = await runInRequest(first, () => gate.enter(true))
  const waiting = [one(), one()].map(async (request) => (await runInRequest(request, () => gate.enter(true)))())
  assert.equal(budgets.use.customer.waits, 0)
  first.movedBytes += 1.1 * MIB
  leave()
  await Promise.all(waiting)
  assert.equal(budgets.use.customer.waits, 1, 'the next one was put off, and the last one only waited for its turn')
})

test('signing in passes the debt of its IP address, of which other requests still wait', async () => {
  const read = () => contextOf({ account: '192.0.2.1', anonymousNetwork: '192.0.2.0/24' })
  const { enter, order } = await startInDebt(read())
  const waiting = enter(read(), 'read')
  await enter({ ...read(), signsIn: true }, 'sign-in')
  await waiting
  assert.deepEqual(order, ['sign-in', 'read'])
})

test('in a turn, for which others wait, statements are charged and wait for no debt', async () => {
  const { enter, order, gate } = await startInDebt(customer('usr_one'))
  const waiting = enter(customer('usr_one'), 'before its turn')
  const inTurn = customer('usr_one')
  await runInRequest(inTurn, () => runInTurn(() => enter(inTurn, 'in its turn')))
  assert.deepEqual([order, inTurn.turns], [['in its turn'], 0])
  await waiting
  assert.equal(gate.timeouts(), 0)
})

test('work that undoes what a request has written waits for no debt', async () => {
  const { enter, order, gate } = await startInDebt(customer('usr_one'))
  const waiting = enter(customer('usr_one'), 'other work')
  await runInRequest(customer('usr_one'), () => runUndo(() => gate.enter(false)))
  order.push('undone')
  await waiting
  assert.deepEqual(order, ['undone', 'other work'])
})

test('a request waits for its turn until its owner has worked off what it moved, but not for too long', async () => {
  const rates = { ofOne: MIB, ofAll: MIB, burst: MIB }
  const budgets = createTransferBudgets({ visitors: rates, established: rates })
  const debts = createDebts(budgets, 1_000)
  const [request, other] = [customer('usr_one'), customer('usr_other')]
  budgets.payerOf(request)?.charge(1.2 * MIB)
  assert.deepEqual([debts.has(request), debts.has(other)], [true, false])
  await debts.untilPaid(request)
  assert.equal(debts.has(request), false)
  budgets.payerOf(request)?.charge(1.2 * MIB)
  const isLimited = (error: unknown) => error instanceof TransferLimited && error.retryAfterSeconds === 2
  await assert.rejects(debts.untilPaid(request), isLimited)
  assert.deepEqual([budgets.use.customer.waits, budgets.use.customer.refusals], [1, 1])
})

test('a request whose client disconnects waits for its turn no more', async () => {
  const rates = { ofOne: MIB, ofAll: MIB, burst: MIB }
  const budgets = createTransferBudgets({ visitors: rates, established: rates })
  const gone = new EventTarget()
  const request = contextOf({
    ...{ account: 'usr_one', isCustomer: true, hasLeft: () => false },
    onLeave: (listener) => {
      gone.addEventListener('leave', listener)
      return () => gone.removeEventListener('leave', listener)
    },
  })
  budgets.payerOf(request)?.charge(1.5 * MIB)
  const waiting = createDebts(budgets, 2_000).untilPaid(request)
  gone.dispatchEvent(new Event('leave'))
  await assert.rejects(waiting, ClientGone)
})

test('of two networks without a connection, the one that has moved less comes first', async () => {
  const budgets = createTransferBudgets(USUAL)
  const gate = createConnectionGate({ max: 2, timeoutMs: 2_000, budgets })
  const [much, little] = [customer('usr_much', 'guests abc100'), customer('usr_little', 'guests xyz100')]
  budgets.payerOf(much)?.charge(3 * MIB)
  const leave = await runInRequest(customer('usr_first'), () => gate.enter(true))
  const order: string[] = []
  const waiting = [much, little].map(async (context) => {
    const end = await runInRequest(context, () => gate.enter(true))
    order.push(context.account ?? '')
    end()
  })
  leave()
  await Promise.all(waiting)
  assert.deepEqual(order, ['usr_little', 'usr_much'])
})

test('bytes that statements send and receive are counted, prepared or not', async (t) => {
  const budgets = createTransferBudgets(USUAL)
  for (const prepares of [true, false]) {
    const settings = { ...(await createDatabase(t)), max: 2, prepares, budgets }
    const database = openDatabase(settings, createLog({ level: 'silent' }))
    t.after(database.close)
    const request = customer('usr_one')
    await runInRequest(request, async () => {
      await sql`select repeat('x', 1000000) as text`.execute(database.db)
      await sql`select length(${'y'.repeat(500_000)}::text) as bytes`.execute(database.db)
      await database.reads.query({ name: 'zeros', text: "select repeat('0', 1000000) as text" })
    })
    assert.ok(request.movedBytes >= 2_500_000 && request.movedBytes < 2_600_000, String(request.movedBytes))
    assert.equal(request.chargedBytes, request.movedBytes)
  }
})
