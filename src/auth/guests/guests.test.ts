import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { untilEventsVisible } from '../../../test/harness.ts'
import { until } from '../../../test/lib/until.ts'
import { makePng, upload } from '../../assets/factory.ts'
import { CARD } from '../../designs/factory.ts'
import { ADDRESS, startShop } from '../../orders/factory.ts'
import { shareOf } from '../../platform/fair-share.ts'
import { setQuota } from '../../platform/storage/index.ts'
import { createUnpaidBound } from '../../platform/storage/quota/unpaid.ts'
import { createProduct } from '../../products/change-product.ts'
import { userIdOf } from '../users/customer-id.ts'
import { eraseUnusedGuests } from './erase-unused.ts'

async function startWithGuest(t: TestContext, env: Record<string, string> = {}) {
  const shop = await startShop(t, undefined, { env })
  const { db, request, service } = shop
  const product = await db.transaction().execute((trx) => createProduct(trx, CARD, service.clock.now()))
  const openGuest = async (headers: Record<string, string> = {}) => {
    const opened = await request('POST', '/api/auth/guest', { headers })
    assert.equal(opened.status, 201, opened.text)
    return opened.body as { accessToken: string; refreshToken: string; status: string; tokenType: string }
  }
  const addDesign = (token: string) =>
    request('POST', '/designs', { token, body: { productId: product.id, variantId: product.variants[0]?.id } })
  const claim = (token: string, guestToken: string) =>
    request('POST', '/api/auth/guest/claim', { token, body: { guestToken } })
  return { shop, request, openGuest, addDesign, claim }
}

test('a guest designs without an account, and its refresh is that of a guest', async (t) => {
  const { request, openGuest, addDesign } = await startWithGuest(t)
  const guest = await openGuest()
  assert.deepEqual([guest.status, guest.tokenType], ['guest', 'Bearer'])
  const design = await addDesign(guest.accessToken)
  assert.match(design.body.customerId, /^cus_/)
  const { body: refreshed } = await request('POST', '/api/auth/refresh', { body: { refreshToken: guest.refreshToken } })
  assert.equal(refreshed.status, 'guest')
  const { status } = await request('GET', `/designs/${design.body.id}`, { token: refreshed.accessToken })
  assert.equal(status, 200)
})

test('the language of a guest is the first usable one of its browser', async (t) => {
  const { shop, openGuest } = await startWithGuest(t)
  await openGuest()
  await openGuest({ 'accept-language': 'en;q=0.8, de-AT, no tag at all' })
  await openGuest({ 'accept-language': `*, ${'x'.repeat(36)}` })
  const rows = await shop.db
    .selectFrom('users')
    .select('locale')
    .where('kind', '=', 'guest')
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  assert.deepEqual(rows.map(({ locale }) => locale).sort(), ['de-AT', null, null])
})

test('guests of one network share one share of the service, and another network has its own', async (t) => {
  const { openGuest, addDesign } = await startWithGuest(t, { PLATEN_TRUSTED_PROXIES: 'loopback' })
  const shareFrom = async (ip: string) => {
    const { accessToken } = await openGuest({ 'x-forwarded-for': ip })
    return shareOf(userIdOf((await addDesign(accessToken)).body.customerId))
  }
  const [one, same, other] = [await shareFrom('192.0.2.1'), await shareFrom('192.0.2.1'), await shareFrom('192.0.2.2')]
  assert.equal(one, same)
  assert.notEqual(one, other)
})

test('a guest reaches nothing of accounts, keys, customers, events and webhooks, and can log out', async (t) => {
  const { request, openGuest } = await startWithGuest(t)
  const { accessToken: token } = await openGuest()
  const status = async (method: string, path: string) => (await request(method, path, { token })).status
  for (const path of [
    '/me',
    '/me/export',
    '/api/auth/sessions',
    '/api/auth/mfa',
    '/api/api-keys',
    '/customers',
    '/events',
  ])
    assert.equal(await status('GET', path), 403, path)
  assert.equal(await status('GET', '/webhook-endpoints'), 403)
  for (const path of ['/designs', '/assets', '/orders', '/products', '/fonts'])
    assert.equal(await status('GET', path), 200, path)
  assert.equal(await status('POST', '/api/auth/logout'), 204)
  assert.equal(await status('GET', '/designs'), 401)
})

