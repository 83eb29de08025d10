import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import { type Person, type Shop, startShop } from '../../src/orders/factory.ts'
import { orderJobs } from '../../src/orders/jobs.ts'
import { type FakeStripe, type StripeStep, startStripe } from '../fakes/stripe/stripe.ts'
import type { TestResponse } from '../harness.ts'

export interface Sale {
  id: string
  buyer: Person
  path: string
  total: { amount: number; currency: string }
  pay(body?: object, headers?: Record<string, string>): Promise<TestResponse>
  cancel(): Promise<TestResponse>
  /** Refunds the payment as an operator. */
  refund(body?: object, headers?: Record<string, string>): Promise<TestResponse>
  record(): Promise<TestResponse>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into orders of every shape
  read(): Promise<any>
  events(): Promise<string[]>
}

export interface StripeShop {
  stripe: FakeStripe
  shop: Shop
  operator: string
  /**
   * Sells to a new customer, because payment attempts of one account that take no money are counted together.
   *
   * @param earlier a sale to the same customer
   */
  sell(earlier?: Sale): Promise<Sale>
  /** Creates an order that the customer has paid with a card. */
  sellPaid(): Promise<Sale>
  /** Runs the job that finishes interrupted payments, after the given number of seconds. */
  finish(laterSeconds?: number, signal?: AbortSignal): Promise<void>
  /** Sends an event of Stripe to the service, and runs the jobs that the event causes. */
  tell(type: string, object: object): Promise<void>
  /** Runs the daily job that checks open disputes, and the checks that it causes. */
  checkDisputes(): Promise<void>
  /** Runs the checks of charges that are pending. */
  check(): Promise<void>
  /** Sends requests while the row of the order is locked. Releases the lock when all requests wait for it. */
  overlapping(sale: Sale, requests: (() => Promise<TestResponse>)[]): Promise<TestResponse[]>
  /**
   * Makes requests that meet at the order, of which only one may reach this step at Stripe. It waits there until the
   * others have their responses, because a request that begins after the payment has a different one.
   */
  overlappingAt(step: StripeStep, sale: Sale, requests: (() => Promise<TestResponse>)[]): Promise<TestResponse[]>
  /** Checks that the amounts in the service match those at Stripe, and that no more was refunded than captured. */
  requireEqualBooks(): Promise<void>
}

export const CARD = { token: 'pm_card_visa' }

export async function openStripeShop(t: TestContext): Promise<StripeShop> {
  const stripe = await startStripe(t)
  const shop = await startShop(t, undefined, { env: stripe.env })
  stripe.useClock(shop.service.clock)
  const { token: operator } = await shop.signUpKey('operator', ['read', 'write'])
  const jobs = orderJobs(shop.deps)
  const run = async (name: string, payload: unknown, signal?: AbortSignal) =>
    jobs.find((job) => job.name === name)?.handle(payload, signal && { isLast: false, signal })
  const check = async () => {
    for (const payload of await takeJobs(shop, 'orders.check_charge')) await run('orders.check_charge', payload)
  }

  const sell = async (earlier?: Sale): Promise<Sale> => {
    const buyer = earlier?.buyer ?? (await shop.signUpKey('customer', ['read', 'write']))
    const { token } = buyer
    const { order } = await shop.order({ person: buyer })
    const path = `/orders/${order.id}`
    const post = (as: string, action: string, body?: object, headers = {}) =>
      shop.request('POST', `${path}/${action}`, { token: as, body, headers })
    return {
      id: order.id,
      buyer,
      path,
      total: order.amounts.total,
      pay: (body, headers) => post(token, 'pay', body, headers),
      cancel: () => post(token, 'cancel'),
      refund: (body, headers) => post(operator, 'refunds', body, headers),
      record: () => post(operator, 'payments', { method: 'manual' }),
      read: async () => (await shop.request('GET', path, { token })).body,
      events: async () => {
        const rows = await shop.db
          .selectFrom('events')
          .select('type')
          .where('subject', '=', order.id)
          .orderBy('sequence')
          .execute()
        return rows.map(({ type }) => type)
      },
    }
  }
  const meet = (sale: Sale, requests: (() => Promise<TestResponse>)[]): Promise<Promise<TestResponse>[]> =>
    shop.db.transaction().execute(async (trx) => {
      await trx.selectFrom('orders').select('id').where('id', '=', sale.id).forUpdate().execute()
      const answers = requests.map((request) => request())
      await shop.service.untilBlocked(requests.length)
      return answers
    })

  return {
    stripe,
    shop,
    operator,
    sell,
    sellPaid: async () => {
      const sale = await sell()
      const paid = await sale.pay(CARD)
      assert.equal(paid.status, 200, paid.text)
      return sale
    },
    finish: async (laterSeconds = 0, signal) => {
      shop.service.clock.shift(laterSeconds)
      await run('orders.finish_payments', {}, signal)
    },
    tell: async (type, object) => {
      const at = shop.service.clock.now()
      const { body, headers } = stripe.event(type, object, { at })
      const answer = await shop.request('POST', '/payments/stripe/webhook', { body, headers })
      assert.deepEqual([answer.status, answer.body], [200, { received: true }])
      await check()
    },
    checkDisputes: async () => {
      await run('orders.check_disputes', {})
      await check()
    },
    check,
    overlapping: async (sale, requests) => Promise.all(await meet(sale, requests)),
    overlappingAt: async (step, sale, requests) => {
      const gate = stripe.hold(step, 'before')
      let left = requests.length - 1
      const answered = (answer: TestResponse) => {
        left -= 1
        if (left === 0) gate.open()
        return answer
      }
      const answers = await meet(sale, requests)
      return Promise.all(answers.map((answer) => answer.then(answered)))
    },
    requireEqualBooks: async () => {
      const { rows } = await sql<{ captured: number; refunded: number; refunding: number }>`
        select coalesce(sum(captured_amount), 0)::int as captured, coalesce(sum(refunded_amount), 0)::int as refunded,
          coalesce(sum(refunding_amount), 0)::int as refunding
        from payments where method = 'stripe'`.execute(shop.db)
      const [ours] = rows
      assert.ok(ours !== undefined)
      const { captured, refunded } = stripe.ledger()
      assert.ok(ours.captured >= ours.refunded + ours.refunding)
      assert.equal(ours.captured - ours.refunded, captured - refunded)
      for (const { id, moves } of stripe.intents) {
        assert.ok(moves.filter((move) => move === 'capture').length <= 1, `${id} was captured twice`)
      }
    },
  }
}

async function takeJobs({ db }: Shop, name: string): Promise<unknown[]> {
  const { rows } = await sql<{ payload: unknown }>`
    delete from graphile_worker._private_jobs j using graphile_worker._private_tasks t
    where t.id = j.task_id and t.identifier = ${name} returning j.payload`.execute(db)
  return rows.map(({ payload }) => payload)
}
