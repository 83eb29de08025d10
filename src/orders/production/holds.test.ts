import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADDRESS, type Person, type Shop, startShop } from '../factory.ts'

const FLAT = { ...ADDRESS, line2: 'Hinterhaus, 3. Stock' }

interface People {
  shop: Shop
  customer: Person
  operator: Person
}

/** Creates an order on hold, with functions that act on it. */
async function makeHeld({ shop, customer, operator }: People, hold: object, { inProduction = false } = {}) {
  const { token, order } = await shop.order({ person: customer })
  const path = `/orders/${order.id}`
  const act = (action: string, body?: object) =>
    shop.request('POST', `${path}/${action}`, { token: operator.token, body })
  await act('payments', { method: 'manual' })
  if (inProduction) await act('start-production')
  const held = await act('hold', { reason: 'Which floor?', ...hold })
  const resolve = (body?: object, headers = {}) =>
    shop.request('POST', `${path}/resolve-hold`, { token, body, headers })
  const read = async () => (await shop.request('GET', path, { token })).body
  const events = async () => {
    const rows = await shop.db.selectFrom('events').select(['type', 'data']).orderBy('position').execute()
    // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
    return rows.filter(({ data }) => (data as any).id === order.id)
  }
  return { shop, token, order, path, act, held, resolve, read, events }
}

const action = (order: { availableActions: { action: string }[] }) =>
  order.availableActions.find((one) => one.action === 'resolve_hold')

const tail = (order: { timeline: { type: string; by: string; reason?: string }[] }, count: number) =>
  order.timeline.slice(-count).map(({ type, by, reason = null }) => [type, by, reason])

