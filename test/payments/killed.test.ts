import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Trouble } from '../fakes/stripe/stripe.ts'
import type { Orders, Report, Task } from './killed.fixture.ts'
import { CARD, openStripeShop, type Sale, type StripeShop } from './stripe-shop.ts'

const FIXTURE = join(import.meta.dirname, 'killed.fixture.ts')

/** The number of steps to test, which is larger than the number of steps of each action. */
const STEPS = { pay: 10, open: 7, return: 8, refund: 7, cancel: 7, release: 8, close: 8 } as const
type Action = keyof typeof STEPS

/**
 * What the process does. `open` opens the page of Stripe. `return` is the request after the customer has paid on it, and
 * `close` releases such a payment after a cancellation.
 */
const TASKS: Readonly<Record<Action, Task['action']>> = {
  ...{ pay: 'pay', open: 'visit', return: 'visit', refund: 'refund', cancel: 'cancel', release: 'release' },
  close: 'release',
}

/** The time that passes between a lost response and the kill of the process. */
const LATER_SECONDS = 61

/** Starts a process that runs the tasks. Kills the process when each task has reached its step or has ended. */
async function killInTheMidst(orders: Orders): Promise<Report[]> {
  const child = spawn(process.execPath, [FIXTURE], { stdio: ['pipe', 'pipe', 'inherit'] })
  try {
    child.stdin.end(JSON.stringify(orders))
    const reports: Report[] = []
    for await (const line of createInterface({ input: child.stdout })) {
      reports.push(JSON.parse(line))
      if (reports.length === orders.tasks.length) break
    }
    return reports
  } finally {
    child.kill('SIGKILL')
    if (child.signalCode === null) await once(child, 'exit')
  }
}

test('payments, refunds and cancellations move money once despite kills and failures', async (t) => {
  const world = await openStripeShop(t)
  await t.test('a kill between any two steps of paying, refunding, cancelling and abandoning', () =>
    killEverywhere(world),
  )
  await t.test('any failure with any order of requests', () => failEverywhere(world))
})

