import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import { addSeconds } from '../../platform/clock.ts'
import { releaseReservedKeys } from '../../platform/http/idempotency/idempotency.ts'
import { startShop } from '../factory.ts'
import { insertAttempt } from './attempts/store.ts'
import { releaseAbandonedPayments } from './jobs.ts'
import { reconcilePayments } from './reconcile-attempts.ts'

test('payments', async (t) => {
  const shop = await startShop(t)
  const customer = await shop.signUp()
  const operator = (await shop.signUp('operator')).token
  const sell = async () => {
    const { token, order } = await shop.order({ person: customer })
    const path = `/orders/${order.id}`
    const post = (action: string, as: string) => (body?: object, headers?: Record<string, string>) =>
      shop.request('POST', `${path}/${action}`, { token: as, body, headers: headers ?? {} })
    return {
      order,
      total: order.amounts.total as { amount: number; currency: string },
      pay: post('pay', token),
      record: post('payments', operator),
      refund: post('refunds', operator),
      cancel: post('cancel', token),
      read: async () => (await shop.request('GET', path, { token })).body,
    }
  }
  const countAttempts = async () => (await shop.db.selectFrom('payment_attempts').select('id').execute()).length

  await t.test('a captured charge confirms the order', async () => {
    const { pay, total } = await sell()
    const { status, body } = await pay({ token: 'test_ok' })
    assert.deepEqual(
      [status, body.status, body.payment.status, body.payment.method],
      [200, 'confirmed', 'captured', 'test'],
    )
    assert.deepEqual(body.payment.capturedAmount, total)
    const again = await pay({ token: 'test_ok' })
    assert.deepEqual(
      [again.status, again.body.code, again.body.orderStatus],
      [409, 'order_action_refused', 'confirmed'],
    )
  })

  await t.test('a declined or unanswered charge leaves the order payable', async () => {
    const { pay, read } = await sell()
    const declined = await pay({ token: 'test_declined' })
    assert.deepEqual(
      [declined.status, declined.body.code, declined.body.reason],
      [402, 'payment_declined', 'card_declined'],
    )
    assert.deepEqual([(await read()).status, (await read()).payment.status], ['awaiting_payment', 'failed'])
    const silent = await pay({ token: 'test_timeout' })
    assert.deepEqual([silent.status, silent.body.code], [503, 'payment_unavailable'])
    assert.match(silent.headers.get('retry-after') ?? '', /^\d+$/)
    assert.equal((await read()).payment.status, 'pending')
    assert.equal((await pay({ token: 'test_ok' })).status, 200)
  })

  await t.test('the test tokens simulate the other outcomes of a charge', async () => {
    const poor = await sell()
    const refused = await poor.pay({ token: 'test_insufficient_funds' })
    assert.deepEqual(
      [refused.status, refused.body.code, refused.body.reason],
      [402, 'payment_declined', 'insufficient_funds'],
    )
    const late = await sell()
    const failed = await late.pay({ token: 'test_late_failure' })
    assert.deepEqual([failed.status, failed.body.code], [402, 'payment_declined'])
    const { status, payment, timeline } = await late.read()
    assert.deepEqual([status, payment.status], ['awaiting_payment', 'failed'])
    assert.ok(timeline.some(({ type }: { type: string }) => type === 'payment.authorization_lost'))
    assert.equal((await late.pay({ token: 'test_ok' })).body.payment.status, 'captured')
    for (const [token, type] of [
      ['test_3ds', 'test_3ds'],
      ['test_async', 'test_processing'],
    ]) {
      const { pay, read } = await sell()
      const waiting = await pay({ token })
      assert.deepEqual([waiting.status, waiting.body.status], [200, 'awaiting_payment'])
      assert.deepEqual(waiting.body.payment.nextAction, { type })
      assert.equal((await read()).payment.status, 'pending')
      const paid = await pay({})
      assert.deepEqual([paid.status, paid.body.status, paid.body.payment.status], [200, 'confirmed', 'captured'])
    }
  })

  await t.test('a missing or unknown token starts no attempt', async () => {
    const { pay } = await sell()
    const before = await countAttempts()
    const missing = await pay()
    assert.deepEqual([missing.status, missing.body.code], [422, 'payment_token_required'])
    const unknown = await pay({ token: 'constructor' })
    assert.deepEqual([unknown.status, unknown.body.code], [422, 'payment_token_unknown'])
    assert.equal(await countAttempts(), before)
  })

  await t.test('a payment repeated with its idempotency key charges once', async () => {
    const { pay } = await sell()
    const before = await countAttempts()
    const first = await pay({ token: 'test_ok' }, { 'idempotency-key': 'pay-1' })
    const second = await pay({ token: 'test_ok' }, { 'idempotency-key': 'pay-1' })
    assert.deepEqual([second.status, second.body], [200, first.body])
    assert.equal(second.headers.get('idempotent-replayed'), 'true')
    const other = await pay({ token: 'test_declined' }, { 'idempotency-key': 'pay-1' })
    assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused'])
    assert.equal(await countAttempts(), before + 1)
  })

  await t.test('the idempotency key of a payment in progress is reserved', async () => {
    const { deps, service } = shop
    const { provider } = deps
    assert.ok(provider !== undefined)
    const [asked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow: typeof provider = {
      ...provider,
      authorize: async (charge) => {
        asked.resolve()
        await release.promise
        return provider.authorize(charge)
      },
    }
    const [one, other] = [await sell(), await sell()]
    const key = { 'idempotency-key': 'pay-once' }
    deps.provider = slow
    const paying = one.pay({ token: 'test_ok' }, key)
    try {
      await Promise.race([asked.promise, paying])
      const again = await one.pay({ token: 'test_ok' }, key)
      assert.deepEqual([again.status, again.body.code], [409, 'idempotency_key_in_progress'])
      assert.match(again.headers.get('retry-after') ?? '', /^\d+$/)
      const reused = await other.pay({ token: 'test_ok' }, key)
      assert.deepEqual([reused.status, reused.body.code], [422, 'idempotency_key_reused'])
    } finally {
      release.resolve()
      deps.provider = provider
    }
    const paid = await paying
    assert.equal(paid.status, 200)
    const replayed = await one.pay({ token: 'test_ok' }, key)
    assert.deepEqual([replayed.headers.get('idempotent-replayed'), replayed.body], ['true', paid.body])
    assert.equal((await other.pay({ token: 'test_ok' }, key)).body.code, 'idempotency_key_reused')

    // A killed process leaves its idempotency key reserved.
    const kept = await shop.db
      .selectFrom('idempotency_keys')
      .selectAll()
      .where('key', '=', 'pay-once')
      .executeTakeFirstOrThrow()
    const expirations = [async () => service.clock.shift(121), () => releaseReservedKeys(shop.db)]
    for (const freed of expirations) {
      await shop.db.deleteFrom('idempotency_keys').where('key', '=', 'pay-once').execute()
      const held = { status: 0, body: 'null', headers: '{}', holder: randomUUID() }
      const held_until = addSeconds(service.clock.now(), 120)
      await shop.db
        .insertInto('idempotency_keys')
        .values({ ...kept, ...held, held_until })
        .execute()
      assert.equal((await one.pay({ token: 'test_ok' }, key)).body.code, 'idempotency_key_in_progress')
      await freed()
      assert.equal((await one.pay({ token: 'test_ok' }, key)).body.orderStatus, 'confirmed')
    }
  })

  await t.test('an order with a total of 0 is confirmed without the provider', async () => {
    const { pay, order } = await sell()
    const before = await countAttempts()
    await shop.db.updateTable('payments').set({ amount: 0 }).where('order_id', '=', order.id).execute()
    const { status, body } = await pay()
    assert.deepEqual([status, body.status, body.payment.status], [200, 'confirmed', 'captured'])
    assert.equal(await countAttempts(), before)
  })

  await t.test('a recorded payment covers the total, once', async () => {
    const { record, read, total } = await sell()
    const { amount, currency } = total
    for (const wrong of [
      { amount: amount - 1, currency },
      { amount, currency: 'USD' },
    ]) {
      const refused = await record({ method: 'manual', amount: wrong })
      assert.deepEqual([refused.status, refused.body.code], [422, 'payment_amount_mismatch'])
    }
    assert.equal((await record({ method: 'cash' })).status, 400)
    const recorded = await record({ method: 'manual', reference: 'Statement 7', amount: total })
    assert.equal(recorded.status, 200)
    const { payment } = await read()
    assert.deepEqual([payment.method, payment.reference, payment.status], ['manual', 'Statement 7', 'captured'])
    assert.equal((await record({ method: 'manual' })).body.code, 'order_action_refused')
  })

  await t.test('refunds never exceed the captured amount, by hand or through the provider', async () => {
    for (const way of ['record', 'pay'] as const) {
      const { [way]: pay, refund, read, total } = await sell()
      await pay(way === 'record' ? { method: 'manual' } : { token: 'test_ok' })
      const { amount, currency } = total
      const part = await refund({ amount: { amount: 100, currency }, reason: 'A scratch' })
      assert.equal(part.status, 201)
      assert.deepEqual(Object.keys(part.body).sort(), ['amount', 'createdAt', 'id', 'reason', 'status'])
      assert.deepEqual(
        [part.body.amount, part.body.reason, part.body.status],
        [{ amount: 100, currency }, 'A scratch', 'succeeded'],
      )
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
      assert.deepEqual([payment.status, payment.refundedAmount], ['refunded', total])
      assert.deepEqual(payment.refunds, [part.body, rest.body])
      assert.equal((await refund()).body.code, 'order_action_refused')
    }
  })

  await t.test('without a provider, paying is refused and not available', async () => {
    const { pay, read } = await sell()
    const { provider } = shop.deps
    shop.deps.provider = undefined
    try {
      const refused = await pay({ token: 'test_ok' })
      assert.deepEqual([refused.status, refused.body.code], [409, 'order_action_refused'])
      const [action] = (await read()).availableActions
      assert.deepEqual([action.action, action.allowed, action.reason], ['pay', false, refused.body.detail])
    } finally {
      shop.deps.provider = provider
    }
  })

  await t.test('refunds through a missing provider are refused until it is configured', async () => {
    const [refunded, cancelled] = [await sell(), await sell()]
    for (const { pay } of [refunded, cancelled]) await pay({ token: 'test_ok' })
    const { provider, formerProviders } = shop.deps
    Object.assign(shop.deps, { provider: undefined, formerProviders: [] })
    try {
      const refused = await refunded.refund()
      assert.deepEqual([refused.status, refused.body.code], [409, 'payment_provider_missing'])
      const { status, body } = await cancelled.cancel()
      assert.deepEqual([status, body.status, body.payment.status], [200, 'cancelled', 'captured'])
      assert.equal(body.payment.refunds[0].status, 'pending')
    } finally {
      Object.assign(shop.deps, { provider, formerProviders })
    }
    assert.equal((await refunded.refund()).status, 201)
    assert.equal((await cancelled.cancel()).body.payment.status, 'refunded')
  })

  await t.test('abandoned payments continue at once when their process is known to be dead', async () => {
    const { db, deps } = shop
    const refunded = await sell()
    await refunded.pay({ token: 'test_ok' })
    const provider = deps.provider
    assert.ok(provider !== undefined)
    const refusing = { ...provider, refund: () => Promise.reject(new Error('away')) }
    Object.assign(deps, { provider: refusing, formerProviders: [] })
    assert.deepEqual((await refunded.refund()).body.status, 'pending')
    Object.assign(deps, { provider, formerProviders: [] })
    // Leaves the lease of a killed process.
    const now = deps.clock.now()
    const lease = { lease_token: randomUUID(), leased_until: addSeconds(now, 60) }
    await db.updateTable('refunds').set(lease).where('status', '=', 'pending').execute()
    const charged = await sell()
    await leaveCharge(charged.order.id, lease)

    await reconcilePayments(deps)
    assert.equal((await refunded.read()).payment.refunds[0].status, 'pending')
    assert.equal((await charged.read()).status, 'awaiting_payment')
    await releaseAbandonedPayments(db, now)
    const { rows } = await sql`select 1 from graphile_worker.jobs where key = 'orders.finish_payments'`.execute(db)
    assert.equal(rows.length, 1)
    await reconcilePayments(deps)
    assert.equal((await refunded.read()).payment.status, 'refunded')
    assert.equal((await charged.read()).status, 'confirmed')
  })

  /** Inserts an attempt in the state before the first call of its provider. */
  async function leaveCharge(orderId: string, lease: { lease_token: string; leased_until: Date }): Promise<void> {
    const { db, deps } = shop
    const order = await db.selectFrom('payments').select('id').where('order_id', '=', orderId).executeTakeFirstOrThrow()
    const row = { paymentId: order.id, provider: 'test', token: 'test_ok', isRegistered: false }
    const at = deps.clock.now()
    await db.transaction().execute((trx) => insertAttempt(trx, { ...row, leasedUntil: lease.leased_until, at }))
    await db.updateTable('payment_attempts').set(lease).where('payment_id', '=', order.id).execute()
  }
})