test('a guest has at most 20 designs, also with requests at once, and 50 MiB', async (t) => {
  const { shop, request, openGuest, addDesign } = await startWithGuest(t)
  const { accessToken: token } = await openGuest()
  for (let count = 0; count < 18; count += 1) assert.equal((await addDesign(token)).status, 201)
  const last = await Promise.all([1, 2, 3, 4].map(() => addDesign(token)))
  assert.deepEqual(last.map(({ status }) => status).sort(), [201, 201, 403, 403])
  const refused = last.find(({ status }) => status === 403)
  assert.equal(refused?.body.code, 'guest_limit_reached')
  const { body: list } = await request('GET', '/designs', { token })
  assert.equal((await request('POST', `/designs/${list.data[0].id}/duplicate`, { token })).status, 403)
  assert.equal((await request('DELETE', `/designs/${list.data[0].id}`, { token })).status, 204)
  assert.equal((await addDesign(token)).status, 201)
  const big = await upload(shop.service, token, new Uint8Array(51 * 1024 * 1024))
  assert.deepEqual([big.status, big.body.code, big.body.quota], [413, 'storage_quota_exceeded', 50 * 1024 * 1024])
})

test('a guest has at most 500 designs with the archived ones, because a claim moves all of them', async (t) => {
  const { shop, request, openGuest, addDesign } = await startWithGuest(t)
  const { accessToken: token } = await openGuest()
  const { body: design } = await addDesign(token)
  assert.equal((await request('DELETE', `/designs/${design.id}`, { token })).status, 204)
  await sql`
    insert into designs
    select (jsonb_populate_record(d, jsonb_build_object('id', left(d.id, 20) || lpad(n::text, 10, '0')))).*
    from designs d cross join generate_series(1, 498) n where d.id = ${design.id}`.execute(shop.db)
  assert.equal((await addDesign(token)).status, 201)
  const refused = await addDesign(token)
  assert.deepEqual([refused.status, refused.body.code], [403, 'guest_limit_reached'])
})

test('a guest orders only with an email address in the postal address', async (t) => {
  const { shop, request, openGuest, addDesign } = await startWithGuest(t)
  const { accessToken: token } = await openGuest()
  const { body: made } = await addDesign(token)
  const designId = await shop.finalizedDesign({ ownerId: userIdOf(made.customerId) })
  const { email: _, ...withoutEmail } = { email: '', ...ADDRESS }
  const order = (shippingAddress: object) =>
    request('POST', '/orders', { token, body: { items: [{ designId, quantity: 1 }], shippingAddress } })
  const refused = await order(withoutEmail)
  assert.deepEqual(
    [refused.status, refused.body.code, refused.body.pointer],
    [422, 'email_required', '/shippingAddress/email'],
  )
  const quote = await request('POST', '/quotes', {
    token,
    body: { items: [{ designId, quantity: 1 }], shippingAddress: withoutEmail },
  })
  const fromQuote = await request('POST', '/orders', { token, body: { quoteId: quote.body.id } })
  assert.deepEqual([fromQuote.status, fromQuote.body.code], [422, 'email_required'])
  assert.equal((await order({ ...withoutEmail, email: 'guest@example.com' })).status, 201)
})