async function killEverywhere(world: StripeShop): Promise<void> {
  const { stripe, shop, sell, sellPaid, finish } = world
  const made: { action: Action; stopAt: number; sale: Sale }[] = []
  const sessionsOf = (sale: Sale) => stripe.sessions.filter(({ orderReference }) => orderReference === sale.id)
  for (const [action, count] of Object.entries(STEPS) as [Action, number][]) {
    for (let stopAt = 1; stopAt <= count; stopAt += 1) {
      const sale = action === 'refund' || action === 'cancel' ? await sellPaid() : await sell()
      if (action === 'release') await leaveCaptured(sale)
      if (action === 'return' || action === 'close') await payOnPage(sale)
      made.push({ action, stopAt, sale })
    }
  }
  shop.service.clock.shift(LATER_SECONDS)
  const of = (wanted: Action) => made.filter(({ action }) => action === wanted)
  for (const { sale } of [...of('release'), ...of('close')])
    assert.equal((await sale.cancel()).body.status, 'cancelled')
  const { host, port, user, database } = shop.service.services.database.pool.options
  const reports = await killInTheMidst({
    database: { host, port, user, database } as Orders['database'],
    stripeUrl: stripe.url,
    shopUrl: shop.service.config.shopUrl,
    aheadSeconds: LATER_SECONDS + 1,
    tasks: made.map(
      ({ action, stopAt, sale }): Task => ({
        action: TASKS[action],
        stopAt,
        orderId: sale.id,
        ownerId: sale.buyer.userId,
      }),
    ),
  })
  for (const action of Object.keys(STEPS) as Action[]) {
    const ids = of(action).map(({ sale }) => sale.id)
    const isOver = reports.some(({ orderId, step }) => ids.includes(orderId) && step === undefined)
    assert.ok(isOver, `${action} has more steps than were tried`)
  }

  // Half of the customers retry before the job runs, the others after it.
  shop.service.clock.shift(LATER_SECONDS)
  for (const { sale, stopAt } of of('pay')) if (stopAt % 2 === 0) await payAgain(sale)
  for (const { sale, stopAt } of of('open')) if (stopAt % 2 === 0) await payOnPage(sale)
  for (const { sale, stopAt } of of('return')) if (stopAt % 2 === 0) await sale.pay()
  await finish(LATER_SECONDS)
  await finish(LATER_SECONDS)
  for (const { sale, stopAt } of of('open')) if (stopAt % 2 === 1) await payOnPage(sale)
  await finish(LATER_SECONDS)
  for (const { sale } of of('pay')) await payAgain(sale)
  for (const { sale } of of('refund')) if ((await sale.read()).payment.status === 'captured') await sale.refund()
  for (const { sale } of of('cancel')) await sale.cancel()

  const ends: Record<Action, [status: string, payment: string, events: string[]]> = {
    pay: ['confirmed', 'captured', ['order.created', 'payment.captured', 'order.confirmed']],
    open: ['confirmed', 'captured', ['order.created', 'payment.captured', 'order.confirmed']],
    return: ['confirmed', 'captured', ['order.created', 'payment.captured', 'order.confirmed']],
    refund: ['confirmed', 'refunded', ['order.created', 'payment.captured', 'order.confirmed', 'payment.refunded']],
    cancel: [
      'cancelled',
      'refunded',
      ['order.created', 'payment.captured', 'order.confirmed', 'order.cancelled', 'payment.refunded'],
    ],
    release: ['cancelled', 'authorized', ['order.created', 'order.cancelled']],
    close: ['cancelled', 'pending', ['order.created', 'order.cancelled']],
  }
  for (const { action, stopAt, sale } of made) {
    const { status, payment } = await sale.read()
    const step = reports.find(({ orderId }) => orderId === sale.id)?.step
    const where = `${action}, killed at step ${stopAt}: ${step}`
    assert.deepEqual([status, payment.status, await sale.events()], ends[action], where)
    const intents = stripe.intents.filter(({ metadata }) => metadata['platen_order'] === sale.id)
    assert.deepEqual(
      intents.flatMap(({ moves }) => moves),
      action === 'close' ? ['hold', 'void'] : ['hold', 'capture'],
      where,
    )
    assert.equal(sessionsOf(sale).length, TASKS[action] === 'visit' || action === 'close' ? 1 : 0, where)
    const back = stripe.refunds.filter(({ intent }) => intents.some(({ id }) => id === intent))
    assert.deepEqual(
      back.map(({ amount }) => amount),
      action === 'refund' || action === 'cancel' || action === 'release' ? [sale.total.amount] : [],
      where,
    )
  }
  await world.requireEqualBooks()

  /** Causes a state in which Stripe has captured a payment and the service has not recorded the capture. */
  async function leaveCaptured(sale: Sale): Promise<void> {
    stripe.fail('capture', 'after', 503)
    assert.equal((await sale.pay(CARD)).status, 503)
  }

  /** Opens the page of Stripe and pays there. */
  async function payOnPage(sale: Sale): Promise<void> {
    const { status, body, text } = await sale.pay()
    assert.deepEqual([status, body.payment?.nextAction?.type], [200, 'redirect'], text)
    stripe.payOnPage(sessionsOf(sale).at(-1)?.id ?? '')
  }

  /** Pays again. A customer who got no response does this. */
  async function payAgain(sale: Sale): Promise<void> {
    const { status, body } = await sale.pay(CARD)
    assert.ok(status === 200 || body.orderStatus === 'confirmed', JSON.stringify(body))
  }
}

const STEPS_OF_STRIPE = [
  'create',
  'retrieve',
  'confirm',
  'capture',
  'cancel',
  'refund',
  'listRefunds',
  'retrieveRefund',
  'listDisputes',
  'createSession',
  'retrieveSession',
  'expireSession',
] as const

type Move =
  /** An empty token is none, so that the customer pays on the page of Stripe. */
  | { do: 'pay'; token: string }
  | { do: 'refund'; amount: number }
  | { do: 'cancel' | 'record' | 'act' | 'hear' | 'forget' | 'visit' }
  | { do: 'finish'; seconds: number }
  | { do: 'fail'; step: (typeof STEPS_OF_STRIPE)[number]; when: 'before' | 'after'; trouble: Trouble }

