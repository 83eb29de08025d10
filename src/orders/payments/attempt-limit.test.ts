import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { ADDRESS, startShop } from '../factory.ts'

// Each declined attempt adds an event with the whole order, also while too little disk space is free.
test('an account makes twenty payment attempts an hour that take no money', async (t) => {
  const shop = await startShop(t)
  const customer = await shop.signUp()
  const pay = async (orderId: string, token: string, as = customer) =>
    shop.request('POST', `/orders/${orderId}/pay`, { token: as.token, body: { token } })
  const { order } = await shop.order({ person: customer })
  const readUnpaid = async () =>
    (await shop.db.selectFrom('storage_unpaid').select('bytes').where('subject', '=', order.id).executeTakeFirst())
      ?.bytes ?? 0
  const ordered = await readUnpaid()
  const countEvents = async () => (await shop.db.selectFrom('events').select('id').execute()).length

  for (let attempt = 1; attempt <= 19; attempt += 1)
    assert.equal((await pay(order.id, 'test_declined')).status, 402, `attempt ${attempt}`)
  for (let paid = 1; paid <= 2; paid += 1)
    assert.equal((await pay((await shop.order({ person: customer })).order.id, 'test_ok')).status, 200)
  assert.equal((await pay(order.id, 'test_declined')).status, 402)

  const attempts = Number(await readUnpaid()) - Number(ordered)
  assert.ok(attempts > 20 * 1_000, `the events of attempts count: ${attempts}`)
  const before = await countEvents()
  const refused = await pay(order.id, 'test_declined')
  assert.deepEqual([refused.status, refused.body.code], [429, 'rate_limited'])
  assert.ok(Number(refused.headers.get('retry-after')) > 3000)
  assert.equal(await countEvents(), before)
  const other = await shop.signUp()
  const { order: others } = await shop.order({ person: other })
  assert.equal((await pay(others.id, 'test_declined', other)).status, 402)
})

// A client may open any number of guests, and many customers can have one IP address.
test('a guest makes twenty payment attempts an hour, and all guests of its network six hundred together', async (t) => {
  const shop = await startShop(t)
  const pay = async ({ id, token }: { id: string; token: string }) =>
    (await shop.request('POST', `/orders/${id}/pay`, { token, body: { token: 'test_declined' } })).status
  const users = await shop.db.selectFrom('users').select('id').execute()
  const known = new Set(['none', ...users.map(({ id }) => id)])
  const sell = async () => {
    const { body: guest } = await shop.request('POST', '/api/auth/guest')
    const { id: userId } = await shop.db
      .selectFrom('users')
      .select('id')
      .where('id', 'not in', [...known])
      .executeTakeFirstOrThrow()
    known.add(userId)
    const designId = await shop.finalizedDesign({ ownerId: userId })
    const body = { items: [{ designId, quantity: 1 }], shippingAddress: { ...ADDRESS, email: 'guest@example.com' } }
    const { body: order } = await shop.request('POST', '/orders', { token: guest.accessToken, body })
    return { id: order.id, token: guest.accessToken }
  }
  const [first, second] = [await sell(), await sell()]
  for (let attempt = 1; attempt <= 20; attempt += 1) assert.equal(await pay(first), 402, String(attempt))
  assert.deepEqual([await pay(first), await pay(second)], [429, 402])
  await sql`
    update account_operations set performed_at = array_fill(${shop.service.clock.now()}::timestamptz, array[600])
    where operation = 'attempt_payment_of_guests'`.execute(shop.db)
  assert.equal(await pay(second), 429)
})
