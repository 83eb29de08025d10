import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { addSeconds } from '../../platform/clock.ts'
import { type Person, type Shop, startShop } from '../factory.ts'
import { insertAttempt } from '../payments/store.ts'

/** A word that cannot turn up by chance. */
const PERSONAL = 'Quillfeather'

/** The tables that still say it. */
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

/** An order about which everybody wrote something personal, on its way in one parcel. */
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
  await post(operator, 'start-production')
  const { id: parcel } = await post(operator, 'shipments', { carrier: 'DHL' })
  return { id: order.id as string, path, parcel, post }
}

test('what was said about holds and returns goes with the account, once no parcel is under way any more', async (t) => {
  const shop = await startShop(t)
  const [customer, operator] = [await shop.signUp(), await shop.signUp('operator')]
  const { path, parcel, post } = await shippedOrder(shop, customer, operator)
  const sent = await shippedOrder(shop, customer, operator)
  // Nothing arrived, so the order stays `shipped`; but nothing more happens to it either.
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
  assert.equal(open.shippingAddress.name, PERSONAL)
  assert.deepEqual(await tablesWith(shop.db, PERSONAL), ['events', 'order_timeline', 'orders'])
  const told = shop.db.selectFrom('events').select('data').where('subject', '=', past.id).execute()
  assert.doesNotMatch(JSON.stringify(await told), new RegExp(PERSONAL))
})

test('an order that nobody is left to pay is cancelled with the account, and forgotten; one that is being paid is not', async (t) => {
  const shop = await startShop(t)
  const customer = await shop.signUp()
  const [unpaid, charged] = [await shop.order({ person: customer }), await shop.order({ person: customer })]
  const { id: payment_id } = await shop.db
    .selectFrom('payments')
    .select('id')
    .where('order_id', '=', charged.order.id)
    .executeTakeFirstOrThrow()
  // As the process has it that is asking the provider.
  const leasedUntil = addSeconds(shop.deps.clock.now(), 60)
  const attempt = { paymentId: payment_id, provider: 'test', token: 'test_ok', isRegistered: false, leasedUntil }
  await shop.db.transaction().execute((trx) => insertAttempt(trx, { ...attempt, at: shop.deps.clock.now() }))

  assert.equal((await shop.request('DELETE', '/me', { token: customer.token })).status, 204)
  const operator = await shop.signUp('operator')
  const read = async (id: string) => (await shop.request('GET', `/orders/${id}`, { token: operator.token })).body
  const cancelled = await read(unpaid.order.id)
  assert.deepEqual([cancelled.status, cancelled.shippingAddress.name], ['cancelled', 'Erased'])
  assert.equal(cancelled.timeline.at(-1).by, 'system')
  const told = await shop.db.selectFrom('events').selectAll().where('subject', '=', unpaid.order.id).execute()
  assert.deepEqual(told.map(({ type }) => type).sort(), ['order.cancelled', 'order.created'])
  assert.ok(told.every(({ data }) => JSON.stringify(data).includes('Erased')))
  const open = await read(charged.order.id)
  assert.deepEqual([open.status, open.shippingAddress.name], ['awaiting_payment', charged.order.shippingAddress.name])
})
