import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { eraseRemainingData } from '../../auth/accounts/personal-data/erase-data.ts'
import { addSeconds } from '../../platform/clock.ts'
import { storageUnavailable } from '../../platform/storage/objects/problems.ts'
import { cancelUnpaid } from '../cancellation/cancel-unpaid.ts'
import { type Person, type Shop, startShop } from '../factory.ts'
import { insertAttempt } from '../payments/attempts/store.ts'

/** A name that no other test data contains. */
const PERSONAL = 'Quillfeather'

/** Lists the tables that contain a text. */
async function tablesWith(db: Shop['db'], text: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public'`.execute(db)
  const found: string[] = []
  for (const { name } of rows) {
    const { rows: said } = await sql`select from ${sql.id(name)} t where t::text like ${`%${text}%`}`.execute(db)
    if (said.length > 0) found.push(name)
  }
  return found.sort()
}

/** Ships an order with personal data in every text that a user can write. */
async function shippedOrder(shop: Shop, customer: Person, operator: Person) {
  const { order } = await shop.order({ person: customer })
  const path = `/orders/${order.id}`
  const post = async ({ token }: Person, action: string, body?: object) => {
    const answer = await shop.request('POST', `${path}/${action}`, { token, body })
    assert.ok(answer.status < 300, `${action}: ${answer.text}`)
    return answer.body
  }
  await post(operator, 'payments', { method: 'manual' })
  await post(operator, 'hold', { reason: `Is this still ${PERSONAL}'s door?` })
  const exported = await shop.request('GET', '/me/export', { token: customer.token })
  assert.equal(exported.body.orders.at(0).hold.reason, `Is this still ${PERSONAL}'s door?`)
  const shippingAddress = { ...order.shippingAddress, name: PERSONAL }
  await post(customer, 'resolve-hold', { shippingAddress, message: `Ask for ${PERSONAL}.` })
  await post(operator, 'release')
  await post(operator, 'notes', { text: `${PERSONAL} rang to ask.` })
  await post(operator, 'start-production')
  const { id: parcel } = await post(operator, 'shipments', { carrier: 'DHL' })
  return { id: order.id as string, path, parcel, post }
}

test('erasure removes the reasons of holds and returns once no shipment is in transit', async (t) => {
  const shop = await startShop(t)
  const [customer, operator] = [await shop.signUp(), await shop.signUp('operator')]
  const { path, parcel, post } = await shippedOrder(shop, customer, operator)
  const sent = await shippedOrder(shop, customer, operator)
  // The parcel came back before it arrived, so the order stays `shipped`, but its status can no longer change.
  await post(operator, `shipments/${parcel}/return`, { reason: `${PERSONAL} moved away.` })
  await post(operator, 'refunds', { reason: 'Parcel came back.' })

  assert.equal((await shop.request('DELETE', '/me', { token: customer.token })).status, 204)
  const { body: past } = await shop.request('GET', path, { token: operator.token })
  assert.deepEqual(past.shippingAddress, { name: 'Erased', line1: 'Erased', city: 'Erased', country: 'DE' })
  assert.deepEqual(
    past.timeline.flatMap(({ type, reason }: { type: string; reason?: string }) =>
      reason === undefined ? [] : [[type, reason]],
    ),
    [['payment.refunded', 'Parcel came back.']],
  )
  const { body: open } = await shop.request('GET', sent.path, { token: operator.token })
  assert.deepEqual(past.notes, [])
  assert.equal(open.shippingAddress.name, PERSONAL)
  assert.deepEqual(await tablesWith(shop.db, PERSONAL), ['events', 'order_notes', 'order_timeline', 'orders'])
  const told = shop.db.selectFrom('events').select('data').where('subject', '=', past.id).execute()
  assert.doesNotMatch(JSON.stringify(await told), new RegExp(PERSONAL))
})

test('deleting an account cancels its unpaid orders, but not those paid or being paid', async (t) => {
  const shop = await startShop(t)
  const { db, deps, service } = shop
  const customer = await shop.signUp()
  const operator = await shop.signUp('operator')
  const order = async () => (await shop.order({ person: customer })).order
  const [unpaid, charged, paid] = [await order(), await order(), await order()]
  const payment = await db
    .selectFrom('payments')
    .select('id')
    .where('order_id', '=', charged.id)
    .executeTakeFirstOrThrow()
  // Simulates another process that is calling the provider.
  const now = deps.clock.now()
  const row = { paymentId: payment.id, provider: 'test', token: 'test_ok', isRegistered: false }
  await db.transaction().execute((trx) => insertAttempt(trx, { ...row, leasedUntil: addSeconds(now, 60), at: now }))

  assert.equal((await shop.request('DELETE', '/me', { token: customer.token })).status, 204)
  const { rows } =
    await sql`select payload from graphile_worker._private_jobs where key like 'orders.cancel_unpaid%'`.execute(db)
  assert.deepEqual(rows, [{ payload: { ownerId: customer.userId } }])
  const { cancelling } = await db.transaction().execute(async (trx) => {
    await trx.selectFrom('orders').select('id').where('id', '=', paid.id).forUpdate().execute()
    const cancelling = assert.rejects(cancelUnpaid(deps, { ownerId: customer.userId }), { code: 'payment_in_progress' })
    await service.untilBlocked()
    // Records the payment while the cancellation waits for the row lock.
    await trx.updateTable('orders').set({ status: 'confirmed' }).where('id', '=', paid.id).execute()
    return { cancelling }
  })
  await cancelling
  const read = async ({ id }: { id: string }) =>
    (await shop.request('GET', `/orders/${id}`, { token: operator.token })).body
  const statuses = await Promise.all([unpaid, charged, paid].map(async (one) => (await read(one)).status))
  assert.deepEqual(statuses, ['cancelled', 'awaiting_payment', 'confirmed'])
  assert.equal((await read(unpaid)).timeline.at(-1).by, 'system')

  service.clock.shift(24 * 3600)
  await eraseRemainingData(service.services.auth.services)
  const names = await db
    .selectFrom('orders')
    .select(['id', sql<string>`shipping_address ->> 'name'`.as('name')])
    .execute()
  assert.deepEqual(
    [unpaid, charged, paid].map(({ id }) => names.find((found) => found.id === id)?.name === 'Erased'),
    [true, false, false],
  )
})

