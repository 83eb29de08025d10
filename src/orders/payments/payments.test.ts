import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startShop } from '../factory.ts'
import { orderJobs } from '../jobs.ts'
import type { ChargeOutcome, PaymentProvider } from './provider.ts'

async function startWithOrder(t: TestContext, provider?: PaymentProvider | null) {
  const shop = await startShop(t, ...(provider === undefined ? [] : [provider]))
  const { token, order } = await shop.order()
  const operator = (await shop.signUp('operator')).token
  const path = `/orders/${order.id}`
  const pay = (body?: object, headers = {}) => shop.request('POST', `${path}/pay`, { token, body, headers })
  const read = async () => (await shop.request('GET', path, { token })).body
  return { shop, order, token, operator, path, pay, read }
}

/** A provider whose answers the test gives, and which counts what it was asked to charge. */
function slowProvider() {
  const asked: string[] = []
  const waiting: ((answer: ChargeOutcome | Error) => void)[] = []
  const provider: PaymentProvider = {
    name: 'slow',
    knowsToken: () => true,
    charge: ({ attemptId }) => {
      asked.push(attemptId)
      return new Promise((resolve, reject) => {
        // A charge that no test expects must not keep the service from closing.
        const timer = setTimeout(() => reject(new Error('nobody answered')), 10_000)
        waiting.push((answer) => {
          clearTimeout(timer)
          if (answer instanceof Error) reject(answer)
          else resolve(answer)
        })
      })
    },
  }
  const untilAsked = async (times: number) => {
    while (waiting.length < times) await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const answer = async (index: number, outcome: ChargeOutcome | Error) => {
    await untilAsked(index + 1)
    waiting[index]?.(outcome)
  }
  return { provider, asked, untilAsked, answer }
}

const paid: ChargeOutcome = { status: 'captured', reference: 'r-1' }

test('a charge that succeeds confirms the order', async (t) => {
  const { pay, order } = await startWithOrder(t)
  const { status, body } = await pay({ token: 'test_ok' })
  assert.deepEqual(
    [status, body.status, body.payment.status, body.payment.method],
    [200, 'confirmed', 'captured', 'test'],
  )
  assert.deepEqual(body.payment.capturedAmount, order.amounts.total)
  const again = await pay({ token: 'test_ok' })
  assert.deepEqual([again.status, again.body.code, again.body.orderStatus], [409, 'order_action_refused', 'confirmed'])
})

test('a charge that is declined or not answered leaves the order payable', async (t) => {
  const { pay, read } = await startWithOrder(t)
  const declined = await pay({ token: 'test_declined' })
  assert.deepEqual([declined.status, declined.body.code], [402, 'payment_declined'])
  assert.deepEqual([(await read()).status, (await read()).payment.status], ['awaiting_payment', 'failed'])
  const silent = await pay({ token: 'test_timeout' })
  assert.deepEqual([silent.status, silent.body.code], [503, 'payment_unavailable'])
  assert.match(silent.headers.get('retry-after') ?? '', /^\d+$/)
  assert.equal((await read()).payment.status, 'pending')
  assert.equal((await pay({ token: 'test_ok' })).status, 200)
})

test('a token that is missing or unknown begins nothing', async (t) => {
  const { shop, pay } = await startWithOrder(t)
  const missing = await pay()
  assert.deepEqual([missing.status, missing.body.code], [422, 'payment_token_required'])
  const unknown = await pay({ token: 'constructor' })
  assert.deepEqual([unknown.status, unknown.body.code], [422, 'payment_token_unknown'])
  assert.deepEqual(await shop.db.selectFrom('payment_attempts').selectAll().execute(), [])
})

test('where the shop takes no payments online, paying is refused and said to be', async (t) => {
  const { pay, order } = await startWithOrder(t, null)
  const refused = await pay({ token: 'test_ok' })
  assert.deepEqual([refused.status, refused.body.code], [409, 'order_action_refused'])
  const [action] = order.availableActions
  assert.deepEqual([action.action, action.allowed, action.reason], ['pay', false, refused.body.detail])
})

test('a repeated payment with the same key is answered, not charged again', async (t) => {
  const { shop, pay } = await startWithOrder(t)
  const first = await pay({ token: 'test_ok' }, { 'idempotency-key': 'pay-1' })
  const second = await pay({ token: 'test_ok' }, { 'idempotency-key': 'pay-1' })
  assert.deepEqual([second.status, second.body], [200, first.body])
  assert.equal(second.headers.get('idempotent-replayed'), 'true')
  const other = await pay({ token: 'test_declined' }, { 'idempotency-key': 'pay-1' })
  assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused'])
  assert.equal((await shop.db.selectFrom('payment_attempts').selectAll().execute()).length, 1)
})

test('while a charge is under way nobody else pays, records a payment or cancels', async (t) => {
  const { provider, asked, untilAsked, answer } = slowProvider()
  const { shop, pay, path, token, operator } = await startWithOrder(t, provider)
  const first = pay({ token: 'any' })
  await untilAsked(1)
  const others = [
    await pay({ token: 'any' }),
    await shop.request('POST', `${path}/cancel`, { token }),
    await shop.request('POST', `${path}/payments`, { token: operator, body: { method: 'manual' } }),
  ]
  for (const { status, body } of others) assert.deepEqual([status, body.code], [409, 'payment_in_progress'])
  await answer(0, paid)
  assert.equal((await first).status, 200)
  assert.equal(asked.length, 1)
})

test('no transaction is open while the provider is asked', async (t) => {
  const { provider, untilAsked, answer } = slowProvider()
  const { shop, pay, order } = await startWithOrder(t, provider)
  const pending = pay({ token: 'any' })
  await untilAsked(1)
  const free = shop.db.selectFrom('orders').select('id').where('id', '=', order.id).forUpdate().noWait()
  assert.equal((await free.execute()).length, 1)
  await answer(0, paid)
  await pending
})

test('a charge whose outcome is not known is asked for again under the same id, before another is begun', async (t) => {
  const { provider, asked, answer } = slowProvider()
  const { shop, pay, read } = await startWithOrder(t, provider)
  const lost = pay({ token: 'first' })
  await answer(0, new Error('connection lost'))
  assert.deepEqual([(await lost).status, (await read()).status], [503, 'awaiting_payment'])
  assert.equal((await pay({ token: 'second' })).body.code, 'payment_in_progress')
  shop.service.clock.shift(61)
  const retried = pay({ token: 'second' })
  await answer(1, paid)
  const { status, body } = await retried
  assert.deepEqual([status, body.status], [200, 'confirmed'])
  assert.equal(asked[0], asked[1])
  assert.equal(asked.length, 2)
})

test('what a killed process left is finished by the job, once', async (t) => {
  const { provider, asked, answer } = slowProvider()
  const { shop, pay, read } = await startWithOrder(t, provider)
  const lost = pay({ token: 'any' })
  await answer(0, new Error('killed'))
  await lost
  const job = orderJobs(shop.deps).find(({ name }) => name === 'finish-left-payments')
  await job?.handle({})
  assert.equal(asked.length, 1)
  shop.service.clock.shift(61)
  const finishing = job?.handle({})
  await answer(1, paid)
  await finishing
  assert.deepEqual([(await read()).status, asked[0] === asked[1]], ['confirmed', true])
  await job?.handle({})
  assert.equal(asked.length, 2)
})

test('an answer that comes after another process has settled the charge counts once', async (t) => {
  const { provider, untilAsked, answer } = slowProvider()
  const { shop, pay, read } = await startWithOrder(t, provider)
  const slow = pay({ token: 'any' })
  await untilAsked(1)
  shop.service.clock.shift(61)
  const job = orderJobs(shop.deps).find(({ name }) => name === 'finish-left-payments')
  const finishing = job?.handle({})
  await answer(1, paid)
  await finishing
  const settled = await read()
  await answer(0, paid)
  assert.deepEqual([(await slow).status, (await read()).timeline], [200, settled.timeline])
})

test('a recorded payment is the whole total, once', async (t) => {
  const { shop, order, path, operator, token } = await startWithOrder(t)
  const record = (body: object) => shop.request('POST', `${path}/payments`, { token: operator, body })
  const { amount, currency } = order.amounts.total
  for (const wrong of [
    { amount: amount - 1, currency },
    { amount, currency: 'USD' },
  ]) {
    const refused = await record({ method: 'manual', amount: wrong })
    assert.deepEqual([refused.status, refused.body.code], [422, 'payment_amount_mismatch'])
  }
  assert.equal((await record({ method: 'cash' })).status, 400)
  const recorded = await record({ method: 'manual', reference: 'Statement 7', amount: order.amounts.total })
  assert.equal(recorded.status, 200)
  const { payment } = (await shop.request('GET', path, { token })).body
  assert.deepEqual([payment.method, payment.reference, payment.status], ['manual', 'Statement 7', 'captured'])
  assert.equal((await record({ method: 'manual' })).body.code, 'order_action_refused')
})

test('refunds add up to what was paid and no further', async (t) => {
  const { shop, order, path, operator, read } = await startWithOrder(t)
  await shop.request('POST', `${path}/payments`, { token: operator, body: { method: 'manual' } })
  const refund = (body?: object) => shop.request('POST', `${path}/refunds`, { token: operator, body })
  const { amount, currency } = order.amounts.total
  const part = await refund({ amount: { amount: 100, currency }, reason: 'A scratch' })
  assert.equal(part.status, 201)
  assert.deepEqual(Object.keys(part.body).sort(), ['amount', 'createdAt', 'id', 'reason'])
  assert.deepEqual([part.body.amount, part.body.reason], [{ amount: 100, currency }, 'A scratch'])
  assert.equal((await read()).payment.status, 'partially_refunded')
  for (const wrong of [
    { amount: amount - 99, currency },
    { amount: 1, currency: 'USD' },
  ]) {
    const refused = await refund({ amount: wrong })
    assert.deepEqual([refused.status, refused.body.code], [422, 'refund_too_large'])
    assert.deepEqual(refused.body.refundable, { amount: amount - 100, currency })
  }
  assert.equal((await refund({ amount: { amount: 0, currency } })).status, 400)
  const rest = await refund()
  assert.deepEqual([rest.status, rest.body.amount.amount], [201, amount - 100])
  const { payment } = await read()
  assert.deepEqual([payment.status, payment.refundedAmount], ['refunded', order.amounts.total])
  assert.deepEqual(payment.refunds, [part.body, rest.body])
  assert.equal((await refund()).body.code, 'order_action_refused')
})
