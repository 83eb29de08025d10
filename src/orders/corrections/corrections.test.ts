import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ADDRESS, startShop } from '../factory.ts'

const FLAT = { ...ADDRESS, line2: 'Hinterhaus, 3. Stock' }

async function start(t: TestContext) {
  const shop = await startShop(t)
  const [customer, operator] = [await shop.signUp(), await shop.signUp('operator')]
  await shop.request('PATCH', '/me', { token: operator.token, body: { name: 'Grace' } })
  const { order } = await shop.order({ person: customer })
  const path = `/orders/${order.id}`
  const act = async (action: string, body?: object) => {
    const answer = await shop.request('POST', `${path}/${action}`, { token: operator.token, body })
    assert.ok(answer.status < 300, answer.text)
    return answer.body
  }
  const change = (body: object, { token = operator.token, headers = {}, of = path } = {}) =>
    shop.request('PATCH', of, { token, body, headers })
  const read = async ({ token } = operator) => (await shop.request('GET', path, { token })).body
  const events = async () => {
    const rows = await shop.db.selectFrom('events').select(['type', 'data']).orderBy('position').execute()
    // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
    return rows.filter(({ data }) => (data as any).id === order.id)
  }
  return { shop, customer, operator, path, act, change, read, events }
}

test('operators correct the postal address until a parcel leaves, and customers see that and who is told', async (t) => {
  const { customer, path, act, change, read, events } = await start(t)
  await act('payments', { method: 'manual' })
  await act('hold', { reason: 'Which floor?', resolution: 'address' })
  const before = await read()
  const changed = await change({ shippingAddress: FLAT }, { headers: { 'If-Match': `"${before.revision}"` } })
  assert.equal(changed.status, 200, changed.text)
  assert.deepEqual([changed.body.shippingAddress, changed.body.status], [FLAT, 'on_hold'])
  assert.equal(changed.headers.get('etag'), `"${changed.body.revision}"`)
  assert.deepEqual(changed.body.amounts, before.amounts)
  const entry = changed.body.timeline.at(-1)
  assert.deepEqual([entry.type, entry.by, entry.actor.name], ['order.address_changed', 'operator', 'Grace'])

  const own = await read(customer)
  assert.deepEqual([own.shippingAddress, own.timeline.at(-1).type], [FLAT, 'order.address_changed'])
  const told = (await events()).at(-1)
  assert.deepEqual([told?.type, told?.data], ['order.address_changed', own])

  const same = await change({ shippingAddress: FLAT })
  assert.deepEqual([same.status, same.body], [200, changed.body], 'the same postal address changes nothing')
  const stale = await change({ shippingAddress: ADDRESS }, { headers: { 'If-Match': `"${before.revision}"` } })
  assert.deepEqual([stale.status, stale.body.order.revision], [412, changed.body.revision])

  await act('release')
  await act('start-production')
  await act('shipments', { carrier: 'DHL', items: [{ itemId: before.items[0].id, quantity: 1 }] })
  const late = await change({ shippingAddress: ADDRESS })
  assert.deepEqual(
    [late.status, late.body.code, late.body.orderStatus],
    [409, 'order_action_refused', 'partially_shipped'],
  )
  assert.deepEqual((await read()).shippingAddress, FLAT)
  assert.equal((await change({ shippingAddress: ADDRESS }, { of: `${path}x` })).status, 404)
})

test('a correction that would change the price of an order is refused', async (t) => {
  const { change, read } = await start(t)
  const before = await read()
  const refusals: [object, string, string][] = [
    [{ city: 'Wien', postalCode: '1010', country: 'AT' }, 'address_destination_changed', 'country'],
    [{ region: 'Bayern' }, 'address_destination_changed', 'region'],
    [{ postalCode: 'SW1A 1AA' }, 'address_invalid', 'postalCode'],
  ]
  for (const [changes, code, name] of refusals) {
    const { status, body } = await change({ shippingAddress: { ...ADDRESS, ...changes } })
    assert.deepEqual([status, body.code, body.errors[0].pointer], [422, code, `/shippingAddress/${name}`])
  }
  assert.deepEqual(await read(), before)
})

test('operators add and correct the tracking of a parcel, and an equal request records nothing', async (t) => {
  const { shop, customer, path, act, change, read, events } = await start(t)
  await act('payments', { method: 'manual' })
  await act('start-production')
  const { id } = await act('shipments', { carrier: 'DHL' })
  const of = `${path}/shipments/${id}`
  const { revision } = await read()
  const tracking = { trackingNumber: '0034', trackingUrl: 'https://parcels.example/0034' }
  const added = await change(tracking, { of, headers: { 'If-Match': `"${revision}"` } })
  assert.equal(added.status, 200, added.text)
  const { carrier, trackingNumber, trackingUrl } = added.body
  assert.deepEqual([carrier, trackingNumber, trackingUrl], ['DHL', '0034', tracking.trackingUrl])
  const own = await read(customer)
  assert.deepEqual([own.shipments, own.timeline.at(-1).type], [[added.body], 'shipment.updated'])
  const told = (await events()).at(-1)
  assert.deepEqual([told?.type, told?.data], ['shipment.updated', own])

  const stale = await change({ carrier: 'Post' }, { of, headers: { 'If-Match': `"${revision}"` } })
  assert.equal(stale.status, 412)
  const equal = await change(tracking, { of })
  assert.deepEqual([equal.body, (await read()).timeline.length], [added.body, own.timeline.length])
  const corrected = await change({ carrier: 'Post', trackingUrl: null }, { of })
  assert.deepEqual([corrected.body.carrier, corrected.body.trackingUrl], ['Post', null])
  await act(`shipments/${id}/deliver`)
  assert.equal((await change({ trackingNumber: '0035' }, { of })).body.status, 'delivered')
  const unknown = await change({ carrier: 'Post' }, { of: `${of}x` })
  assert.deepEqual([unknown.status, unknown.body.code], [404, 'shipment_not_found'])
  for (const body of [{}, { carrier: null }, { trackingUrl: 'javascript:alert(1)' }]) {
    assert.equal((await change(body, { of })).status, 400, JSON.stringify(body))
  }
  const packer = await shop.signUpKey('operator', ['orders:read', 'shipping:write'])
  assert.equal((await change({ carrier: 'UPS' }, { of, token: packer.token })).status, 200)
})

test('customers, and keys without the permission, correct nothing', async (t) => {
  const { shop, customer, path, act, change, read } = await start(t)
  await act('payments', { method: 'manual' })
  await act('start-production')
  const { id } = await act('shipments', { carrier: 'DHL' })
  const before = await read()
  const reader = await shop.signUpKey('operator', ['orders:read', 'production:write'])
  const calls: [object, string][] = [
    [{ shippingAddress: FLAT }, path],
    [{ carrier: 'Post' }, `${path}/shipments/${id}`],
  ]
  for (const [body, of] of calls) {
    const [own, key] = [
      await change(body, { of, token: customer.token }),
      await change(body, { of, token: reader.token }),
    ]
    assert.deepEqual([own.status, own.body.code], [403, 'insufficient_role'])
    assert.deepEqual([key.status, key.body.code], [403, 'insufficient_scope'])
  }
  assert.deepEqual(await read(), before)
})
