import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { newBrowser } from '../../../test/fakes/sign-in/browser.ts'
import { startGoogle } from '../../../test/fakes/sign-in/google.ts'
import { createDatabase, startService } from '../../../test/harness.ts'
import { newId } from '../../../test/ids.ts'
import { ADDRESS, startShop } from '../../orders/factory.ts'
import { createRequestContext, runInRequest } from '../../platform/concurrency/request-context.ts'
import { openDatabase } from '../../platform/db/index.ts'
import { newGuestId, shareOf } from '../../platform/fair-share.ts'
import { createShares, findShare } from '../../platform/newcomers.ts'
import { createLog } from '../../platform/telemetry/log.ts'

/** Starts a shop with a customer who has registered, and opens guests of the same network. */
async function startWithNewcomer(t: TestContext) {
  const shop = await startShop(t)
  const { db, request, service } = shop
  const { userId, accessToken: token } = await service.register()
  const { token: operator } = await shop.signUp('operator')
  const openGuest = async () => {
    const { body: guest } = await request('POST', '/api/auth/guest')
    const newest = db.selectFrom('users').select('id').where('kind', '=', 'guest').orderBy('id', 'desc')
    return { ...guest, userId: (await newest.executeTakeFirstOrThrow()).id }
  }
  const pay = (orderId: string) =>
    request('POST', `/orders/${orderId}/payments`, { token: operator, body: { method: 'manual' } })
  const produce = async (orderId: string) => {
    assert.equal((await pay(orderId)).status, 200)
    const body = {}
    assert.equal((await request('POST', `/orders/${orderId}/start-production`, { token: operator, body })).status, 200)
  }
  return { shop, person: { userId, token }, openGuest, pay, produce, shareNow: () => findShare(db, userId) }
}

// A client may register any number of accounts, as it may open any number of guests.
test('a customer who registers has the share of the guests of its network until an order is in production', async (t) => {
  const { shop, person, openGuest, pay, produce, shareNow } = await startWithNewcomer(t)
  assert.equal(await shareNow(), shareOf((await openGuest()).userId))
  const [cancelled, produced] = [await shop.order({ person }), await shop.order({ person })]
  // Its owner may cancel a paid order and get the money back, any number of times.
  assert.equal((await pay(cancelled.order.id)).status, 200)
  assert.notEqual(await shareNow(), person.userId)
  const { status } = await shop.request('POST', `/orders/${cancelled.order.id}/cancel`, {
    token: person.token,
    body: {},
  })
  assert.equal(status, 200)
  assert.notEqual(await shareNow(), person.userId)
  await produce(produced.order.id)
  assert.equal(await shareNow(), person.userId)
})

test('a customer who claims a guest with an order in production has a share of its own', async (t) => {
  const { shop, person, openGuest, produce, shareNow } = await startWithNewcomer(t)
  const claim = (guestToken: string) =>
    shop.request('POST', '/api/auth/guest/claim', { token: person.token, body: { guestToken } })
  const [visitor, buyer] = [await openGuest(), await openGuest()]
  assert.equal((await claim(visitor.refreshToken)).status, 200)
  assert.notEqual(await shareNow(), person.userId)
  const designId = await shop.finalizedDesign({ ownerId: buyer.userId })
  const body = { items: [{ designId, quantity: 1 }], shippingAddress: { ...ADDRESS, email: 'guest@example.com' } }
  const { body: order } = await shop.request('POST', '/orders', { token: buyer.accessToken, body })
  await produce(order.id)
  assert.equal((await claim(buyer.refreshToken)).status, 200)
  assert.equal(await shareNow(), person.userId)
})

test('staff has shares of its own, and the erasure of an account erases its network', async (t) => {
  const { shop, person, shareNow } = await startWithNewcomer(t)
  const { db, request, service } = shop
  const { token: admin } = await shop.signUp('admin')
  const change = await request('PATCH', `/users/${person.userId}`, { token: admin, body: { role: 'operator' } })
  assert.equal(change.status, 200)
  assert.equal(await shareNow(), person.userId)
  const other = await service.register()
  assert.notEqual(await findShare(db, other.userId), other.userId)
  assert.equal((await request('DELETE', '/me', { token: other.accessToken })).status, 204)
  assert.deepEqual(await db.selectFrom('newcomers').select('user_id').execute(), [])
})

test('an account that a provider verifies has the share of the guests of its network', async (t) => {
  const google = await startGoogle(t)
  const service = await startService(t, { env: google.env })
  google.person = { sub: randomUUID(), email: `${randomUUID()}@example.com`, email_verified: true, name: 'Ada' }
  const { body } = await newBrowser(service).signIn('google')
  const { body: me } = await service.request('GET', '/me', { token: body.accessToken })
  assert.match(await findShare(service.db, me.id), /^guests /)
})

test('accounts that the shop created have a share of their own', async (t) => {
  const { db, signUp } = await startService(t)
  const { userId } = await signUp()
  assert.equal(await findShare(db, userId), userId)
})

test('shares are known without a query for visitors, and once found for others', async (t) => {
  const { db, signUp } = await startService(t)
  const { userId } = await signUp()
  const find = createShares(db)
  assert.equal(await find(userId), userId)
  await db.destroy()
  assert.equal(await find(userId), userId)
  const guest = newGuestId('usr', Uint8Array.of(1, 2, 3, 4))
  for (const [owner, share] of [
    [guest, shareOf(guest)],
    [shareOf(guest), shareOf(guest)],
    ['192.0.2.1', '192.0.2.1'],
  ] as const)
    assert.equal(await find(owner), share)
  await assert.rejects(async () => find(newId('user')))
})

test('a request gets the share of its owner although the client whose request looks it up leaves', async (t) => {
  const database = openDatabase({ ...(await createDatabase(t)), max: 1 }, createLog({ level: 'silent' }))
  t.after(() => database.close())
  const { promise: began, resolve: begin } = Promise.withResolvers<void>()
  const { promise: isFree, resolve: free } = Promise.withResolvers<void>()
  const busy = database.db.transaction().execute(async (trx) => {
    await sql`select`.execute(trx)
    begin()
    await isFree
  })
  await began
  const find = createShares(database.db)
  const owner = newId('user')
  const left = runInRequest({ ...createRequestContext(), hasLeft: () => true }, () => find(owner))
  const outcomes = Promise.allSettled([left, find(owner)])
  free()
  await busy
  assert.deepEqual((await outcomes)[1], { status: 'fulfilled', value: owner })
})
