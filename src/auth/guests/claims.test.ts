import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { until } from '../../../test/lib/until.ts'
import { CARD } from '../../designs/factory.ts'
import { ADDRESS, startShop } from '../../orders/factory.ts'
import type { Db } from '../../platform/db/index.ts'
import { emit } from '../../platform/outbox/index.ts'
import { MOVED_AT_ONCE } from '../../platform/records/move-records.ts'
import { createProduct } from '../../products/change-product.ts'
import { type InTurn, moveMoreOrLeaveToJob } from '../accounts/personal-data/move-rest.ts'
import { userIdOf } from '../users/customer-id.ts'

const ARCHIVED = 120

async function startWithGuests(t: TestContext) {
  const shop = await startShop(t)
  const { db, request, service } = shop
  const product = await db.transaction().execute((trx) => createProduct(trx, CARD, service.clock.now()))
  const openGuest = async () => {
    const { body } = await request('POST', '/api/auth/guest')
    const token: string = body.accessToken
    const design = await request('POST', '/designs', {
      token,
      body: { productId: product.id, variantId: product.variants[0]?.id },
    })
    assert.equal(design.status, 201, design.text)
    return { token, designId: design.body.id as string, userId: userIdOf(design.body.customerId) }
  }
  const claim = (token: string, guest: { token: string }) =>
    request('POST', '/api/auth/guest/claim', { token, body: { guestToken: guest.token } })
  return { ...service, shop, request, openGuest, claim }
}

/** Adds copies of a design that are archived. */
const addArchived = (db: Db, designId: string) => addCopies(db, designId, { status: 'archived', count: ARCHIVED })

async function addCopies(
  db: Db,
  designId: string,
  { status, count }: { status: 'archived' | 'draft'; count: number },
): Promise<void> {
  await sql`
    insert into designs
    select (jsonb_populate_record(d, jsonb_build_object('status', ${status}::text, 'external_reference', 'ref ' || n,
      'id', left(d.id, 20) || lpad(n::text, 10, '0')))).*
    from designs d cross join generate_series(1, ${count}::int) n where d.id = ${designId}`.execute(db)
}

async function addEvents(db: Db, ownerId: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    for (let n = 1; n <= ARCHIVED; n += 1)
      await emit(trx, { type: 'order.created', subject: `ord_${n}`, ownerId, data: {}, at: new Date() })
  })
}

/** Adds newer copies of an order, so that it is not among those that the first transaction of a claim moves. */
async function addNewerOrders(db: Db, orderId: string): Promise<void> {
  await sql`
    insert into orders
    select (jsonb_populate_record(o, jsonb_build_object('number', 'copy ' || n, 'external_reference', 'ref ' || n,
      'id', 'ord_7' || lpad(n::text, 25, '0')))).*
    from orders o cross join generate_series(1, ${MOVED_AT_ONCE}::int) n where o.id = ${orderId}`.execute(db)
}

/** Counts, for each transaction, the records of a table whose owner it changes. */
async function countMoves(db: Db, table: 'designs' | 'events'): Promise<() => Promise<number[]>> {
  const moves = sql.table(`moves_of_${table}`)
  await sql`create table ${moves} (transaction_id xid8 default pg_current_xact_id())`.execute(db)
  await sql`create function ${sql.raw(`count_${table}`)}() returns trigger language plpgsql as
    ${sql.lit(`begin insert into moves_of_${table} default values; return new; end`)}`.execute(db)
  await sql`create trigger count_moves after update of owner_id on ${sql.table(table)}
    for each row execute function ${sql.raw(`count_${table}`)}()`.execute(db)
  return async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from ${moves} group by transaction_id order by transaction_id`.execute(db)
    return rows.map(({ count }) => count)
  }
}

/** Makes each transaction that moves an archived design fail, until the trigger is dropped. */
const refuseArchived = (db: Db) => refuseToMove(db, 'designs', sql`old.status = 'archived'`)

async function refuseToMove(
  db: Db,
  table: 'designs' | 'orders',
  condition: RawBuilder<unknown>,
): Promise<() => Promise<unknown>> {
  await sql`create function refuse() returns trigger language plpgsql as
    'begin raise exception ''refused''; end'`.execute(db)
  await sql`create trigger refuse before update of owner_id on ${sql.table(table)} for each row when (${condition})
    execute function refuse()`.execute(db)
  return () => sql`drop trigger refuse on ${sql.table(table)}`.execute(db)
}

/** Lists, for each connection that waits for a lock, whether its transaction has an id. */
async function listWaiting(db: Db): Promise<boolean[]> {
  const { rows } = await sql<{ hasId: boolean }>`
    select backend_xid is not null as "hasId" from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' order by 1`.execute(db)
  return rows.map(({ hasId }) => hasId)
}

