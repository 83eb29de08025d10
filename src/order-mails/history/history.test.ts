import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startMailServer } from '../../../test/fakes/mail-server.ts'
import { until } from '../../../test/lib/until.ts'
import { ADDRESS } from '../../orders/factory.ts'
import { type MailShop, startMailShop } from '../factory.ts'

const EMAIL = 'parcels@example.com'

/** Creates a paid order with an email address of its own. */
async function placeOrder({ request, signUp, finalizedDesign, act, operator }: MailShop) {
  const person = await signUp()
  const designId = await finalizedDesign({ ownerId: person.userId })
  const body = { items: [{ designId, quantity: 1 }], shippingAddress: { ...ADDRESS, email: EMAIL } }
  const { body: order } = await request('POST', '/orders', { token: person.token, body })
  await act(operator, order.id, 'payments', { method: 'manual' })
  const mails = async (token = operator.token) => request('GET', `/orders/${order.id}/mails`, { token })
  return { person, id: order.id as string, mails }
}

interface Mail {
  kind: string
  status: string
  reason?: string
  to: string | null
  createdAt: string
  endedAt: string | null
}

const shown = (mails: Mail[]) => mails.map(({ kind, status, to }) => [kind, status, to])

test('operators see to whom, when and in which order the mails about an order went', async (t) => {
  const server = await startMailServer(t)
  const shop = await startMailShop(t, { env: { PLATEN_SMTP_URL: server.url } })
  const { id, mails } = await placeOrder(shop)
  await shop.act(shop.operator, id, 'hold', { reason: 'Which floor?', resolution: 'address' })
  await shop.untilIdle()
  const { status, body } = await mails()
  assert.equal(status, 200)
  assert.equal(body.sending, 'on')
  assert.deepEqual(shown(body.data), [
    ['order_received', 'sent', EMAIL],
    ['order_paid', 'sent', EMAIL],
    ['order_on_hold', 'sent', EMAIL],
  ])
  const [first] = body.data
  assert.ok(Date.parse(first.endedAt) >= Date.parse(first.createdAt))

  // A corrected email address does not change to whom earlier mails went.
  const corrected = { shippingAddress: { ...ADDRESS, email: 'other@example.com' } }
  await shop.request('PATCH', `/orders/${id}`, { token: shop.operator.token, body: corrected })
  await shop.act(shop.operator, id, 'release')
  await shop.act(shop.operator, id, 'start-production')
  await shop.act(shop.operator, id, 'shipments', { carrier: 'DHL' })
  await shop.untilIdle()
  assert.deepEqual(shown((await mails()).body.data).slice(-2), [
    ['order_on_hold', 'sent', EMAIL],
    ['order_shipped', 'sent', 'other@example.com'],
  ])
})

test('without a mail server, mails are stored; without an email address, they are skipped with the reason', async (t) => {
  const shop = await startMailShop(t)
  const { mails } = await placeOrder(shop)
  await shop.untilIdle()
  const stored = (await mails()).body
  assert.equal(stored.sending, 'outbox')
  assert.deepEqual(shown(stored.data)[0], ['order_received', 'stored', EMAIL])

  const key = await shop.signUpKey('operator', ['write', 'customers:write', 'orders:read'])
  const { body: customer } = await shop.request('POST', '/customers', { token: key.token, body: { externalId: 'a1' } })
  const designId = await shop.finalizedDesign({ ownerId: customer.id.replace('cus_', 'usr_') })
  const { body: order } = await shop.request('POST', '/orders', {
    token: key.token,
    headers: { 'Platen-Customer': customer.id },
    body: { items: [{ designId, quantity: 1 }], shippingAddress: ADDRESS },
  })
  await shop.untilIdle()
  const { body } = await shop.request('GET', `/orders/${order.id}/mails`, { token: shop.operator.token })
  assert.deepEqual([body.data[0].status, body.data[0].reason, body.data[0].to], ['skipped', 'no_email_address', null])
})

test('the operator sees that mails wait while sending is off', async (t) => {
  const shop = await startMailShop(t, { env: { PLATEN_SEND: 'off' } })
  const { mails } = await placeOrder(shop)
  await until('the mail waits', async () => (await mails()).body.data.length > 0)
  const { sending, data } = (await mails()).body
  assert.deepEqual([sending, data[0].status, data[0].endedAt], ['paused', 'waiting', null])
})

test('the operator sees that there are no mails about orders while they are off', async (t) => {
  const shop = await startMailShop(t, { env: { PLATEN_ORDER_MAILS: 'off' } })
  const { mails } = await placeOrder(shop)
  assert.deepEqual((await mails()).body, { sending: 'off', data: [] })
})

test('customers do not read the list of mails, their export has it, and erasure removes the email addresses', async (t) => {
  const shop = await startMailShop(t)
  const { person, id, mails } = await placeOrder(shop)
  await shop.act(person, id, 'cancel')
  await shop.untilIdle()
  const refused = await mails(person.token)
  assert.deepEqual([refused.status, refused.body.code], [403, 'insufficient_role'])
  const unknown = await shop.request('GET', `/orders/${id}x/mails`, { token: shop.operator.token })
  assert.deepEqual([unknown.status, unknown.body.code], [404, 'order_not_found'])
  const { data } = (await mails()).body
  const { body } = await shop.request('GET', '/me/export', { token: person.token })
  assert.deepEqual(
    body.orderMails,
    data.map((mail: Mail) => ({ orderId: id, ...mail })),
  )

  assert.equal((await shop.request('DELETE', '/me', { token: person.token })).status, 204)
  await until('the erasure', async () => {
    const left = shop.db.selectFrom('order_mails').select('id').where('recipient', 'is not', null)
    return (await left.executeTakeFirst()) === undefined
  })
  assert.deepEqual(
    (await mails()).body.data.map(({ to }: Mail) => to),
    data.map(() => null),
  )
})

test('staff who may not read customers do not see to which email address a mail went', async (t) => {
  const shop = await startMailShop(t)
  const { mails } = await placeOrder(shop)
  await shop.untilIdle()
  const packing = await shop.service.signUp({ role: 'operator', staffRole: 'packing' })
  const { status, body } = await mails(packing.accessToken)
  assert.equal(status, 200)
  assert.ok(body.data.length > 0)
  assert.ok(body.data.every(({ to }: Mail) => to === null))
})
