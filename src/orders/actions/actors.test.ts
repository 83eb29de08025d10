import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { ADDRESS, startShop } from '../factory.ts'

interface Entry {
  type: string
  actor?: { userId: string; name: string | null; email: string | null; apiKey?: { id: string; name: string | null } }
}

test('operators see who did each step of an order, with the API key, and customers do not', async (t) => {
  const shop = await startShop(t)
  const { request } = shop
  const customer = await shop.signUp()
  const [grace, edsger] = [await shop.signUp('operator'), await shop.signUp('operator')]
  await request('PATCH', '/me', { token: grace.token, body: { name: 'Grace Hopper' } })
  const keyBody = { name: 'Shop floor', permissions: ['orders:read', 'orders:write'] }
  const { body: key } = await request('POST', '/api/api-keys', { token: edsger.token, body: keyBody })
  const mailOf = async (token: string): Promise<string> => (await request('GET', '/me', { token })).body.email
  const [graceMail, edsgerMail] = [await mailOf(grace.token), await mailOf(edsger.token)]
  const { order } = await shop.order({ person: customer })
  const act = async (token: string, action: string, body?: object) => {
    const { status, text } = await request('POST', `/orders/${order.id}/${action}`, { token, body })
    assert.ok(status < 300, text)
  }
  await act(customer.token, 'pay', { token: 'test_ok' })
  await act(grace.token, 'hold', { reason: 'Is this right?' })
  await act(key.key, 'release')
  await act(key.key, 'start-production')
  // The provider makes this refund after the request has reserved it.
  await act(key.key, 'refunds', { amount: { amount: 100, currency: 'EUR' } })

  const byKey = { userId: edsger.userId, name: null, email: edsgerMail, apiKey: { id: key.id, name: 'Shop floor' } }
  const byGrace = { userId: grace.userId, name: 'Grace Hopper', email: graceMail }
  const byCustomer = { userId: customer.userId, name: null, email: null }
  const { body: seen } = await request('GET', `/orders/${order.id}`, { token: grace.token })
  assert.deepEqual(
    seen.timeline.map(({ type, actor }: Entry) => [type, actor]),
    [
      ['order.created', byCustomer],
      ['payment.captured', byCustomer],
      ['order.confirmed', byCustomer],
      ['order.on_hold', byGrace],
      ['order.released', byKey],
      ['order.in_production', byKey],
      ['payment.refunded', byKey],
    ],
  )
  const { body: list } = await request('GET', '/production/orders', { token: grace.token })
  assert.deepEqual(list.data[0].timeline, seen.timeline)

  await sql`update users set deleted_at = now() where id = ${grace.userId}`.execute(shop.db)
  const { body: later } = await request('GET', `/orders/${order.id}`, { token: key.key })
  assert.deepEqual(later.timeline[3].actor, { userId: grace.userId, name: null, email: null })

  const own = await request('GET', `/orders/${order.id}`, { token: customer.token })
  const exported = await request('GET', '/me/export', { token: customer.token })
  const events = await shop.db.selectFrom('events').select('data').where('subject', '=', order.id).execute()
  for (const text of [own.text, JSON.stringify(exported.body.orders), JSON.stringify(events)]) {
    assert.doesNotMatch(
      text,
      new RegExp(`actor|Hopper|Shop floor|${grace.userId}|${graceMail}|${edsger.userId}|${edsgerMail}|${key.id}`),
    )
  }
})

test('the order of a customer that an operator created names the operator', async (t) => {
  const shop = await startShop(t)
  const operator = await shop.signUp('operator')
  const permissions = ['read', 'write', 'customers:read', 'customers:write']
  const { body: key } = await shop.request('POST', '/api/api-keys', {
    ...{ token: operator.token, body: { name: 'Counter', permissions } },
  })
  const { body: customer } = await shop.request('POST', '/customers', {
    ...{ token: key.key, body: { externalId: 'walk-in', email: 'walk-in@example.com' } },
  })
  const designId = await shop.finalizedDesign({ ownerId: customer.id.replace(/^cus_/, 'usr_') })
  const body = { items: [{ designId, quantity: 1 }], shippingAddress: ADDRESS }
  const made = await shop.request('POST', '/orders', {
    ...{ token: key.key, body, headers: { 'Platen-Customer': customer.id } },
  })
  assert.equal(made.status, 201, made.text)
  const { body: seen } = await shop.request('GET', `/orders/${made.body.id}`, { token: operator.token })
  assert.deepEqual(
    seen.timeline.map(({ by, actor }: Entry & { by: string }) => [by, actor?.userId, actor?.apiKey?.name]),
    [['customer', operator.userId, 'Counter']],
  )
})