// Each cancellation adds an event with the whole order.
test('unpaid orders of a deleted account are cancelled when there is disk space for it', async (t) => {
  const shop = await startShop(t)
  const { deps, db } = shop
  const customer = await shop.signUp()
  const { order } = await shop.order({ person: customer })
  const statusOf = async () =>
    (await db.selectFrom('orders').select('status').where('id', '=', order.id).executeTakeFirstOrThrow()).status
  const full = async () => {
    throw storageUnavailable(new Error('full'))
  }
  const waiting = cancelUnpaid({ ...deps, storage: { requireFree: full } }, { ownerId: customer.userId })
  await assert.rejects(waiting, { code: 'storage_unavailable' })
  assert.equal(await statusOf(), 'awaiting_payment')
  await cancelUnpaid(deps, { ownerId: customer.userId })
  assert.equal(await statusOf(), 'cancelled')
})

// Otherwise, four deleted accounts with thousands of orders would take the places of all jobs for minutes.
test('jobs that work through the records of one account run one after another, and cancel some orders at a time', async (t) => {
  const shop = await startShop(t)
  const { deps, db } = shop
  const customer = await shop.signUp()
  for (let count = 0; count < 5; count += 1) await shop.order({ person: customer })
  assert.equal((await shop.request('DELETE', '/me', { token: customer.token })).status, 204)
  const { rows } = await sql<{ name: string; queue: string | null }>`
    select task_identifier as name, queue_name as queue from graphile_worker.jobs where task_identifier in ('orders.cancel_unpaid', 'auth.erase')
    order by name`.execute(db)
  assert.deepEqual(rows, [
    { name: 'auth.erase', queue: 'auth.erase' },
    { name: 'orders.cancel_unpaid', queue: 'orders.cancel_unpaid' },
  ])
  const cancelled = async () =>
    (await db.selectFrom('orders').select('id').where('status', '=', 'cancelled').orderBy('id').execute()).length
  const next = async () => {
    const { rows } = await sql<{ payload: { ownerId: string; after: string } }>`
      delete from graphile_worker._private_jobs where payload ->> 'after' is not null returning payload`.execute(db)
    return rows[0]?.payload
  }
  await cancelUnpaid(deps, { ownerId: customer.userId }, 2)
  assert.equal(await cancelled(), 2)
  for (const count of [4, 5]) {
    const slice = await next()
    assert.ok(slice !== undefined)
    await cancelUnpaid(deps, slice, 2)
    assert.equal(await cancelled(), count)
  }
  assert.equal(await next(), undefined)
})

test('an order with megabytes of events is erased in several transactions, the events before the order', async (t) => {
  const shop = await startShop(t)
  const customer = await shop.signUp()
  const { order } = await shop.order({ person: customer })
  const cancelled = await shop.request('POST', `/orders/${order.id}/cancel`, { token: customer.token, body: {} })
  assert.equal(cancelled.status, 200)
  await sql`
    insert into events (id, type, subject, owner_id, sequence, transaction_id, data, created_at)
    select id || n, type, subject, owner_id, sequence + n, transaction_id,
      (data::jsonb || jsonb_build_object('padding', repeat('x', 200000)))::json, created_at
    from events, generate_series(10, 40) n where sequence = 1 and subject = ${order.id}`.execute(shop.db)
  // The third transaction fails, as if the service were killed.
  await sql`create sequence transactions`.execute(shop.db)
  await sql`create function fail_late() returns trigger language plpgsql as $$ begin
    if nextval('transactions') = 3 then raise exception 'killed'; end if;
    return null; end $$`.execute(shop.db)
  await sql`create trigger fail_late after update on events for each statement execute function fail_late()`.execute(
    shop.db,
  )
  const unread = async () => {
    const events = shop.db.selectFrom('events').select('id').where('subject', '=', order.id)
    return (await events.where('is_erased', '=', false).execute()).length
  }
  assert.equal((await shop.request('DELETE', '/me', { token: customer.token })).status, 204)
  assert.ok((await unread()) > 0 && (await unread()) < 31, String(await unread()))
  shop.service.clock.shift(24 * 3600)
  await eraseRemainingData(shop.service.services.auth.services)
  assert.equal(await unread(), 0)
  assert.deepEqual(await tablesWith(shop.db, order.shippingAddress.line1), [])
})