const moves = fc.array(
  fc.oneof(
    fc.record({
      do: fc.constant('pay' as const),
      token: fc.constantFrom(CARD.token, '', '', 'pm_card_threeDSecure2Required', 'pm_card_visa_chargeDeclined'),
    }),
    fc.record({ do: fc.constant('refund' as const), amount: fc.integer({ min: 1, max: 900 }) }),
    fc.record({ do: fc.constantFrom('cancel' as const, 'record', 'act', 'hear', 'forget', 'visit', 'visit') }),
    fc.record({ do: fc.constant('finish' as const), seconds: fc.constantFrom(0, 61, 1000) }),
    fc.record({
      do: fc.constant('fail' as const),
      step: fc.constantFrom(...STEPS_OF_STRIPE),
      when: fc.constantFrom('before' as const, 'after' as const),
      trouble: fc.constantFrom<Trouble>(500, 503, 429, 409),
    }),
  ),
  { minLength: 4, maxLength: 12 },
)

/**
 * Makes random requests with random failures, then lets the jobs finish. Afterwards the money at Stripe must match the
 * records of the service.
 */
async function failEverywhere(world: StripeShop): Promise<void> {
  const { stripe, finish, sell } = world
  /** The pages to which the service has sent the customer, oldest first. */
  const pages = new Set<string>()
  await fc.assert(
    fc.asyncProperty(moves, async (list) => {
      const sale = await sell()
      for (const move of list) {
        await make(move, sale)
        requireOneCapture(sale)
      }
      stripe.recover()
      // A day later, Stripe has deleted the results that it stores for idempotency keys, and the service abandons
      // charges that need an action of the customer.
      stripe.forgetKeys()
      for (let rounds = 0; rounds < 3; rounds += 1) {
        await finish(24 * 3600)
        requireOneCapture(sale)
      }
      const sessions = stripe.sessions.filter(({ orderReference, url }) => orderReference === sale.id && pages.has(url))
      assert.ok(!sessions.some(({ status }) => status === 'open'))
      const { payment } = await sale.read()
      const intents = stripe.intents.filter(({ metadata }) => metadata['platen_order'] === sale.id)
      assert.ok(!intents.some(({ status }) => ['requires_capture', 'requires_action'].includes(status)))
      const taken = sum(intents.map(({ moves: made, amount }) => amount * count(made, 'capture')))
      const back = sum(stripe.refunds.filter(({ intent }) => intents.some(({ id }) => id === intent)).map(amountOf))
      const ours = payment.method === 'stripe' ? payment.capturedAmount.amount - payment.refundedAmount.amount : 0
      assert.equal(taken - back, ours)
      assert.ok(!payment.refunds.some(({ status }: { status: string }) => status === 'pending'))
    }),
    { numRuns: 15 },
  )
  await world.requireEqualBooks()

  /** Checks that at most one capture was not refunded. */
  function requireOneCapture(sale: Sale): void {
    const taken = stripe.intents.filter(({ id, amount, status, metadata }) => {
      const back = stripe.refunds.filter(({ intent }) => intent === id)
      return metadata['platen_order'] === sale.id && status === 'succeeded' && sum(back.map(amountOf)) < amount
    })
    assert.ok(taken.length <= 1, `${taken.length} captures of one order`)
  }

  async function make(move: Move, sale: Sale): Promise<void> {
    const open = stripe.intents.findLast(({ metadata }) => metadata['platen_order'] === sale.id)
    const { currency } = sale.total
    if (move.do === 'pay') {
      const { body } = await sale.pay(move.token === '' ? undefined : { token: move.token })
      pages.add(body.payment?.nextAction?.redirectUrl)
    } else if (move.do === 'visit') {
      // The customer finds the oldest page that is open, for example in another tab.
      const page = stripe.sessions.find(
        ({ status, url, orderReference }) => orderReference === sale.id && status === 'open' && pages.has(url),
      )
      if (page !== undefined) stripe.payOnPage(page.id)
    } else if (move.do === 'refund') await sale.refund({ amount: { amount: move.amount, currency } })
    else if (move.do === 'finish') await finish(move.seconds)
    else if (move.do === 'fail') stripe.fail(move.step, move.when, move.trouble)
    else if (move.do === 'forget') stripe.forgetKeys()
    else if (move.do === 'act') {
      if (open?.status === 'requires_action') stripe.authenticate(open.id)
    } else if (move.do === 'hear') {
      // If handling the event fails, its job runs again later, so the error is ignored.
      if (open !== undefined) await world.tell('payment_intent.succeeded', { id: open.id }).catch(() => undefined)
    } else await sale[move.do]()
  }
}

const amountOf = ({ amount }: { amount: number }) => amount
const count = (list: readonly string[], wanted: string) => list.filter((one) => one === wanted).length
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