test('a claim moves designs, assets and orders to the account once, and ends the guest at once', async (t) => {
  const { shop, request, openGuest, addDesign, claim } = await startWithGuest(t)
  const guest = await openGuest()
  const { body: design } = await addDesign(guest.accessToken)
  await upload(shop.service, guest.accessToken, await makePng('#010203'))
  const designId = await shop.finalizedDesign({ ownerId: userIdOf(design.customerId) })
  const body = { items: [{ designId, quantity: 1 }], shippingAddress: { ...ADDRESS, email: 'guest@example.com' } }
  const { body: order } = await request('POST', '/orders', { token: guest.accessToken, body })
  const { token } = await shop.signUp()
  const claims = await Promise.all([claim(token, guest.refreshToken), claim(token, guest.refreshToken)])
  assert.deepEqual(claims.map(({ status }) => status).sort(), [200, 400])
  assert.deepEqual(claims.find(({ status }) => status === 200)?.body, { designs: 2, assets: 1, orders: 1 })
  assert.equal(claims.find(({ status }) => status === 400)?.body.code, 'invalid_guest_token')
  assert.equal((await request('GET', '/designs', { token: guest.accessToken })).status, 401)
  const refresh = await request('POST', '/api/auth/refresh', { body: { refreshToken: guest.refreshToken } })
  assert.equal(refresh.status, 401)
  const { body: mine } = await request('GET', `/designs/${design.id}`, { token })
  const { body: me } = await request('GET', '/me', { token })
  assert.equal(mine.customerId, me.customerId)
  assert.equal((await request('GET', `/orders/${order.id}`, { token })).body.customerId, me.customerId)
  await untilEventsVisible(shop.db)
  const { body: events } = await request('GET', '/events', { token })
  assert.ok(events.data.some(({ subject }: { subject: string }) => subject === order.id))
  const { body: storage } = await request('GET', '/me/storage', { token })
  assert.ok(storage.used > 0)
})

test('what a guest stores while it is claimed reaches the account, also after a second move and the erasure', async (t) => {
  const { shop, request, openGuest, addDesign, claim } = await startWithGuest(t)
  const guest = await openGuest()
  const guestId = userIdOf((await addDesign(guest.accessToken)).body.customerId)
  const { token, userId } = await shop.signUp()
  // Both requests charge the storage of the guest last, so the claim has moved its designs when the late one appears.
  const held = await shop.db.startTransaction().execute()
  await held.selectFrom('storage_usage').select('bytes').where('owner_id', '=', guestId).forUpdate().execute()
  const late = addDesign(guest.accessToken)
  await shop.service.untilBlocked(1)
  const claimed = claim(token, guest.refreshToken)
  await shop.service.untilBlocked(2)
  await held.commit().execute()
  const { status, body: design } = await late
  assert.deepEqual([status, (await claimed).status], [201, 200])
  const read = () => request('GET', `/designs/${design.id}`, { token })
  assert.equal((await read()).status, 200)

  const run = async (name: string, payload: object) => {
    await shop.service.services.auth.jobs.find((job) => job.name === name)?.handle(payload)
  }
  const { rows: jobs } = await sql<{ task: string }>`
    select task_identifier as task from graphile_worker.jobs where task_identifier = 'auth.move_rest'`.execute(shop.db)
  assert.equal(jobs.length, 4)
  // As a request would store it that ends after the response of the claim.
  await shop.db.updateTable('designs').set({ owner_id: guestId }).where('id', '=', design.id).execute()
  await run('auth.move_rest', { userId: guestId })
  assert.equal((await read()).status, 200)

  // As an upload over a slow connection would store it.
  await shop.db.updateTable('designs').set({ owner_id: guestId }).where('id', '=', design.id).execute()
  await run('auth.erase', { userId: guestId })
  assert.equal((await read()).status, 200)
  await shop.db.updateTable('designs').set({ owner_id: guestId }).where('id', '=', design.id).execute()
  shop.service.clock.shift(2 * 3600)
  await run('auth.erase', {})
  const row = await shop.db.selectFrom('designs').select('owner_id').where('id', '=', design.id).executeTakeFirst()
  assert.equal(row?.owner_id, userId)
})