test('customers can resolve a hold only as its resolution states', async (t) => {
  const shop = await startShop(t)
  const people = { shop, customer: await shop.signUp(), operator: await shop.signUp('operator') }

  await t.test('a new postal address releases the order', async () => {
    const { held, resolve, read, events } = await makeHeld(people, { resolution: 'address' }, { inProduction: true })
    const { reason, since, resolution, statusBefore } = held.body.hold
    assert.deepEqual([held.status, reason, resolution, statusBefore], [200, 'Which floor?', 'address', 'in_production'])
    assert.equal(since, held.body.timeline.at(-1).at)
    const shown = await read()
    assert.deepEqual([shown.hold, action(shown)], [held.body.hold, { action: 'resolve_hold', allowed: true }])
    const answer = await resolve({ shippingAddress: FLAT, message: 'Ring twice.' })
    assert.deepEqual([answer.status, answer.body.status, answer.body.hold], [200, 'in_production', undefined])
    assert.deepEqual(answer.body.shippingAddress, FLAT)
    assert.deepEqual(tail(answer.body, 2), [
      ['order.address_changed', 'customer', null],
      ['order.released', 'customer', 'Ring twice.'],
    ])
    assert.deepEqual(answer.body, await read())
    const told = (await events()).at(-1)
    assert.deepEqual([told?.type, told?.data], ['order.in_production', answer.body])
    const again = await resolve({ shippingAddress: FLAT })
    assert.deepEqual([again.status, again.body.orderStatus], [409, 'in_production'])
  })

  await t.test('sending the same postal address confirms it', async () => {
    const { resolve } = await makeHeld(people, { resolution: 'address' })
    const { body } = await resolve({ shippingAddress: ADDRESS })
    assert.deepEqual(tail(body, 2), [
      ['order.on_hold', 'operator', 'Which floor?'],
      ['order.released', 'customer', null],
    ])
  })

  await t.test('country and region of the postal address cannot change', async () => {
    const { resolve, read } = await makeHeld(people, { resolution: 'address' })
    const before = await read()
    const refusals: [object, string, string][] = [
      [{ city: 'Wien', postalCode: '1010', country: 'AT' }, 'address_destination_changed', 'country'],
      [{ region: 'Bayern' }, 'address_destination_changed', 'region'],
      [{ postalCode: 'SW1A 1AA' }, 'address_invalid', 'postalCode'],
    ]
    for (const [changes, code, name] of refusals) {
      const { status, body } = await resolve({ shippingAddress: { ...ADDRESS, ...changes } })
      assert.deepEqual([status, body.code, body.errors[0].pointer], [422, code, `/shippingAddress/${name}`])
    }
    assert.deepEqual(await read(), before)
  })

  await t.test('a confirmation releases the order if the hold asks for one', async () => {
    const { resolve, read } = await makeHeld(people, { resolution: 'confirmation' })
    const before = await read()
    const refused = await resolve({ shippingAddress: FLAT })
    assert.deepEqual(
      [refused.status, refused.body.code, refused.body.errors[0].pointer],
      [422, 'hold_answer_unfit', '/shippingAddress'],
    )
    assert.deepEqual(await read(), before)
    const answer = await resolve()
    assert.deepEqual([answer.status, answer.body.status], [200, 'confirmed'])
    assert.deepEqual(tail(answer.body, 1), [['order.released', 'customer', null]])
  })

  await t.test('by default the customer replies once, and the shop decides', async () => {
    const { held, resolve, act, events } = await makeHeld(people, {})
    assert.deepEqual([held.body.hold.resolution, held.body.hold.statusBefore], ['answer', 'confirmed'])
    const empty = await resolve({})
    assert.deepEqual([empty.status, empty.body.errors[0].pointer], [422, '/message'])
    const answer = await resolve({ message: 'The third,\nleft.', shippingAddress: FLAT })
    assert.deepEqual([answer.status, answer.body.status, answer.body.shippingAddress], [200, 'on_hold', FLAT])
    assert.equal(answer.body.hold.answeredAt, answer.body.updatedAt)
    assert.deepEqual(tail(answer.body, 2), [
      ['order.address_changed', 'customer', null],
      ['order.hold_answered', 'customer', 'The third,\nleft.'],
    ])
    const told = (await events()).at(-1)
    assert.deepEqual([told?.type, told?.data], ['order.on_hold', answer.body])
    const again = await resolve({ message: 'No, the fourth.' })
    assert.deepEqual(
      [again.status, again.body.detail],
      [409, 'The customer has replied already. The shop decides how the order continues.'],
    )
    assert.deepEqual(action(answer.body), { action: 'resolve_hold', allowed: false, reason: again.body.detail })
    assert.equal((await act('release')).body.status, 'confirmed')
    const anew = await act('hold', { reason: 'And which bell?' })
    assert.deepEqual([anew.body.hold.reason, anew.body.hold.answeredAt], ['And which bell?', undefined])
    assert.equal((await resolve({ message: 'Lovelace' })).status, 200)
  })

  await t.test('a hold with resolution none cannot be resolved by the customer', async () => {
    const { resolve, read } = await makeHeld(people, { resolution: 'none' })
    const refused = await resolve({ message: 'Hurry!' })
    assert.deepEqual([refused.status, refused.body.code], [409, 'order_action_refused'])
    assert.equal(refused.body.detail, 'Only the shop can resolve this hold.')
    assert.deepEqual(action(await read()), { action: 'resolve_hold', allowed: false, reason: refused.body.detail })
  })

  await t.test('only the owner can resolve a hold', async () => {
    const { path, resolve, token } = await makeHeld(people, {})
    const stranger = await shop.signUp()
    for (const caller of [stranger.token, people.operator.token]) {
      const answer = await shop.request('POST', `${path}/resolve-hold`, { token: caller, body: { message: 'Yes' } })
      assert.deepEqual([answer.status, answer.body.code], [404, 'order_not_found'])
    }
    const reading = await shop.signUpKey('customer', ['orders:read'])
    const scoped = await shop.request('POST', `${path}/resolve-hold`, {
      token: reading.token,
      body: { message: 'Yes' },
    })
    assert.equal(scoped.status, 403)
    assert.equal((await shop.request('POST', `${path}/resolve-hold`, { body: { message: 'Yes' } })).status, 401)
    for (const body of [{ message: '' }, { message: 'a\u0000b' }, { reason: 'Yes' }, { message: 'x'.repeat(1001) }]) {
      assert.equal((await resolve(body)).status, 400)
    }
    assert.equal((await shop.request('POST', `${path}/hold`, { token, body: { reason: 'x' } })).status, 403)
  })

  await t.test('a reply repeated with its idempotency key is applied once', async () => {
    const { resolve, read } = await makeHeld(people, {})
    const key = { 'idempotency-key': 'answer-1' }
    const first = await resolve({ message: 'The third' }, key)
    const second = await resolve({ message: 'The third' }, key)
    assert.deepEqual([second.status, second.body], [200, first.body])
    assert.equal(second.headers.get('idempotent-replayed'), 'true')
    assert.deepEqual(await read(), first.body)
  })

  await t.test('a hold of an older version accepts a reply', async () => {
    const { resolve, order } = await makeHeld(people, { resolution: 'none' })
    await shop.db.updateTable('orders').set({ hold_resolution: null }).where('id', '=', order.id).execute()
    assert.equal((await resolve({ message: 'The third' })).body.hold.resolution, 'answer')
  })

  await t.test('the database accepts the four hold resolutions only', async () => {
    const { act } = await makeHeld(people, {})
    assert.equal((await act('hold', { reason: 'x', resolution: 'pay more' })).status, 400)
  })
})
