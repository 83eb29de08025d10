import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { connectStripe } from '../../src/orders/payments/providers/stripe/connection.ts'
import { STRIPE_KEY, STRIPE_WEBHOOK_SECRET, type StripeStep, type Trouble } from '../fakes/stripe/stripe.ts'
import { until } from '../lib/until.ts'
import { CARD, openStripeShop, type Sale } from './stripe-shop.ts'

/** How often the response must be lost, because Stripe's package retries once. */
const LOST_TWICE = 2

test('payments through Stripe', async (t) => {
  const world = await openStripeShop(t)
  const { stripe, shop, sell, sellPaid, finish, tell } = world
  const intentsOf = (sale: Sale) => stripe.intents.filter(({ metadata }) => metadata['platen_order'] === sale.id)
  const movesOf = (sale: Sale) => intentsOf(sale).flatMap(({ moves }) => moves)
  const stateOf = async (sale: Sale) => {
    const { status, payment } = await sale.read()
    return [status, payment.status]
  }

  await t.test('a card is authorized, then captured, and the order is confirmed', async () => {
    const sale = await sell()
    const { status, body } = await sale.pay(CARD)
    assert.deepEqual([status, body.status, body.payment.status], [200, 'confirmed', 'captured'])
    const [intent, ...others] = intentsOf(sale)
    assert.deepEqual([intent?.status, intent?.moves, others], ['succeeded', ['hold', 'capture'], []])
    assert.deepEqual([intent?.amount, intent?.currency], [sale.total.amount, 'eur'])
    assert.deepEqual([body.payment.method, body.payment.reference], ['stripe', intent?.id])
    assert.deepEqual(await sale.events(), ['order.created', 'payment.captured', 'order.confirmed'])
  })

  await t.test('between authorization and capture, a payment is authorized', async () => {
    const sale = await sell()
    const gate = stripe.hold('capture', 'before')
    const paying = sale.pay(CARD)
    await gate.reached
    assert.deepEqual(await stateOf(sale), ['awaiting_payment', 'authorized'])
    gate.open()
    assert.equal((await paying).status, 200)
  })

  await t.test(
    'a declined card leaves the order payable, and the response does not reveal that a card is reported as stolen',
    async () => {
      const sale = await sell()
      const poor = await sale.pay({ token: 'pm_card_visa_chargeDeclinedInsufficientFunds' })
      assert.deepEqual([poor.status, poor.body.code, poor.body.reason], [402, 'payment_declined', 'insufficient_funds'])
      const stolen = await sale.pay({ token: 'pm_card_visa_chargeDeclinedStolenCard' })
      assert.deepEqual([stolen.status, stolen.body.reason], [402, 'card_declined'])
      assert.doesNotMatch(stolen.text, /stolen/)
      assert.deepEqual(await stateOf(sale), ['awaiting_payment', 'failed'])
      assert.deepEqual(await sale.events(), ['order.created', 'payment.failed', 'payment.failed'])
      assert.equal((await sale.pay(CARD)).status, 200)
    },
  )

  await t.test('an invalid token of a payment method has another error than a failed payment', async () => {
    const sale = await sell()
    const asked = stripe.requests.length
    const malformed = await sale.pay({ token: '4242424242424242' })
    assert.deepEqual([malformed.status, malformed.body.code], [422, 'payment_token_unknown'])
    assert.equal(stripe.requests.length, asked)
    const unknown = await sale.pay({ token: 'pm_1234' })
    assert.deepEqual([unknown.status, unknown.body.code], [422, 'payment_token_unknown'])
    assert.equal(unknown.body.errors[0].pointer, '/token')
    assert.deepEqual(await stateOf(sale), ['awaiting_payment', 'pending'])
    assert.equal((await sale.pay(CARD)).status, 200)
  })

  await t.test('if any response of Stripe is lost, paying again charges the customer once', async () => {
    const silences: [StripeStep, 'before' | 'after', Trouble, number?][] = [
      ['create', 'before', 503],
      ['create', 'after', 503],
      ['confirm', 'before', 429],
      ['confirm', 'after', 503],
      ['confirm', 'after', 'lost', LOST_TWICE],
      ['capture', 'before', 409],
      ['capture', 'after', 503],
      // Stripe stores the result for a key even if it is an internal error of Stripe.
      ['confirm', 'before', 500],
      ['capture', 'before', 500],
    ]
    for (const silence of silences) {
      const sale = await sell()
      stripe.fail(...silence)
      const silent = await sale.pay(CARD)
      assert.deepEqual([silent.status, silent.body.code], [503, 'payment_unavailable'], silence.join(' '))
      assert.match(silent.headers.get('retry-after') ?? '', /^\d+$/)
      assert.equal((await sale.read()).status, 'awaiting_payment')
      const again = await sale.pay(CARD)
      assert.deepEqual([again.status, again.body.status], [200, 'confirmed'], silence.join(' '))
      assert.deepEqual(
        intentsOf(sale).map(({ moves }) => moves),
        [['hold', 'capture']],
        silence.join(' '),
      )
    }
    await world.requireEqualBooks()
  })

  await t.test('the job completes an interrupted charge, even after a day', async () => {
    const [held, taken] = [await sell(), await sell()]
    stripe.fail('capture', 'before', 503)
    assert.equal((await held.pay(CARD)).status, 503)
    stripe.fail('capture', 'after', 503)
    assert.equal((await taken.pay(CARD)).status, 503)
    stripe.forgetKeys()
    await finish(24 * 3600)
    for (const sale of [held, taken]) {
      assert.deepEqual(
        [await stateOf(sale), movesOf(sale)],
        [
          ['confirmed', 'captured'],
          ['hold', 'capture'],
        ],
      )
      assert.deepEqual(await sale.events(), ['order.created', 'payment.captured', 'order.confirmed'])
    }
  })

  await t.test('a charge that was not requested in time is not made without the customer', async () => {
    const [unnamed, unconfirmed] = [await sell(), await sell()]
    stripe.fail('create', 'after', 503)
    await unnamed.pay(CARD)
    stripe.fail('confirm', 'before', 503)
    await unconfirmed.pay(CARD)
    await finish(16 * 60)
    for (const sale of [unnamed, unconfirmed]) {
      assert.deepEqual([await stateOf(sale), movesOf(sale)], [['awaiting_payment', 'pending'], []])
      assert.equal((await sale.pay(CARD)).status, 200)
    }
  })

  await t.test('a rejected request, such as one with a revoked key, is reported as not charged', async () => {
    const sale = await sell()
    stripe.fail('confirm', 'before', 401)
    const refused = await sale.pay(CARD)
    assert.deepEqual([refused.status, refused.body.detail], [503, 'Nothing was charged. Repeat the request.'])
    assert.equal((await sale.pay(CARD)).status, 200)
    assert.deepEqual(movesOf(sale), ['hold', 'capture'])
  })

  await t.test('an authorization that cannot be captured is voided, and the order can be paid again', async () => {
    const sale = await sell()
    stripe.fail('capture', 'before', 503)
    await sale.pay(CARD)
    // After seven days, Stripe cancels an authorization.
    for (const intent of intentsOf(sale)) intent.status = 'canceled'
    assert.equal((await sale.pay(CARD)).status, 200)
    assert.deepEqual(await sale.events(), ['order.created', 'payment.failed', 'payment.captured', 'order.confirmed'])
    assert.match(JSON.stringify((await sale.read()).timeline), /payment\.authorization_lost/)
    const rows = await shop.db.selectFrom('events').select(['type', 'data']).where('subject', '=', sale.id).execute()
    const states = rows.map(({ type, data }) => [
      type,
      (data as unknown as { payment: { status: string } }).payment.status,
    ])
    assert.deepEqual(Object.fromEntries(states), {
      'order.created': 'pending',
      'payment.failed': 'failed',
      'payment.captured': 'captured',
      'order.confirmed': 'captured',
    })
  })

  await t.test('a request that Stripe will never accept is reported as declined, without a retry', async () => {
    const sale = await sell()
    await shop.db.updateTable('payments').set({ amount: 30 }).where('order_id', '=', sale.id).execute()
    const { status, body, headers } = await sale.pay(CARD)
    assert.deepEqual([status, body.code, body.reason], [402, 'payment_declined', 'not_accepted'])
    assert.equal(headers.get('retry-after'), null)
    assert.match(shop.service.logLines(), /amount_too_small/)
  })

  await t.test('a payment that was captured in part does not count as paid', async () => {
    const sale = await sell()
    await sale.pay({ token: 'pm_card_threeDSecure2Required' })
    const [intent] = intentsOf(sale)
    assert.ok(intent !== undefined)
    Object.assign(intent, { status: 'succeeded', moves: ['hold', 'capture'], received: intent.amount - 1 })
    assert.equal((await sale.pay()).body.code, 'payment_unavailable')
    await finish(61)
    assert.deepEqual(await stateOf(sale), ['awaiting_payment', 'pending'])
    assert.match(shop.service.logLines(), /captured only a part of a payment/)
    delete intent.received
    await finish(61)
    assert.deepEqual(await stateOf(sale), ['confirmed', 'captured'])
  })

  await t.test('a request to a provider that hangs times out, and a retry is for the same charge', async () => {
    const { provider } = shop.deps
    const settings = { secretKey: STRIPE_KEY, webhookSecret: STRIPE_WEBHOOK_SECRET, apiUrl: stripe.url }
    const { provider: impatient } = await connectStripe(settings, {
      ...shop.deps,
      shopUrl: shop.service.config.shopUrl,
      timeoutMs: 1_500,
    })
    try {
      for (const step of ['confirm', 'capture'] as const) {
        for (const when of ['before', 'after'] as const) {
          const sale = await sell()
          stripe.fail(step, when, 'hang')
          Object.assign(shop.deps, { provider: impatient })
          assert.equal((await sale.pay(CARD)).body.code, 'payment_unavailable', `${step} ${when}`)
          Object.assign(shop.deps, { provider })
          assert.equal((await sale.pay(CARD)).body.status, 'confirmed', `${step} ${when}`)
          assert.deepEqual(movesOf(sale), ['hold', 'capture'], `${step} ${when}`)
        }
      }
    } finally {
      Object.assign(shop.deps, { provider })
    }
  })

  await t.test(
    'only one run of the job at a time calls Stripe, and a service that stops does not wait for the run',
    async () => {
      const sales = [await sell(), await sell()]
      for (const sale of sales) {
        stripe.fail('capture', 'before', 503)
        await sale.pay(CARD)
      }
      const gate = stripe.hold('retrieve', 'before')
      const stopping = new AbortController()
      const first = world.finish(61, stopping.signal)
      await gate.reached
      const asked = stripe.requests.length
      await finish()
      assert.equal(stripe.requests.length, asked)
      stopping.abort(new Error('stopped'))
      await assert.rejects(first, /stopped/)
      gate.open()
      for (const sale of sales) while ((await sale.read()).status !== 'confirmed');
    },
  )

  await t.test('only the customer pays, not even operators can', async () => {
    const sale = await sell()
    const foreign = await shop.request('POST', `${sale.path}/pay`, { token: world.operator, body: CARD })
    assert.deepEqual([foreign.status, foreign.body.code], [404, 'order_not_found'])
    assert.deepEqual(intentsOf(sale), [])
  })

  await t.test('no log line holds a secret of Stripe', () => {
    const lines = shop.service.logLines()
    assert.match(lines, /Stripe/)
    for (const secret of ['_secret_', 'sk_test_', 'whsec_']) assert.ok(!lines.includes(secret), secret)
  })

  await t.test('the service and Stripe agree', () => world.requireEqualBooks())

  await t.test(
    'a payment of a removed provider blocks no action, and is refunded once the provider is back',
    async () => {
      const [cancelled, recorded] = [await sell(), await sell()]
      for (const sale of [cancelled, recorded]) {
        stripe.fail('capture', 'after', 503)
        await sale.pay(CARD)
      }
      const { provider, formerProviders } = shop.deps
      Object.assign(shop.deps, { provider: undefined, formerProviders: [] })
      await finish(61)
      assert.equal((await cancelled.cancel()).status, 200)
      assert.equal((await recorded.record()).status, 200)
      assert.match(JSON.stringify((await recorded.read()).timeline), /payment\.given_up.+pi_\w+ through stripe/)
      Object.assign(shop.deps, { provider, formerProviders })
      await finish(61)
      await finish(61)
      for (const sale of [cancelled, recorded]) {
        const [intent] = intentsOf(sale)
        const back = stripe.refunds.filter((refund) => refund.intent === intent?.id)
        assert.deepEqual(
          back.map(({ amount }) => amount),
          [sale.total.amount],
        )
      }
      assert.deepEqual(await stateOf(cancelled), ['cancelled', 'authorized'])
      assert.deepEqual(await stateOf(recorded), ['confirmed', 'captured'])
    },
  )

  await t.test(
    'with a provider that is no longer enabled for payments, the service makes no further charges',
    async () => {
      const sale = await sell()
      stripe.fail('capture', 'before', 503)
      await sale.pay(CARD)
      const { provider, formerProviders } = shop.deps
      Object.assign(shop.deps, { provider: undefined, formerProviders: [provider] })
      await finish(61)
      Object.assign(shop.deps, { provider, formerProviders })
      assert.deepEqual(
        [await stateOf(sale), movesOf(sale)],
        [
          ['awaiting_payment', 'authorized'],
          ['hold', 'void'],
        ],
      )
      assert.equal((await sale.pay(CARD)).status, 200)
    },
  )

  await t.test('refunds go back to the card, in parts and whole', async () => {
    const sale = await sellPaid()
    const { amount, currency } = sale.total
    const part = await sale.refund({ amount: { amount: 100, currency }, reason: 'A scratch' })
    assert.deepEqual([part.status, part.body.status], [201, 'succeeded'])
    assert.deepEqual(await stateOf(sale), ['confirmed', 'partially_refunded'])
    const rest = await sale.refund()
    assert.deepEqual([rest.status, rest.body.amount.amount], [201, amount - 100])
    assert.deepEqual(await stateOf(sale), ['confirmed', 'refunded'])
    assert.deepEqual((await sale.events()).slice(3), ['payment.refunded', 'payment.refunded'])
    await world.requireEqualBooks()
  })

  await t.test(
    'a refund to which Stripe did not respond is pending, reserves its amount once, and is made once',
    async () => {
      for (const when of ['before', 'after'] as const) {
        const sale = await sellPaid()
        stripe.fail('refund', when, 503)
        const key = { 'idempotency-key': `refund-${sale.id}` }
        const asked = await sale.refund({ reason: 'Late' }, key)
        assert.deepEqual([asked.status, asked.body.status], [201, 'pending'], when)
        assert.deepEqual(await stateOf(sale), ['confirmed', 'captured'])
        assert.equal((await sale.refund()).body.code, 'order_action_refused')
        const repeated = await sale.refund({ reason: 'Late' }, key)
        assert.deepEqual([repeated.status, repeated.body], [201, asked.body])
        // By then, Stripe has deleted the key, so the service first requests the existing refunds.
        stripe.forgetKeys()
        await finish(61)
        assert.deepEqual(await stateOf(sale), ['confirmed', 'refunded'])
        assert.deepEqual((await sale.events()).slice(3), ['payment.refunded'])
        await finish(61)
        assert.equal(stripe.refunds.filter(({ intent }) => intent === intentsOf(sale)[0]?.id).length, 1, when)
      }
      await world.requireEqualBooks()
    },
  )

  await t.test('a repeated refund returns the result of the first, with its final status', async () => {
    const sale = await sellPaid()
    const key = { 'idempotency-key': `again-${sale.id}` }
    const first = await sale.refund({}, key)
    const second = await sale.refund({}, key)
    assert.deepEqual([second.status, second.body, second.headers.get('idempotent-replayed')], [201, first.body, 'true'])
    assert.equal(first.body.status, 'succeeded')
  })

  await t.test('a refund that Stripe rejects refunds nothing and releases its amount', async () => {
    const sale = await sellPaid()
    const [intent] = intentsOf(sale)
    const made = stripe.refundInDashboard(intent?.id ?? '', sale.total.amount)
    const key = { 'idempotency-key': `refused-${sale.id}` }
    const refused = await sale.refund({}, key)
    assert.deepEqual(
      [refused.status, refused.body.code, refused.body.failure],
      [409, 'refund_refused', 'charge_already_refunded'],
    )
    assert.deepEqual(await stateOf(sale), ['confirmed', 'captured'])
    // A repeated request is a new request, and does not return the result of the planned refund.
    assert.equal((await sale.refund({}, key)).body.code, 'refund_refused')
    await tell('charge.refunded', { object: 'charge', id: 'ch_1', payment_intent: intent?.id })
    await tell('refund.updated', { object: 'refund', id: made.id, payment_intent: intent?.id })
    const { payment } = await sale.read()
    assert.deepEqual([payment.status, payment.refundedAmount], ['refunded', sale.total])
    assert.deepEqual(
      payment.refunds.map(({ status }: { status: string }) => status),
      ['failed', 'failed', 'succeeded'],
    )
    await world.requireEqualBooks()
  })

  await t.test('a refund that takes the bank several days counts when it has succeeded', async () => {
    const sale = await sell()
    assert.equal((await sale.pay({ token: 'pm_card_pendingRefund' })).status, 200)
    assert.equal((await sale.refund()).body.status, 'pending')
    await finish(61)
    assert.deepEqual(await stateOf(sale), ['confirmed', 'captured'])
    const [intent] = intentsOf(sale)
    const theirs = stripe.refunds.find((refund) => refund.intent === intent?.id)
    assert.ok(theirs !== undefined)
    theirs.status = 'failed'
    await tell('refund.failed', { object: 'refund', id: theirs.id, payment_intent: intent?.id })
    assert.deepEqual(
      (await sale.read()).payment.refunds.map(({ status }: { status: string }) => status),
      ['failed'],
    )
    assert.equal((await sale.refund()).body.status, 'pending')
    for (const refund of stripe.refunds) if (refund.status === 'pending') refund.status = 'succeeded'
    await finish(61)
    assert.deepEqual(await stateOf(sale), ['confirmed', 'refunded'])
    await world.requireEqualBooks()
  })

  await t.test('a refund that Stripe does not report stays pending', async () => {
    const sale = await sell()
    await sale.pay({ token: 'pm_card_pendingRefund' })
    await sale.refund()
    const theirs = stripe.refunds.at(-1)
    assert.ok(theirs !== undefined)
    // These errors occur if the service uses the API key of another Stripe account.
    for (const trouble of [404, 400] as const) {
      stripe.fail('retrieveRefund', 'before', trouble)
      await finish(61)
      assert.deepEqual((await sale.read()).payment.refunds[0].status, 'pending')
    }
    assert.equal((await sale.refund()).body.code, 'order_action_refused')
    theirs.status = 'failed'
    await finish(61)
    assert.equal((await sale.read()).payment.refunds[0].status, 'failed')
    // Whatever caused the errors, the money has been refunded.
    theirs.status = 'succeeded'
    const event = { object: 'refund', id: theirs.id, payment_intent: theirs.intent }
    await tell('refund.updated', event)
    await tell('refund.updated', event)
    assert.deepEqual(await stateOf(sale), ['confirmed', 'refunded'])
    assert.equal((await sale.events()).filter((type) => type === 'payment.refunded').length, 1)
    await world.requireEqualBooks()
  })

  await t.test(
    'a refund in the dashboard during a refund by the service counts after the refund by the service has failed',
    async () => {
      const sale = await sellPaid()
      stripe.fail('refund', 'before', 503)
      assert.equal((await sale.refund()).body.status, 'pending')
      const made = stripe.refundInDashboard(intentsOf(sale)[0]?.id ?? '', sale.total.amount)
      await tell('refund.created', { object: 'refund', id: made.id, payment_intent: made.intent })
      assert.deepEqual(await stateOf(sale), ['confirmed', 'captured'])
      // Stripe rejects the refund of the service, so the service looks for other refunds.
      await finish(61)
      await world.check()
      assert.deepEqual(await stateOf(sale), ['confirmed', 'refunded'])
      await world.requireEqualBooks()
    },
  )

  await t.test('a cancellation refunds the payment, even if Stripe is unavailable at first', async () => {
    const [soon, later] = [await sellPaid(), await sellPaid()]
    const { status, body } = await soon.cancel()
    assert.deepEqual([status, body.status, body.payment.status], [200, 'cancelled', 'refunded'])
    stripe.fail('refund', 'before', 503)
    const silent = await later.cancel()
    assert.deepEqual([silent.status, silent.body.status, silent.body.payment.status], [200, 'cancelled', 'captured'])
    await finish(61)
    assert.deepEqual(await stateOf(later), ['cancelled', 'refunded'])
    for (const sale of [soon, later]) {
      assert.deepEqual((await sale.events()).slice(3), ['order.cancelled', 'payment.refunded'])
    }
    await world.requireEqualBooks()
  })

  await t.test('no transaction is open during a request to Stripe', async () => {
    const sale = await sell()
    for (const step of ['create', 'confirm', 'capture', 'refund'] as const) {
      const gate = stripe.hold(step, 'before')
      const asking = step === 'refund' ? sale.refund() : step === 'create' ? sale.pay(CARD) : undefined
      if (asking !== undefined) asking.catch(() => undefined)
      await gate.reached
      // A job that looks for work has a transaction for a moment.
      await until(`no open transaction during ${step}`, async () => {
        const { rows } = await sql`
          select from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`.execute(
          shop.db,
        )
        return rows.length === 0
      })
      const free = shop.db.selectFrom('orders').select('id').where('id', '=', sale.id).forUpdate().noWait()
      assert.equal((await free.execute()).length, 1, step)
      gate.open()
      if (step === 'capture') while ((await sale.read()).status !== 'confirmed');
    }
  })
})