test('a claim that a request of the guest conflicts with is repeated', async (t) => {
  const { shop, openGuest, addDesign, claim } = await startWithGuest(t)
  const guest = await openGuest()
  const { body: design } = await addDesign(guest.accessToken)
  const { token } = await shop.signUp()
  // The trigger makes the first attempt fail as a deadlock does. A sequence keeps its value after a rollback.
  await sql`create sequence attempts`.execute(shop.db)
  await sql`create function fail_once() returns trigger language plpgsql as $$ begin
    if nextval('attempts') = 1 then raise exception 'deadlock detected' using errcode = '40P01'; end if;
    return new; end $$`.execute(shop.db)
  await sql`create trigger fail_once before update of owner_id on designs for each row execute function fail_once()`.execute(
    shop.db,
  )
  const claimed = await claim(token, guest.refreshToken)
  assert.deepEqual([claimed.status, claimed.body.designs], [200, 1])
  assert.equal((await shop.request('GET', `/designs/${design.id}`, { token })).status, 200)
})

test('a claim that would exceed the storage quota of the account moves nothing', async (t) => {
  const { shop, request, openGuest, claim } = await startWithGuest(t)
  const guest = await openGuest()
  await upload(shop.service, guest.accessToken, await makePng('#010203'))
  const { token, userId } = await shop.signUp()
  const limit = (bytes: number) => shop.db.transaction().execute((trx) => setQuota(trx, userId, bytes))
  await limit(10)
  const refused = await claim(token, guest.refreshToken)
  assert.deepEqual([refused.status, refused.body.code, refused.body.quota], [413, 'storage_quota_exceeded', 10])
  assert.equal((await request('GET', '/assets', { token: guest.accessToken })).body.data.length, 1)
  await limit(1_000_000)
  assert.equal((await claim(token, guest.refreshToken)).body.assets, 1)
})

// A guest can have made tens of thousands of requests, and the events of everyone wait for the transaction of a claim.
test('a claim does not wait for the requests of the guest, which a job moves afterwards', async (t) => {
  const { shop, openGuest, addDesign, claim } = await startWithGuest(t)
  const guest = await openGuest()
  const guestId = userIdOf((await addDesign(guest.accessToken)).body.customerId)
  await sql`
    insert into request_log (request_id, ended_at, method, route, parameters, status, duration_ms, caller, user_id)
    select gen_random_uuid(), now(), 'GET', '/v1/designs', '{}', 200, 1, 'guest', ${guestId} from generate_series(1, 1200)`.execute(
    shop.db,
  )
  const { token, userId } = await shop.signUp()
  const countOf = async (id: string) =>
    (await shop.db.selectFrom('request_log').select('id').where('user_id', '=', id).execute()).length
  await shop.db.transaction().execute(async (trx) => {
    await sql`select from request_log where user_id = ${guestId} for update`.execute(trx)
    assert.equal((await claim(token, guest.refreshToken)).status, 200)
    assert.equal(await countOf(guestId), 1_200)
  })
  shop.service.startJobs()
  await until('the moved requests', async () => (await countOf(userId)) === 1_200)
})

test('an account makes sixty claims an hour, with refused ones', async (t) => {
  const { shop, openGuest, claim } = await startWithGuest(t)
  const guest = await openGuest()
  await upload(shop.service, guest.accessToken, await makePng('#010203'))
  const { token, userId } = await shop.signUp()
  await shop.db.transaction().execute((trx) => setQuota(trx, userId, 10))
  for (let count = 1; count <= 60; count += 1) assert.equal((await claim(token, guest.refreshToken)).status, 413)
  const refused = await claim(token, guest.refreshToken)
  assert.deepEqual([refused.status, refused.body.code], [429, 'rate_limited'])
})

