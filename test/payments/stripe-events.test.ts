import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { CARD, openStripeShop, type Sale } from './stripe-shop.ts'

const BANK_ASKS = { token: 'pm_card_threeDSecure2Required' }

test('payments through Stripe with changes from outside the service', async (t) => {
  const world = await openStripeShop(t)
  const { stripe, shop, sell, sellPaid, finish, tell, checkDisputes, check, overlapping, overlappingAt } = world
  const intentsOf = (sale: Sale) => stripe.intents.filter(({ metadata }) => metadata['platen_order'] === sale.id)
  const movesOf = (sale: Sale) => intentsOf(sale).flatMap(({ moves }) => moves)
  const lastIntentOf = (sale: Sale) => intentsOf(sale).at(-1)?.id ?? ''
  const about = (id: string) => ({ object: 'payment_intent', id })
  const stateOf = async (sale: Sale) => {
    const { status, payment } = await sale.read()
    return [status, payment.status]
  }

  await t.test('the customer gets the next action of a payment, and other callers do not', async () => {
    const sale = await sell()
    const asked = await sale.pay(BANK_ASKS)
    assert.deepEqual([asked.status, asked.body.status, asked.body.payment.status], [200, 'awaiting_payment', 'pending'])
    const { nextAction } = asked.body.payment
    assert.deepEqual(nextAction, { type: 'use_stripe_sdk', clientSecret: intentsOf(sale)[0]?.clientSecret })
    for (const body of [undefined, BANK_ASKS]) {
      assert.deepEqual((await sale.pay(body)).body.payment.nextAction, nextAction)
    }
    assert.equal((await sale.read()).payment.nextAction, undefined)
    const { rows } = await shop.service.services.database.pool.query(
      "select data::text from events where data::text like '%_secret_%'",
    )
    assert.deepEqual(rows, [])
    stripe.authenticate(lastIntentOf(sale))
    const paid = await sale.pay()
    assert.deepEqual([paid.status, paid.body.status, movesOf(sale)], [200, 'confirmed', ['hold', 'capture']])
  })

  await t.test(
    'a repetition with the same key continues the payment instead of returning the next action',
    async () => {
      const sale = await sell()
      const key = { 'idempotency-key': `asked-${sale.id}` }
      assert.notEqual((await sale.pay(BANK_ASKS, key)).body.payment.nextAction, undefined)
      stripe.authenticate(lastIntentOf(sale))
      assert.equal((await sale.pay(BANK_ASKS, key)).body.status, 'confirmed')
      assert.equal((await sale.pay(BANK_ASKS, key)).headers.get('idempotent-replayed'), 'true')
    },
  )

  await t.test(
    'events of Stripe complete the payment after the action of the customer, in any number and order',
    async () => {
      const sale = await sell()
      await sale.pay(BANK_ASKS)
      const intent = about(lastIntentOf(sale))
      await tell('payment_intent.requires_action', intent)
      assert.deepEqual(await stateOf(sale), ['awaiting_payment', 'pending'])
      stripe.authenticate(intent.id)
      for (const type of ['succeeded', 'amount_capturable_updated', 'created', 'succeeded', 'payment_failed']) {
        await tell(`payment_intent.${type}`, intent)
      }
      assert.deepEqual(
        [await stateOf(sale), movesOf(sale)],
        [
          ['confirmed', 'captured'],
          ['hold', 'capture'],
        ],
      )
      assert.deepEqual(await sale.events(), ['order.created', 'payment.captured', 'order.confirmed'])
    },
  )

  await t.test('if no event arrives, the job detects the action of the customer', async () => {
    const sale = await sell()
    await sale.pay(BANK_ASKS)
    stripe.authenticate(lastIntentOf(sale))
    await finish(61)
    assert.deepEqual(await stateOf(sale), ['confirmed', 'captured'])
  })

  await t.test('a dispute appears in the timeline once', async () => {
    const sale = await sellPaid()
    const dispute = { object: 'dispute', id: 'dp_1', payment_intent: lastIntentOf(sale) }
    await tell('charge.dispute.created', dispute)
    await tell('charge.dispute.created', dispute)
    const noted = (await sale.read()).timeline.filter(({ type }: { type: string }) => type === 'payment.disputed')
    assert.deepEqual(
      noted.map(({ by, reason }: { by: string; reason: string }) => [by, reason]),
      [['system', 'dp_1']],
    )
  })

  await t.test('a dispute whose end the service was not told of ends within a day', async () => {
    const [ended, open, refunded] = [await sellPaid(), await sellPaid(), await sellPaid()]
    const disputes = [ended, open, refunded].map((sale) => stripe.dispute(lastIntentOf(sale)))
    for (const { id, intent } of disputes) {
      await tell('charge.dispute.created', { object: 'dispute', id, payment_intent: intent })
    }
    const [lost, still, withdrawn] = disputes
    assert.ok(lost !== undefined && still !== undefined && withdrawn !== undefined)
    Object.assign(lost, { status: 'lost' })
    Object.assign(still, { status: 'under_review' })
    Object.assign(withdrawn, { status: 'warning_closed' })
    // A failed request must not end a dispute, and the check is repeated.
    stripe.fail('listDisputes', 'before', 503, 3)
    await assert.rejects(checkDisputes())
    stripe.recover()
    for (const sale of [ended, open, refunded]) assert.notEqual((await sale.read()).payment.disputedAt, undefined)
    await checkDisputes()
    await checkDisputes()
    const endsOf = async (sale: Sale) =>
      (await sale.read()).timeline
        .filter(({ type }: { type: string }) => type.startsWith('payment.dispute_'))
        .map(({ type, by, reason }: Record<string, string>) => [type, by, reason])
    assert.deepEqual(await endsOf(ended), [['payment.dispute_lost', 'system', lost.id]])
    assert.deepEqual(await endsOf(refunded), [['payment.dispute_closed', 'system', withdrawn.id]])
    assert.deepEqual(await endsOf(open), [])
    still.status = 'won'
    await checkDisputes()
    assert.deepEqual(await endsOf(open), [['payment.dispute_won', 'system', still.id]])
    for (const sale of [ended, open, refunded]) assert.equal((await sale.read()).payment.disputedAt, undefined)
  })

  await t.test('a key that may not read disputes, or a payment of another account, makes no check fail', async () => {
    const sale = await sellPaid()
    const dispute = stripe.dispute(lastIntentOf(sale))
    await tell('charge.dispute.created', { object: 'dispute', id: dispute.id, payment_intent: dispute.intent })
    dispute.status = 'lost'
    const logged = () =>
      shop.service.logLines().split(/may not read disputes|does not know a disputed payment/).length - 1
    for (const status of [403, 404] as const) {
      const before = logged()
      stripe.fail('listDisputes', 'before', status, 50)
      await checkDisputes()
      await checkDisputes()
      stripe.recover()
      assert.equal(logged() - before, 1)
      assert.notEqual((await sale.read()).payment.disputedAt, undefined)
    }
    await checkDisputes()
    assert.equal((await sale.read()).payment.disputedAt, undefined)
  })

  await t.test('checks that wait for another process ask for disputes once, at the end', async () => {
    const sale = await sell()
    await sale.pay(BANK_ASKS)
    const leaseUntil = (until: string) =>
      sql`
        update payment_attempts set lease_token = gen_random_uuid(), leased_until = ${until}
        where payment_id = (select id from payments where order_id = ${sale.id})`.execute(shop.db)
    const asked = () => stripe.requests.filter((step) => step === 'listDisputes').length
    await leaseUntil('2100-01-01')
    const before = asked()
    const { id, intent } = stripe.dispute(lastIntentOf(sale))
    await tell('charge.dispute.created', { object: 'dispute', id, payment_intent: intent })
    await check()
    await check()
    assert.notEqual((await sale.read()).payment.disputedAt, undefined)
    assert.equal(asked(), before)
    await leaseUntil('2000-01-01')
    await check()
    assert.equal(asked(), before + 1)
  })

  await t.test('a dispute is open until Stripe reports its end, also if the end is reported first', async () => {
    const [won, lost, open] = [await sellPaid(), await sellPaid(), await sellPaid()]
    const report = (sale: Sale, id: string, event: string, status = 'needs_response') =>
      tell(`charge.dispute.${event}`, { object: 'dispute', id, payment_intent: lastIntentOf(sale), status })
    const typesOf = async (sale: Sale) =>
      (await sale.read()).timeline
        .map(({ type }: { type: string }) => type)
        .filter((type: string) => /disput/.test(type))
    const disputed = async (token: string, path: string) =>
      (await shop.request('GET', `${path}?disputed=true&view=summary`, { token })).body.data.map(
        ({ id, payment }: { id: string; payment: { disputedAt?: string } }) => [id, typeof payment.disputedAt],
      )
    await report(won, 'dp_2', 'created')
    assert.notEqual((await won.read()).payment.disputedAt, undefined)
    await report(won, 'dp_2', 'closed', 'won')
    await report(won, 'dp_2', 'closed', 'won')
    await report(lost, 'dp_3', 'closed', 'lost')
    await report(lost, 'dp_3', 'created')
    await report(open, 'dp_4', 'created')
    await report(open, 'dp_4', 'closed', 'warning_closed')
    await report(open, 'dp_5', 'created')
    assert.deepEqual(await typesOf(won), ['payment.disputed', 'payment.dispute_won'])
    assert.deepEqual(await typesOf(lost), ['payment.dispute_lost', 'payment.disputed'])
    for (const sale of [won, lost]) assert.equal((await sale.read()).payment.disputedAt, undefined)
    const { timeline, payment } = await open.read()
    assert.equal(payment.disputedAt, timeline.at(-1).at)

    const { token } = await shop.signUp('operator')
    const others = (await disputed(token, '/orders')).filter(([id]: [string]) => [won.id, lost.id].includes(id))
    assert.deepEqual(others, [])
    // Most orders have left the shop when they are disputed.
    for (const [step, body] of [
      ['start-production', undefined],
      ['shipments', { carrier: 'DHL' }],
    ] as const) {
      const { status, text } = await shop.request('POST', `/orders/${open.id}/${step}`, {
        token,
        ...(body && { body }),
      })
      assert.ok(status < 300, text)
    }
    assert.deepEqual((await disputed(token, '/production/orders'))[0], [open.id, 'string'])
    assert.deepEqual(await disputed(open.buyer.token, '/orders'), [[open.id, 'string']])
    assert.deepEqual(await disputed(won.buyer.token, '/orders'), [])
    const { body } = await shop.request('GET', '/production/orders?disputed=true&status=cancelled', { token })
    assert.deepEqual(body.data, [])
  })

  await t.test('a customer who fails the authentication can pay again', async () => {
    const sale = await sell()
    await sale.pay(BANK_ASKS)
    stripe.authenticate(lastIntentOf(sale), false)
    const failed = await sale.pay()
    assert.deepEqual(
      [failed.status, failed.body.code, failed.body.reason],
      [402, 'payment_declined', 'authentication_failed'],
    )
    assert.deepEqual(await stateOf(sale), ['awaiting_payment', 'failed'])
    assert.equal((await sale.pay(CARD)).body.status, 'confirmed')
  })

  await t.test('a customer who does not authenticate can use another card, cancel, or do nothing', async () => {
    const [other, cancelled, left] = [await sell(), await sell(), await sell()]
    for (const sale of [other, cancelled, left]) await sale.pay(BANK_ASKS)
    assert.equal((await other.pay(CARD)).body.status, 'confirmed')
    assert.equal((await cancelled.cancel()).body.status, 'cancelled')
    await finish()
    await finish(3601)
    for (const sale of [other, cancelled, left]) assert.equal(intentsOf(sale)[0]?.status, 'canceled')
    assert.deepEqual(await stateOf(left), ['awaiting_payment', 'pending'])
    assert.equal((await left.pay(CARD)).body.status, 'confirmed')
  })

  await t.test('a late capture that no order needs is refunded once', async () => {
    const [declined, captured] = [await sell(), await sell()]
    for (const sale of [declined, captured]) {
      await sale.pay(BANK_ASKS)
      stripe.authenticate(lastIntentOf(sale), false)
      assert.equal((await sale.pay()).status, 402)
      // The payment page still has the client secret, and the customer uses it to pay with another card.
      for (const intent of intentsOf(sale)) Object.assign(intent, { status: 'requires_capture', moves: ['hold'] })
    }
    stripe.captureInDashboard(lastIntentOf(captured))
    for (const sale of [declined, captured, declined, captured]) {
      await tell('payment_intent.amount_capturable_updated', about(lastIntentOf(sale)))
    }
    assert.deepEqual(
      [movesOf(declined), await stateOf(declined)],
      [
        ['hold', 'void'],
        ['awaiting_payment', 'failed'],
      ],
    )
    const back = stripe.refunds.filter(({ intent }) => intent === lastIntentOf(captured))
    assert.deepEqual(
      back.map(({ amount }) => amount),
      [captured.total.amount],
    )
    const returned = (await captured.read()).timeline.filter(
      ({ type }: { type: string }) => type === 'payment.returned_late',
    )
    assert.deepEqual([returned.length, returned[0].by], [1, 'system'])
  })

  await t.test('an event with an invalid or old signature is rejected and changes nothing', async () => {
    const sale = await sell()
    await sale.pay(BANK_ASKS)
    stripe.authenticate(lastIntentOf(sale))
    const now = shop.service.clock.now()
    const event = (options: object) =>
      stripe.event('payment_intent.amount_capturable_updated', about(lastIntentOf(sale)), { at: now, ...options })
    const { body, headers } = event({})
    const post = (text: string, more: Record<string, string>) =>
      shop.request('POST', '/payments/stripe/webhook', { body: text, headers: more })
    const others = event({ secret: 'whsec_other' })
    const old = event({ at: new Date(now.getTime() - 302_000) })
    const answers = [
      await post(body, { 'content-type': 'application/json' }),
      await post(body, { ...headers, 'stripe-signature': 't=1,v1=00' }),
      await post(`${body} `, headers),
      await post('', headers),
      await post(others.body, others.headers),
      await post(old.body, old.headers),
    ]
    for (const answer of answers) assert.deepEqual([answer.status, answer.body.code], [400, 'stripe_signature_invalid'])
    const large = await post('x'.repeat(256 * 1024 + 1), headers)
    assert.equal(large.status, 413)
    assert.deepEqual(await stateOf(sale), ['awaiting_payment', 'pending'])
    // An event for an unknown payment causes no event of the service and no request to Stripe.
    const asked = stripe.requests.length
    await tell('payment_intent.succeeded', about('pi_unknown'))
    await tell('customer.created', { object: 'customer', id: 'cus_1' })
    await tell('payment_intent.succeeded', about("pi_1'; drop table orders"))
    assert.equal(stripe.requests.length, asked)
  })

  await t.test('a refund made in Stripe’s dashboard is recorded once', async () => {
    const sale = await sellPaid()
    const refund = stripe.refundInDashboard(lastIntentOf(sale), 100)
    const theirs = { object: 'refund', id: refund.id, payment_intent: lastIntentOf(sale) }
    await tell('refund.created', theirs)
    await tell('charge.refunded', { object: 'charge', id: 'ch_1', payment_intent: lastIntentOf(sale) })
    const { payment } = await sale.read()
    assert.deepEqual(
      [payment.status, payment.refundedAmount.amount, payment.refunds.length],
      ['partially_refunded', 100, 1],
    )
    // If the bank of the customer returns a refund, the service records this, so that the operator can find another
    // way.
    refund.status = 'failed'
    await tell('refund.failed', theirs)
    await tell('refund.failed', theirs)
    const noted = (await sale.read()).timeline.filter(
      ({ type }: { type: string }) => type === 'payment.refund_returned',
    )
    assert.equal(noted.length, 1)
    refund.status = 'succeeded'
  })

  await t.test('two concurrent payments of an order charge the customer once', async () => {
    const sale = await sell()
    const answers = await overlappingAt('create', sale, [
      () => sale.pay(CARD),
      () => sale.pay({ token: 'pm_card_mastercard' }),
    ])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
    assert.deepEqual(movesOf(sale), ['hold', 'capture'])
  })

  await t.test('during a charge, other payments, recorded payments and cancellations are rejected', async () => {
    for (const step of ['create', 'confirm', 'capture'] as const) {
      const sale = await sell()
      const gate = stripe.hold(step, 'after')
      const paying = sale.pay(CARD)
      await gate.reached
      for (const other of [await sale.pay(CARD), await sale.record(), await sale.cancel()]) {
        assert.deepEqual([other.status, other.body.code], [409, 'payment_in_progress'], step)
      }
      gate.open()
      assert.equal((await paying).body.status, 'confirmed')
      assert.deepEqual(movesOf(sale), ['hold', 'capture'])
    }
  })

  await t.test(
    'if a payment and a cancellation or a recorded payment are concurrent, one of them succeeds',
    async () => {
      for (const other of ['cancel', 'record'] as const) {
        const sale = await sell()
        const [paid, ended] = await overlappingAt('create', sale, [() => sale.pay(CARD), () => sale[other]()])
        assert.deepEqual([paid?.status, ended?.status].sort(), [200, 409], other)
        assert.equal(movesOf(sale).length, paid?.status === 200 ? 2 : 0)
      }
    },
  )

  await t.test('two processes that capture one charge capture it once', async () => {
    const sale = await sell()
    const gate = stripe.hold('capture', 'after')
    const paying = sale.pay(CARD)
    await gate.reached
    // The first process is so slow that it loses its lease. The second process finds the idempotency key in use, or the
    // work done.
    await finish(61)
    gate.open()
    await paying
    await finish(61)
    assert.deepEqual(
      [await stateOf(sale), movesOf(sale)],
      [
        ['confirmed', 'captured'],
        ['hold', 'capture'],
      ],
    )
    assert.deepEqual(await sale.events(), ['order.created', 'payment.captured', 'order.confirmed'])
  })

  await t.test('an event and the response that it reports confirm the order once', async () => {
    for (const step of ['confirm', 'capture'] as const) {
      const sale = await sell()
      const gate = stripe.hold(step, 'after')
      const paying = sale.pay(CARD)
      await gate.reached
      await tell('payment_intent.succeeded', about(lastIntentOf(sale)))
      gate.open()
      assert.equal((await paying).body.status, 'confirmed')
      assert.deepEqual(await sale.events(), ['order.created', 'payment.captured', 'order.confirmed'])
    }
  })

  await t.test('a process that resumes does not capture an abandoned charge', async () => {
    const sale = await sell()
    const gate = stripe.hold('confirm', 'after')
    const paying = sale.pay(CARD)
    await gate.reached
    shop.service.clock.shift(61)
    assert.equal((await sale.cancel()).body.status, 'cancelled')
    gate.open()
    const { status, body } = await paying
    assert.deepEqual([status, body.code, body.orderStatus], [409, 'order_action_refused', 'cancelled'])
    await finish()
    assert.deepEqual(
      [await stateOf(sale), movesOf(sale)],
      [
        ['cancelled', 'pending'],
        ['hold', 'void'],
      ],
    )
  })

  await t.test('a charge that is abandoned during its capture is refunded and does not pay the order', async () => {
    const sale = await sell()
    const gate = stripe.hold('capture', 'after')
    const key = { 'idempotency-key': `given-up-${sale.id}` }
    const paying = sale.pay(CARD, key)
    await gate.reached
    shop.service.clock.shift(61)
    assert.equal((await sale.cancel()).body.status, 'cancelled')
    gate.open()
    for (const { status, body } of [await paying, await sale.pay(CARD, key)]) {
      assert.deepEqual([status, body.code, body.orderStatus], [409, 'order_action_refused', 'cancelled'])
    }
    await finish()
    const back = stripe.refunds.filter(({ intent }) => intent === lastIntentOf(sale))
    assert.deepEqual(
      back.map(({ amount }) => amount),
      [sale.total.amount],
    )
  })

  await t.test(
    'a slow check of a charge does not take the lease from the process that captures the charge',
    async () => {
      const sale = await sell()
      await sale.pay(BANK_ASKS)
      const intent = about(lastIntentOf(sale))
      const look = stripe.hold('retrieve', 'after')
      const slow = sale.pay()
      await look.reached
      stripe.authenticate(intent.id)
      // No second check runs at the same time, and an event that arrives during a check is not lost.
      const requests = stripe.requests.length
      await tell('payment_intent.amount_capturable_updated', intent)
      assert.deepEqual([(await sale.pay()).body.code, stripe.requests.length], ['payment_in_progress', requests])
      // The lease of the first process has now expired.
      shop.service.clock.shift(61)
      const capture = stripe.hold('capture', 'after')
      const heard = world.check()
      await capture.reached
      look.open()
      assert.equal((await slow).body.code, 'payment_unavailable')
      for (const other of [await sale.pay(CARD), await sale.cancel(), await sale.record()]) {
        assert.deepEqual([other.status, other.body.code], [409, 'payment_in_progress'])
      }
      capture.open()
      await heard
      assert.deepEqual(await stateOf(sale), ['confirmed', 'captured'])
      assert.deepEqual(movesOf(sale), ['hold', 'capture'])
    },
  )

  await t.test('a process that failed does not end the lease of the one that captures', async () => {
    const sale = await sell()
    const confirm = stripe.hold('confirm', 'after')
    stripe.fail('confirm', 'after', 503)
    const slow = sale.pay(CARD)
    await confirm.reached
    const capture = stripe.hold('capture', 'after')
    const finished = finish(61)
    await capture.reached
    confirm.open()
    assert.equal((await slow).body.code, 'payment_unavailable')
    for (const other of [await sale.pay(CARD), await sale.cancel()]) {
      assert.deepEqual([other.status, other.body.code], [409, 'payment_in_progress'])
    }
    capture.open()
    await finished
    assert.deepEqual(await stateOf(sale), ['confirmed', 'captured'])
    assert.deepEqual(movesOf(sale), ['hold', 'capture'])
  })

  await t.test('a key that is reused for another order is rejected before a charge', async () => {
    const first = await sell()
    const second = await sell(first)
    const key = { 'idempotency-key': `two-${first.id}` }
    const gate = stripe.hold('capture', 'after')
    const paying = first.pay(CARD, key)
    await gate.reached
    const refused = await second.pay(CARD, key)
    assert.deepEqual([refused.status, refused.body.code], [422, 'idempotency_key_reused'])
    assert.deepEqual(intentsOf(second), [])
    gate.open()
    assert.equal((await paying).body.status, 'confirmed')
    assert.equal((await first.pay(CARD, key)).headers.get('idempotent-replayed'), 'true')
    // Stripe stores no result for a declined request, so its key can be used again.
    const again = { 'idempotency-key': `again-${first.id}` }
    assert.equal((await second.pay({ token: 'pm_card_visa_chargeDeclined' }, again)).status, 402)
    assert.equal((await second.pay(CARD, again)).status, 200)
  })

  await t.test('a capture is recorded even if the response cannot be stored', async () => {
    const sale = await sell()
    const key = `lost-${sale.id}`
    const gate = stripe.hold('capture', 'after')
    const paying = sale.pay(CARD, { 'idempotency-key': key })
    await gate.reached
    await shop.db.updateTable('idempotency_keys').set({ request_hash: 'other' }).where('key', '=', key).execute()
    gate.open()
    assert.equal((await paying).status, 422)
    assert.deepEqual(await stateOf(sale), ['confirmed', 'captured'])
  })

  await t.test(
    'the service retries the refund of an unneeded payment until it succeeds, with growing pauses',
    async () => {
      const [byHand, slow] = [await sell(), await sell()]
      const tokens = [CARD, { token: 'pm_card_pendingRefund' }] as const
      for (const [index, sale] of [byHand, slow].entries()) {
        stripe.fail('capture', 'after', 503)
        await sale.pay(tokens[index])
        await sale.cancel()
      }
      stripe.refundInDashboard(lastIntentOf(byHand), byHand.total.amount)
      const returnedOf = async (sale: Sale) =>
        (await sale.read()).timeline.filter(({ type }: { type: string }) => type === 'payment.returned_late').length
      await finish()
      assert.deepEqual([await returnedOf(byHand), await returnedOf(slow)], [1, 0])
      const theirs = () => stripe.refunds.filter(({ intent }) => intent === lastIntentOf(slow))
      await finish(61)
      const asked = stripe.requests.length
      await finish(61)
      assert.equal(stripe.requests.length, asked)
      // The bank returns the refund, and the service then makes it once more.
      for (const refund of theirs()) refund.status = 'failed'
      await finish(300)
      assert.deepEqual(
        theirs().map(({ status }) => status),
        ['failed', 'pending'],
      )
      for (const refund of theirs().slice(1)) refund.status = 'succeeded'
      await finish(24 * 3600)
      assert.equal(await returnedOf(slow), 1)
      // The bank also returns this refund.
      for (const refund of theirs()) refund.status = 'failed'
      await tell('refund.failed', { object: 'refund', id: theirs().at(-1)?.id, payment_intent: lastIntentOf(slow) })
      assert.deepEqual(
        theirs().map(({ status }) => status),
        ['failed', 'failed', 'pending'],
      )
      for (const refund of theirs().slice(2)) refund.status = 'succeeded'
      await finish(24 * 3600)
      await finish()
      assert.equal(stripe.refunds.filter(({ intent }) => intent === lastIntentOf(byHand)).length, 1)
      await world.requireEqualBooks()
    },
  )

  await t.test('concurrent refunds and cancellations never refund more than was paid', async () => {
    const [twice, cancelled] = [await sellPaid(), await sellPaid()]
    const { amount, currency } = twice.total
    const most = { amount: { amount: Math.ceil(amount * 0.6), currency } }
    const refunds = await overlapping(twice, [() => twice.refund(most), () => twice.refund(most)])
    assert.deepEqual(refunds.map(({ status }) => status).sort(), [201, 422])
    const [refund, cancel] = await overlapping(cancelled, [() => cancelled.refund(most), () => cancelled.cancel()])
    assert.equal(cancel?.status, 200)
    assert.ok(refund?.status === 201 || refund?.body.code === 'order_action_refused')
    assert.deepEqual(await stateOf(cancelled), ['cancelled', 'refunded'])
    await world.requireEqualBooks()
  })

  await t.test('a second process does not repeat a refund in progress', async () => {
    for (const when of ['before', 'after'] as const) {
      const sale = await sellPaid()
      const gate = stripe.hold('refund', when)
      const refunding = sale.refund({ amount: { amount: 100, currency: sale.total.currency } })
      await gate.reached
      await finish()
      assert.deepEqual(await stateOf(sale), ['confirmed', 'captured'])
      // The lease of the first process has now expired.
      await finish(61)
      gate.open()
      assert.equal((await refunding).status, 201)
      await finish(61)
      assert.deepEqual((await sale.read()).payment.refundedAmount.amount, 100)
      assert.deepEqual((await sale.events()).slice(3), ['payment.refunded'])
      assert.equal(stripe.refunds.filter(({ intent }) => intent === lastIntentOf(sale)).length, 1, when)
    }
    await world.requireEqualBooks()
  })
})