// Readers of events wait for the oldest transaction that has an id.
test('a claim that waits for the account of its caller has no transaction id, and others wait outside', async (t) => {
  const { shop, db, openGuest, claim, untilBlocked } = await startWithGuests(t)
  const guests = [await openGuest(), await openGuest()] as const
  const [one, other] = [await shop.signUp(), await shop.signUp()]
  const held = await db.startTransaction().execute()
  await held.selectFrom('users').select('id').where('id', '=', one.userId).forUpdate().execute()
  const claims = [claim(one.token, guests[0])]
  await untilBlocked(1)
  claims.push(claim(one.token, guests[1]), claim(other.token, guests[1]))
  await delay(500)
  const waiting = await listWaiting(db)
  await held.commit().execute()
  assert.deepEqual(waiting, [false])
  const statuses = (await Promise.all(claims)).map(({ status }) => status)
  assert.deepEqual(statuses.sort(), [200, 200, 400])
})

test('a claim of a guest that another account is claiming waits without a transaction id', async (t) => {
  const { shop, db, openGuest, claim, untilBlocked } = await startWithGuests(t)
  const guest = await openGuest()
  const [one, other] = [await shop.signUp(), await shop.signUp()]
  const held = await db.startTransaction().execute()
  await held.selectFrom('storage_usage').select('bytes').where('owner_id', '=', guest.userId).forUpdate().execute()
  const first = claim(one.token, guest)
  await untilBlocked(1)
  const second = claim(other.token, guest)
  // The turn of the first claim ends after a second.
  await untilBlocked(2)
  const waiting = await listWaiting(db)
  await held.commit().execute()
  assert.deepEqual(waiting, [false, true])
  assert.deepEqual([(await first).status, (await second).status], [200, 400])
})