test('what a guest has not paid for counts for the account that claims it', async (t) => {
  const { shop, openGuest, addDesign, claim } = await startWithGuest(t)
  const guest = await openGuest()
  const guestId = userIdOf((await addDesign(guest.accessToken)).body.customerId)
  const { token, userId } = await shop.signUp()
  await shop.db.transaction().execute(async (trx) => {
    const unpaid = createUnpaidBound(1_000_000_000)
    const now = shop.service.clock.now()
    await unpaid.charge(trx, { ownerId: guestId, subject: 'drawn', bytes: 40_000_000, now })
    await setQuota(trx, userId, 30_000_000)
  })
  const refused = await claim(token, guest.refreshToken)
  assert.deepEqual([refused.status, refused.body.code, refused.body.used], [413, 'storage_quota_exceeded', 40_000_000])
  await shop.db.transaction().execute((trx) => setQuota(trx, userId, 50_000_000))
  assert.equal((await claim(token, guest.refreshToken)).status, 200)
})

test('a claim takes the access token of a guest too, and no token of an account or of a customer', async (t) => {
  const { shop, request, openGuest, claim } = await startWithGuest(t)
  const { token } = await shop.signUp()
  const other = await shop.service.signUp()
  const { token: key } = await shop.signUpKey('operator', ['customers:write', 'read', 'write'])
  const { body: customer } = await request('POST', '/customers', { token: key, body: { externalId: 'x' } })
  const { body: issued } = await request('POST', `/customers/${customer.id}/tokens`, { token: key, body: {} })
  for (const wrong of [other.refreshToken, other.accessToken, issued.token, 'x', `${'A'.repeat(43)}`]) {
    const { status, body } = await claim(token, wrong)
    assert.deepEqual([status, body.code], [400, 'invalid_guest_token'], wrong)
  }
  assert.equal((await request('GET', '/designs', { token: other.accessToken })).status, 200)
  const guest = await openGuest()
  assert.equal((await claim(guest.accessToken, guest.refreshToken)).status, 403)
  assert.equal((await claim(token, guest.accessToken)).status, 200)
})

test('guests are erased after 30 days without use, and not before', async (t) => {
  const { shop, request, openGuest, addDesign } = await startWithGuest(t)
  const [used, unused] = [await openGuest(), await openGuest()]
  await addDesign(unused.accessToken)
  shop.service.clock.shift(20 * 24 * 3600)
  const { body: renewed } = await request('POST', '/api/auth/refresh', { body: { refreshToken: used.refreshToken } })
  shop.service.clock.shift(11 * 24 * 3600)
  const { services } = shop.service.services.auth
  await eraseUnusedGuests(services)
  const left = await shop.db.selectFrom('users').select('deleted_at').where('kind', '=', 'guest').execute()
  assert.equal(left.filter(({ deleted_at }) => deleted_at === null).length, 1)
  const again = await request('POST', '/api/auth/refresh', { body: { refreshToken: renewed.refreshToken } })
  assert.equal(again.status, 200)
  assert.equal((await shop.db.selectFrom('users').select('id').where('kind', '=', 'guest').execute()).length, 2)
})

test('an IP address opens at most 30 guests a minute', async (t) => {
  const shop = await startShop(t, undefined, { env: { PLATEN_RATE_LIMITS: 'on' } })
  const statuses: number[] = []
  for (let count = 0; count < 31; count += 1) statuses.push((await shop.request('POST', '/api/auth/guest')).status)
  assert.deepEqual([statuses.indexOf(429), statuses.length], [30, 31])
})

test('the IP addresses of a network together open ten times as many guests a minute', async (t) => {
  const env = { PLATEN_RATE_LIMITS: 'on', PLATEN_RATE_LIMIT_GUEST: '1', PLATEN_TRUSTED_PROXIES: 'loopback' }
  const shop = await startShop(t, undefined, { env })
  const openFrom = async (ip: string) =>
    (await shop.request('POST', '/api/auth/guest', { headers: { 'x-forwarded-for': ip } })).status
  for (let host = 1; host <= 10; host += 1) assert.equal(await openFrom(`192.0.2.${host}`), 201)
  assert.deepEqual([await openFrom('192.0.2.11'), await openFrom('192.0.3.1')], [429, 201])
})
