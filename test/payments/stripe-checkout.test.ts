import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { connectStripe } from '../../src/orders/payments/providers/stripe/connection.ts'
import { addSeconds } from '../../src/platform/clock.ts'
import { STRIPE_KEY, STRIPE_WEBHOOK_SECRET } from '../fakes/stripe/stripe.ts'
import type { Session } from '../fakes/stripe/stripe-checkout.ts'
import { CARD, openStripeShop, type Sale } from './stripe-shop.ts'

test('payments on the page of Stripe', async (t) => {
  const world = await openStripeShop(t)
  const { stripe, shop, sell, finish, tell, overlappingAt } = world
  const sessionsOf = (sale: Sale) => stripe.sessions.filter(({ orderReference }) => orderReference === sale.id)
  const intentsOf = (sale: Sale) => stripe.intents.filter(({ metadata }) => metadata['platen_order'] === sale.id)
  const movesOf = (sale: Sale) => intentsOf(sale).flatMap(({ moves }) => moves)
  const stateOf = async (sale: Sale) => {
    const { status, payment } = await sale.read()
    return [status, payment.status]
  }
  const about = ({ id, metadata, intent }: Session) => ({
    ...{ object: 'checkout.session', id, metadata, payment_intent: intent?.id ?? null },
  })
  /** Opens the page of Stripe for an order. */
  const open = async (sale: Sale, headers?: Record<string, string>): Promise<Session> => {
    const { status, body, text } = await sale.pay(undefined, headers)
    assert.equal(status, 200, text)
    const session = sessionsOf(sale).at(-1)
    assert.ok(session !== undefined)
    assert.deepEqual(
      [body.status, body.payment.nextAction],
      ['awaiting_payment', { type: 'redirect', redirectUrl: session.url }],
    )
    return session
  }
  const EVENTS = ['order.created', 'payment.captured', 'order.confirmed']

  await t.test(
    'without a token, the customer pays the total on the page of Stripe, and the order is confirmed',
    async () => {
      const sale = await sell()
      const session = await open(sale)
      const { number } = await sale.read()
      assert.deepEqual([session.amount, session.currency], [sale.total.amount, 'eur'])
      assert.match(session.name, new RegExp(number))
      const page = `${shop.service.config.shopUrl}/orders/${sale.id}`
      assert.deepEqual([session.successUrl, session.cancelUrl], [`${page}?payment=returned`, `${page}?payment=left`])
      assert.equal(session.metadata['platen_order'], sale.id)
      assert.match(session.email ?? '', /@/)
      stripe.payOnPage(session.id)
      await tell('checkout.session.completed', about(session))
      assert.deepEqual(await stateOf(sale), ['confirmed', 'captured'])
      assert.deepEqual([movesOf(sale), await sale.events()], [['hold', 'capture'], EVENTS])
      // The reference of the payment is the id that refunds and the dashboard of Stripe need.
      assert.equal((await sale.read()).payment.reference, session.intent?.id)
      assert.equal((await sale.refund()).body.status, 'succeeded')
      await world.requireEqualBooks()
    },
  )

  // Stripe limits the requests of all customers of a shop together.
  await t.test('an account continues payments sixty times in ten minutes, and others are not affected', async () => {
    const sale = await sell()
    await open(sale)
    for (let count = 1; count <= 60; count += 1) assert.equal((await sale.pay()).status, 200, `request ${count}`)
    const before = stripe.requests.length
    const refused = await sale.pay()
    assert.deepEqual([refused.status, refused.body.code], [429, 'rate_limited'])
    assert.ok(Number(refused.headers.get('retry-after')) > 500)
    assert.equal(stripe.requests.length, before)
    const other = await sell()
    await open(other)
    assert.equal((await other.pay()).status, 200)
    shop.service.clock.shift(601)
    assert.equal((await sale.pay()).status, 200)
  })

  await t.test('events in any order and number confirm the order once', async () => {
    const orders = [
      ['checkout.session.completed', 'payment_intent.amount_capturable_updated', 'payment_intent.succeeded'],
      ['payment_intent.succeeded', 'payment_intent.amount_capturable_updated', 'checkout.session.completed'],
      ['checkout.session.expired', 'payment_intent.created', 'checkout.session.async_payment_succeeded'],
    ]
    for (const types of orders) {
      const sale = await sell()
      const session = await open(sale)
      const { id, metadata } = stripe.payOnPage(session.id)
      for (const type of [...types, ...types]) {
        const isSession = type.startsWith('checkout')
        await tell(type, isSession ? about(session) : { object: 'payment_intent', id, metadata })
      }
      assert.deepEqual(
        [await stateOf(sale), movesOf(sale)],
        [
          ['confirmed', 'captured'],
          ['hold', 'capture'],
        ],
      )
      assert.deepEqual(await sale.events(), EVENTS)
    }
  })

  await t.test('if no event arrives, the job or the next request detects the payment', async () => {
    const [left, back] = [await sell(), await sell()]
    for (const sale of [left, back]) stripe.payOnPage((await open(sale)).id)
    const { status, body } = await back.pay()
    assert.deepEqual([status, body.status], [200, 'confirmed'])
    await finish(61)
    for (const sale of [left, back]) assert.deepEqual(await sale.events(), EVENTS)
  })

  await t.test('while a page is open, further requests lead to the same page', async () => {
    const sale = await sell()
    const key = { 'idempotency-key': `page-${sale.id}` }
    const session = await open(sale, key)
    for (const headers of [key, undefined, { 'idempotency-key': `tab-${sale.id}` }]) {
      assert.equal(await open(sale, headers), session)
    }
    // A decline on the page leaves it open.
    stripe.payOnPage(session.id, 'pm_card_visa_chargeDeclined')
    await tell('payment_intent.payment_failed', { object: 'payment_intent', ...session.intent })
    assert.equal(await open(sale), session)
    assert.deepEqual(sessionsOf(sale), [session])
  })

  await t.test('two concurrent requests open one page', async () => {
    const sale = await sell()
    const answers = await overlappingAt('createSession', sale, [() => sale.pay(), () => sale.pay()])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
    assert.equal(answers.find(({ status }) => status === 409)?.body.code, 'payment_in_progress')
    assert.deepEqual([await open(sale)], sessionsOf(sale))
  })

  await t.test(
    'if the response to the creation of a page is lost, the next request leads to the same page',
    async () => {
      for (const trouble of ['lost', 503] as const) {
        const sale = await sell()
        stripe.fail('createSession', 'after', trouble, trouble === 'lost' ? 2 : 1)
        assert.equal((await sale.pay()).body.code, 'payment_unavailable')
        const [session] = sessionsOf(sale)
        assert.equal(await open(sale), session)
        assert.equal(sessionsOf(sale).length, 1)
      }
    },
  )

  await t.test('a customer whose language changes after a lost response gets one page', async () => {
    const sale = await sell()
    stripe.fail('createSession', 'after', 503)
    assert.equal((await sale.pay()).body.code, 'payment_unavailable')
    const owner = shop.db.selectFrom('orders').select('owner_id').where('id', '=', sale.id)
    await shop.db.updateTable('users').set({ locale: 'de' }).where('id', '=', owner).execute()
    const page = await open(sale)
    assert.deepEqual([page.locale, await open(sale)], ['de', page])
    await shop.db.updateTable('users').set({ locale: null }).where('id', '=', owner).execute()
  })

  await t.test('an expired page is replaced by a new one, with and without an event', async () => {
    for (const isTold of [true, false]) {
      const sale = await sell()
      const first = await open(sale)
      shop.service.clock.shift(3601)
      if (isTold) await tell('checkout.session.expired', about(first))
      const second = await open(sale)
      assert.notEqual(second, first)
      assert.equal(first.status, 'expired')
      // Late messages about the first page change nothing.
      await tell('checkout.session.expired', about(first))
      stripe.payOnPage(second.id)
      await finish(61)
      assert.deepEqual([await stateOf(sale), await sale.events()], [['confirmed', 'captured'], EVENTS])
    }
  })

  await t.test('the job closes a page that the customer left for an hour', async () => {
    const sale = await sell()
    const session = await open(sale)
    // Stripe is late.
    session.expiresAt += 3600
    await finish(3601)
    assert.equal(session.status, 'expired')
    assert.deepEqual(await stateOf(sale), ['awaiting_payment', 'pending'])
  })

  await t.test('a cancellation, a recorded payment or a token closes the page', async () => {
    const [cancelled, recorded, other] = [await sell(), await sell(), await sell()]
    const sales = [cancelled, recorded, other]
    const sessions = await Promise.all(sales.map((sale) => open(sale)))
    assert.equal((await cancelled.cancel()).body.status, 'cancelled')
    assert.equal((await recorded.record()).body.status, 'confirmed')
    assert.equal((await other.pay(CARD)).body.status, 'confirmed')
    await finish()
    for (const session of sessions) {
      assert.equal(session.status, 'expired')
      await tell('checkout.session.expired', about(session))
    }
    assert.deepEqual(await Promise.all(sales.map(stateOf)), [
      ['cancelled', 'pending'],
      ['confirmed', 'captured'],
      ['confirmed', 'captured'],
    ])
  })

  await t.test('a payment on the page that a cancellation overtakes is returned', async () => {
    const [held, taken, between] = [await sell(), await sell(), await sell()]
    for (const sale of [held, taken]) {
      const { id } = stripe.payOnPage((await open(sale)).id)
      if (sale === taken) stripe.captureInDashboard(id)
      assert.equal((await sale.cancel()).body.status, 'cancelled')
    }
    // The customer pays after the service has read the page and before it closes the page.
    const session = await open(between)
    assert.equal((await between.cancel()).body.status, 'cancelled')
    const gate = stripe.hold('expireSession', 'before')
    const releasing = finish()
    await gate.reached
    stripe.payOnPage(session.id)
    gate.open()
    await releasing
    await tell('checkout.session.completed', about(session))
    assert.deepEqual(
      [movesOf(held), movesOf(between)],
      [
        ['hold', 'void'],
        ['hold', 'void'],
      ],
    )
    const back = stripe.refunds.filter(({ intent }) => intent === intentsOf(taken)[0]?.id)
    assert.deepEqual(
      back.map(({ amount }) => amount),
      [taken.total.amount],
    )
    for (const sale of [held, taken, between]) {
      assert.equal((await sale.read()).status, 'cancelled')
      assert.deepEqual(await sale.events(), ['order.created', 'order.cancelled'])
    }
    // The bank rejects the refund later, and its message names only the payment.
    for (const refund of back) refund.status = 'failed'
    await tell('refund.failed', { object: 'refund', id: back[0]?.id, payment_intent: back[0]?.intent })
    const again = stripe.refunds.filter(({ intent, status }) => intent === back[0]?.intent && status === 'succeeded')
    assert.deepEqual(
      again.map(({ amount }) => amount),
      [taken.total.amount],
    )
  })

  await t.test('while the service reads a page, a cancellation waits', async () => {
    const sale = await sell()
    const session = await open(sale)
    const gate = stripe.hold('retrieveSession', 'after')
    const reading = sale.pay()
    await gate.reached
    for (const other of [await sale.pay(), await sale.cancel(), await sale.record()]) {
      assert.deepEqual([other.status, other.body.code], [409, 'payment_in_progress'])
    }
    // The payment arrives while the page is being read, and its event is not lost.
    stripe.payOnPage(session.id)
    await tell('checkout.session.completed', about(session))
    gate.open()
    assert.equal((await reading).body.status, 'awaiting_payment')
    await world.check()
    assert.deepEqual([await stateOf(sale), await sale.events()], [['confirmed', 'captured'], EVENTS])
  })

  await t.test('an event and a request at the same time capture once', async () => {
    const sale = await sell()
    const session = await open(sale)
    stripe.payOnPage(session.id)
    const gate = stripe.hold('capture', 'after')
    const paying = sale.pay()
    await gate.reached
    await tell('checkout.session.completed', about(session))
    gate.open()
    assert.equal((await paying).body.status, 'confirmed')
    await world.check()
    assert.deepEqual([movesOf(sale), await sale.events()], [['hold', 'capture'], EVENTS])
  })

  await t.test('a payment of another amount or currency confirms no order', async () => {
    for (const change of [{ amount: 50 }, { currency: 'usd' }]) {
      const sale = await sell()
      const session = await open(sale)
      const intent = stripe.payOnPage(session.id)
      const { amount, currency } = intent
      Object.assign(intent, change)
      // The message itself may state anything.
      await assert.rejects(tell('checkout.session.completed', { ...about(session), amount_total: amount, currency }))
      shop.service.clock.shift(61)
      assert.equal((await sale.pay()).body.code, 'payment_unavailable')
      assert.deepEqual([await stateOf(sale), movesOf(sale)], [['awaiting_payment', 'pending'], ['hold']])
      assert.match(shop.service.logLines(), /a payment at Stripe is not the total of its order/)
      assert.equal((await sale.cancel()).body.status, 'cancelled')
      await finish()
      assert.deepEqual(movesOf(sale), ['hold', 'void'])
    }
  })

  await t.test('messages about unknown sessions and foreign metadata change nothing', async () => {
    const [sale, other] = [await sell(), await sell()]
    const [session, theirs] = [await open(sale), await open(other)]
    const asked = stripe.requests.length
    for (const id of ['cs_test_unknown', 'cs_1; drop table orders', 7]) {
      await tell('checkout.session.completed', { object: 'checkout.session', id, metadata: { platen_attempt: 'x' } })
    }
    assert.equal(stripe.requests.length, asked)
    // A paid session that names the attempt of another order only makes the service read the page of that attempt.
    stripe.payOnPage(theirs.id)
    await tell('checkout.session.completed', { ...about(theirs), id: 'cs_test_other', metadata: session.metadata })
    assert.deepEqual(await stateOf(sale), ['awaiting_payment', 'pending'])
    assert.equal(await open(sale), session)
  })

  await t.test('a bank that takes days pays or declines later, and until then the order waits', async () => {
    for (const succeeds of [true, false]) {
      const sale = await sell()
      const session = await open(sale)
      const { id } = stripe.payOnPage(session.id, 'pm_sepa_debit')
      await tell('checkout.session.completed', about(session))
      await finish(24 * 3600)
      assert.deepEqual(await stateOf(sale), ['awaiting_payment', 'pending'])
      const waiting = await sale.pay()
      assert.deepEqual([waiting.status, waiting.body.payment.nextAction], [200, { type: 'processing' }])
      stripe.finishProcessing(id, succeeds)
      await tell(`checkout.session.async_payment_${succeeds ? 'succeeded' : 'failed'}`, about(session))
      assert.deepEqual(await stateOf(sale), succeeds ? ['confirmed', 'captured'] : ['awaiting_payment', 'failed'])
      if (!succeeds) assert.notEqual(await open(sale), session)
    }
  })

  await t.test('the page is on the web, or the customer is not sent there', async () => {
    const sale = await sell()
    const session = await open(sale)
    const { url } = session
    for (const bad of ['javascript:alert(1)', 'data:text/html,x', 'ftp://example.com/', '/elsewhere', '']) {
      session.url = bad
      const { status, text } = await sale.pay()
      assert.equal(status, 503, bad)
      assert.ok(bad === '' || !text.includes(bad), text)
    }
    session.url = url
    assert.equal(await open(sale), session)
  })

  await t.test('an email address that Stripe refuses does not prevent the payment', async () => {
    const sale = await sell()
    const { db } = shop
    const { shipping_address: address } = await db
      .selectFrom('orders')
      .select('shipping_address')
      .where('id', '=', sale.id)
      .executeTakeFirstOrThrow()
    const strange = JSON.stringify({ ...(address as object), email: '"ada"@example.com' })
    await db.updateTable('orders').set({ shipping_address: strange }).where('id', '=', sale.id).execute()
    const session = await open(sale)
    assert.equal(session.email, null)
  })

  await t.test('the page has the amount in the unit of Stripe and the language of the customer', async () => {
    const settings = { secretKey: STRIPE_KEY, webhookSecret: STRIPE_WEBHOOK_SECRET, apiUrl: stripe.url }
    const { provider } = await connectStripe(settings, { ...shop.deps, shopUrl: 'https://shop.example.com/a' })
    const until = addSeconds(shop.service.clock.now(), 3600)
    const cases = [
      ['JPY', 500, 500, 'de-AT', 'de', 'Bestellung PL-1'],
      ['ISK', 500, 50_000, 'pt-BR', 'pt-BR', 'Order PL-1'],
      ['MGA', 50_000, 500, 'tlh', 'auto', 'Order PL-1'],
      ['KWD', 1_230, 1_230, null, 'auto', 'Order PL-1'],
    ] as const
    for (const [currency, amount, expected, locale, language, name] of cases) {
      const charge = { id: randomUUID(), orderId: 'ord_1', orderNumber: 'PL-1', token: 'checkout', reference: null }
      await provider.register?.({ ...charge, amount, currency }, { payer: { email: null, locale }, until })
      const session = stripe.sessions.at(-1)
      assert.deepEqual([session?.amount, session?.currency], [expected, currency.toLowerCase()])
      assert.deepEqual([session?.locale, session?.name, session?.email], [language, name, null])
      assert.equal(session?.successUrl, 'https://shop.example.com/a/orders/ord_1?payment=returned')
    }
  })

  await t.test('clients cannot send the token of the page', async () => {
    const sale = await sell()
    assert.equal((await sale.pay({ token: 'checkout' })).body.code, 'payment_token_unknown')
    assert.deepEqual(sessionsOf(sale), [])
  })

  await t.test('the service and Stripe agree', () => world.requireEqualBooks())
})