test('a claim whose client disconnects while it waits for its turn moves nothing', async (t) => {
  const { shop, db, request, openGuest, claim, untilBlocked, baseUrl } = await startWithGuests(t)
  const guests = [await openGuest(), await openGuest()] as const
  const [one, other] = [await shop.signUp(), await shop.signUp()]
  const held = await db.startTransaction().execute()
  await held.selectFrom('users').select('id').where('id', '=', one.userId).forUpdate().execute()
  const first = claim(one.token, guests[0])
  await untilBlocked(1)
  const client = new AbortController()
  const left = fetch(`${baseUrl}/api/auth/guest/claim`, {
    method: 'POST',
    headers: { authorization: `Bearer ${other.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ guestToken: guests[1].token }),
    signal: client.signal,
  })
  await delay(300)
  client.abort()
  await assert.rejects(left)
  await delay(300)
  await held.commit().execute()
  assert.equal((await first).status, 200)
  // Its turn would come before that of this claim.
  assert.equal((await claim(one.token, { token: 'none' })).status, 400)
  assert.equal((await request('GET', '/designs', { token: guests[1].token })).status, 200)
})

const countOf = async (db: Db, ownerId: string): Promise<number> =>
  (await db.selectFrom('designs').select('id').where('owner_id', '=', ownerId).execute()).length

test('the response to a claim waits five seconds at most, and a job moves the rest', async (t) => {
  const { shop, db, openGuest, claim, services, logLines } = await startWithGuests(t)
  const guest = await openGuest()
  await addArchived(db, guest.designId)
  const { token } = await shop.signUp()
  const held = await db.startTransaction().execute()
  await held.selectFrom('designs').select('id').where('status', '=', 'archived').forUpdate().execute()
  const timeout = new AbortController()
  const response = await Promise.race([claim(token, guest), delay(15_000, undefined, { signal: timeout.signal })])
  timeout.abort()
  await held.commit().execute()
  assert.deepEqual([response?.status, response?.body.designs], [200, ARCHIVED + 1])
  await until('the end of the batch', async () => (await countOf(db, guest.userId)) < ARCHIVED)
  await delay(300)
  assert.equal(await countOf(db, guest.userId), ARCHIVED - MOVED_AT_ONCE)
  assert.doesNotMatch(logLines(), /moving the records of a closed user failed/)
  await services.auth.jobs.find(({ name }) => name === 'auth.move_rest')?.handle({ userId: guest.userId })
  assert.equal(await countOf(db, guest.userId), 0)
})

test('a claim does nothing in a turn that comes after its response', async (t) => {
  const { shop, db, openGuest, claim, services } = await startWithGuests(t)
  const guest = await openGuest()
  await addArchived(db, guest.designId)
  const repair = await refuseArchived(db)
  assert.equal((await claim((await shop.signUp()).token, guest)).status, 200)
  await repair()
  const turn = Promise.withResolvers<void>()
  const ended: Promise<unknown>[] = []
  const inTurn: InTurn = async (transaction) => {
    await turn.promise
    const result = transaction()
    ended.push(result)
    return result
  }
  await moveMoreOrLeaveToJob(services.auth.services, guest.userId, inTurn, 1)
  turn.resolve()
  await until('its turns', () => ended.length > 0)
  await Promise.all(ended)
  assert.equal(await countOf(db, guest.userId), ARCHIVED)
})

test('between two batches of a claim, another account has its turn', async (t) => {
  const { shop, db, openGuest, claim } = await startWithGuests(t)
  const guests = [await openGuest(), await openGuest()] as const
  await addCopies(db, guests[0].designId, { status: 'archived', count: 1_000 })
  const [one, other] = [await shop.signUp(), await shop.signUp()]
  const order: string[] = []
  const first = claim(one.token, guests[0]).then(() => order.push('first'))
  const moved = db.selectFrom('designs').select('id').where('owner_id', '=', one.userId).limit(1)
  await until('the first batch', async () => (await moved.execute()).length > 0)
  await claim(other.token, guests[1])
  order.push('second')
  await first
  assert.deepEqual(order, ['second', 'first'])
})

test('the job that moves the rest waits for the account without a transaction id', async (t) => {
  const { shop, db, openGuest, claim, untilBlocked, services } = await startWithGuests(t)
  const guest = await openGuest()
  const { token, userId } = await shop.signUp()
  assert.equal((await claim(token, guest)).status, 200)
  const held = await db.startTransaction().execute()
  await held.selectFrom('users').select('id').where('id', '=', userId).forUpdate().execute()
  const job = services.auth.jobs.find(({ name }) => name === 'auth.move_rest')?.handle({ userId: guest.userId })
  await untilBlocked(1)
  const waiting = await listWaiting(db)
  await held.commit().execute()
  await job
  assert.deepEqual(waiting, [false])
})

// Each archived design can have some hundred entries in indexes.
test('a claim moves archived designs and events in short transactions before its response', async (t) => {
  const { shop, db, request, openGuest, claim } = await startWithGuests(t)
  const guest = await openGuest()
  await addArchived(db, guest.designId)
  await addEvents(db, guest.userId)
  const moves = [await countMoves(db, 'designs'), await countMoves(db, 'events')] as const
  const { token, userId } = await shop.signUp()
  await sql`
    insert into designs select (jsonb_populate_record(d, jsonb_build_object('id', left(d.id, 20) || 'OWN0000000',
      'owner_id', ${userId}::text, 'external_reference', 'ref 7'))).* from designs d where id = ${guest.designId}`.execute(
    db,
  )
  const claimed = await claim(token, guest)
  assert.deepEqual([claimed.status, claimed.body.designs], [200, ARCHIVED + 1])
  assert.deepEqual(await moves[0](), [1, MOVED_AT_ONCE, MOVED_AT_ONCE, ARCHIVED - 2 * MOVED_AT_ONCE])
  assert.deepEqual(await moves[1](), [MOVED_AT_ONCE, MOVED_AT_ONCE, ARCHIVED - 2 * MOVED_AT_ONCE])
  const { body: archived } = await request('GET', '/designs?status=archived&limit=100', { token })
  assert.equal(archived.data.length, 100)
  const references = await db.selectFrom('designs').select('id').where('external_reference', '=', 'ref 7').execute()
  assert.equal(references.length, 1)
})

test('archived designs that a claim could not move are counted and moved by a job, and the storage counts once', async (t) => {
  const { shop, db, request, openGuest, claim, services } = await startWithGuests(t)
  const guest = await openGuest()
  await addArchived(db, guest.designId)
  const { token, userId } = await shop.signUp()
  const repair = await refuseArchived(db)
  const claimed = await claim(token, guest)
  assert.deepEqual([claimed.status, claimed.body.designs], [200, ARCHIVED + 1])
  const { body: before } = await request('GET', '/me/storage', { token })
  // As if an hourly comparison had run before the others are moved.
  await db.updateTable('storage_usage').set({ reconciled_at: new Date() }).where('owner_id', '=', userId).execute()
  await repair()
  await services.auth.jobs.find(({ name }) => name === 'auth.move_rest')?.handle({ userId: guest.userId })
  const { body: archived } = await request('GET', '/designs?status=archived&limit=100', { token })
  assert.equal(archived.data.length, 100)
  assert.deepEqual((await request('GET', '/me/storage', { token })).body, before)
  const usage = await db.selectFrom('storage_usage').select('reconciled_at').where('owner_id', '=', userId).execute()
  assert.ok((usage[0]?.reconciled_at?.getTime() ?? 0) < Date.UTC(1971, 0), 'no comparison is due')
})

test('the storage is compared after a job has moved the present designs that a claim could not move', async (t) => {
  const { shop, db, openGuest, claim, services } = await startWithGuests(t)
  const guest = await openGuest()
  await addCopies(db, guest.designId, { status: 'draft', count: MOVED_AT_ONCE })
  const { token, userId } = await shop.signUp()
  const { rows } = await sql<{ id: string }>`select id from designs order by id limit 1`.execute(db)
  const repair = await refuseToMove(db, 'designs', sql`old.id = ${sql.lit(rows[0]?.id)}`)
  assert.equal((await claim(token, guest)).body.designs, MOVED_AT_ONCE + 1)
  // As if an hourly comparison had run before the last design is moved.
  await db.updateTable('storage_usage').set({ reconciled_at: new Date() }).where('owner_id', '=', userId).execute()
  await repair()
  await services.auth.jobs.find(({ name }) => name === 'auth.move_rest')?.handle({ userId: guest.userId })
  const left = await db.selectFrom('designs').select('id').where('owner_id', '=', guest.userId).execute()
  const usage = await db.selectFrom('storage_usage').select('reconciled_at').where('owner_id', '=', userId).execute()
  assert.deepEqual(left, [])
  assert.ok((usage[0]?.reconciled_at?.getTime() ?? 0) < Date.UTC(1971, 0), 'no comparison is due')
})

// It reads all documents of the account, and all readers of events would wait for it.
test('the first comparison of the storage of an account is not made in the transaction of a claim', async (t) => {
  const { shop, db, openGuest, claim } = await startWithGuests(t)
  const guest = await openGuest()
  const usageOf = (ownerId: string) =>
    db
      .selectFrom('storage_usage')
      .select(['bytes', 'reconciled_at as comparedAt'])
      .where('owner_id', '=', ownerId)
      .executeTakeFirst()
  const before = await usageOf(guest.userId)
  const { token, userId } = await shop.signUp()
  assert.deepEqual([await usageOf(userId), (await claim(token, guest)).status], [undefined, 200])
  const after = await usageOf(userId)
  assert.ok(Number(before?.bytes) > 0)
  assert.equal(after?.bytes, before?.bytes)
  assert.ok(
    (after?.comparedAt?.getTime() ?? Number.POSITIVE_INFINITY) < Date.UTC(1971, 0),
    'the hourly job makes it next',
  )
})

test('records reach the present owner if their new owner is merged while they are moved', async (t) => {
  const { db, request, openGuest, shop, services, untilBlocked } = await startWithGuests(t)
  const [first, second, third] = [await openGuest(), await openGuest(), await openGuest()]
  const { token } = await shop.signUp('operator')
  const customerId = async ({ token }: { token: string }) =>
    (await request('GET', '/designs', { token })).body.data[0].customerId as string
  const body = { into: await customerId(second) }
  assert.equal((await request('POST', `/customers/${await customerId(first)}/merge`, { token, body })).status, 200)
  // As if the merge had left the design.
  await db.updateTable('designs').set({ owner_id: first.userId }).where('id', '=', first.designId).execute()
  const held = await db.startTransaction().execute()
  await held.selectFrom('users').select('id').where('id', '=', second.userId).forUpdate().execute()
  const job = services.auth.jobs.find(({ name }) => name === 'auth.move_rest')?.handle({ userId: first.userId })
  await untilBlocked(1)
  const merged = { deleted_at: new Date(), merged_into: third.userId }
  await held.updateTable('users').set(merged).where('id', '=', second.userId).execute()
  await held.commit().execute()
  await job
  const design = db.selectFrom('designs').select('owner_id').where('id', '=', first.designId)
  assert.equal((await design.executeTakeFirstOrThrow()).owner_id, third.userId)
})

test('ordered designs stay if their account is deleted before a claim has moved them', async (t) => {
  const { shop, db, request, openGuest, claim, services } = await startWithGuests(t)
  const guest = await openGuest()
  const designId = await shop.finalizedDesign({ ownerId: guest.userId })
  const body = { items: [{ designId, quantity: 1 }], shippingAddress: { ...ADDRESS, email: 'guest@example.com' } }
  assert.equal((await request('POST', '/orders', { token: guest.token, body })).status, 201)
  assert.equal((await request('DELETE', `/designs/${designId}`, { token: guest.token })).status, 204)
  const repair = await refuseArchived(db)
  const { token } = await shop.signUp()
  assert.equal((await claim(token, guest)).status, 200)
  await repair()
  assert.equal((await request('DELETE', '/me', { token })).status, 204)
  await services.auth.jobs.find(({ name }) => name === 'auth.erase')?.handle({ userId: guest.userId })
  const { rows } = await sql<{ id: string; name: string }>`select id, name from designs`.execute(db)
  assert.deepEqual(rows, [{ id: designId, name: 'Erased' }])
})

test('ordered designs stay if their account is deleted before a claim has moved their orders', async (t) => {
  const { shop, db, request, openGuest, claim, services, logLines } = await startWithGuests(t)
  const guest = await openGuest()
  const designId = await shop.finalizedDesign({ ownerId: guest.userId })
  const body = { items: [{ designId, quantity: 1 }], shippingAddress: { ...ADDRESS, email: 'guest@example.com' } }
  const { body: order } = await request('POST', '/orders', { token: guest.token, body })
  await addNewerOrders(db, order.id)
  const repair = await refuseToMove(db, 'orders', sql`old.id = ${sql.lit(order.id)}`)
  const { token, userId } = await shop.signUp()
  const claimed = await claim(token, guest)
  assert.deepEqual([claimed.status, claimed.body.designs, claimed.body.orders], [200, 2, MOVED_AT_ONCE + 1])
  await repair()
  const owners = db.selectFrom('orders').select('id').where('owner_id', '=', guest.userId).execute()
  assert.deepEqual(await owners, [{ id: order.id }])
  assert.equal((await request('DELETE', '/me', { token })).status, 204)
  assert.doesNotMatch(logLines(), /erasing the data of a deleted account failed/)
  const erase = services.auth.jobs.find(({ name }) => name === 'auth.erase')
  for (const closed of [userId, guest.userId]) await erase?.handle({ userId: closed })
  const { rows } = await sql<{ id: string; name: string }>`select id, name from designs`.execute(db)
  assert.deepEqual(rows, [{ id: designId, name: 'Erased' }])
})
