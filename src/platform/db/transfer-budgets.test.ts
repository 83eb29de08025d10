import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { createDatabase } from '../../../test/harness.ts'
import { createRequestContext, type RequestContext, runInRequest } from '../concurrency/request-context.ts'
import { createLog } from '../log.ts'
import { createConnectionGate } from './connection-gate.ts'
import { openDatabase } from './index.ts'
import { createTransferBudgets } from './transfer-budgets.ts'

const MIB = 1024 * 1024
const VISITORS = { ofOne: 4 * MIB, ofAll: 8 * MIB, burst: 4 * MIB }
const ESTABLISHED = { ofOne: 8 * MIB, ofAll: 24 * MIB, burst: 16 * MIB }

const contextOf = (context: Partial<RequestContext>): RequestContext => ({ ...createRequestContext(), ...context })
const customer = (account: string, share?: string) => contextOf({ account, share, isCustomer: true })
const anonymous = (network: string) => contextOf({ account: network, anonymousNetwork: network })

function open() {
  let now = 0
  const budgets = createTransferBudgets(VISITORS, ESTABLISHED, () => now)
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

test('staff and the service itself have no budget', () => {
  const { budgets } = open()
  assert.equal(budgets.payerOf(contextOf({ account: 'usr_staff' })), undefined)
  assert.equal(budgets.payerOf(createRequestContext()), undefined)
})

test('a request waits for a connection until its owner has worked off what it moved', async () => {
  const rates = { ofOne: MIB, ofAll: MIB, burst: MIB }
  const gate = createConnectionGate({ max: 10, timeoutMs: 2_000, budgets: createTransferBudgets(rates, rates) })
  const first = customer('usr_one')
  const leave = await runInRequest(first, () => gate.enter(false))
  first.movedBytes += 1.25 * MIB
  leave()
  const order: string[] = []
  const enter = async (context: RequestContext, name: string) => {
    await runInRequest(context, () => gate.enter(false))
    order.push(name)
  }
  const waiting = enter(customer('usr_one'), 'one')
  await delay(50)
  await enter(customer('usr_other'), 'other')
  await waiting
  assert.deepEqual(order, ['other', 'one'])
})

test('bytes that statements send and receive are counted, prepared or not', async (t) => {
  const budgets = createTransferBudgets()
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
