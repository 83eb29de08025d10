import assert from 'node:assert/strict'
import { get } from 'node:http'
import test from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { startService, type TestService } from '../../../../test/harness.ts'
import { until } from '../../../../test/lib/until.ts'
import { ADDRESS, startShop } from '../../../orders/factory.ts'
import { userIdOf } from '../../users/customer-id.ts'
import { normalizeEmailAddress } from '../../users/email-address.ts'

function deleteAccount(service: TestService, token: string) {
  return service.request('DELETE', '/me', { token })
}

test('TK-6: a refresh concurrent with the deletion of its account leaves no valid credential', async (t) => {
  const service = await startService(t)
  const refresh = (refreshToken: string) => service.request('POST', '/api/auth/refresh', { body: { refreshToken } })

  const late = await service.signUp()
  const ofLate = await service.db.startTransaction().execute()
  await ofLate
    .selectFrom('refresh_tokens')
    .innerJoin('sessions', 'sessions.id', 'session_id')
    .select('token_hash')
    .where('user_id', '=', late.userId)
    .forUpdate('refresh_tokens')
    .execute()
  const refreshed = refresh(late.refreshToken)
  await service.untilBlocked(1)
  const left = deleteAccount(service, late.accessToken)
  await service.untilBlocked(2)
  await ofLate.commit().execute()
  assert.deepEqual([(await refreshed).status, (await left).status], [200, 204])
  const { refreshToken, accessToken } = (await refreshed).body
  assert.equal((await refresh(refreshToken)).status, 401)
  assert.equal((await service.request('GET', '/me', { token: accessToken })).status, 401)

  const early = await service.signUp()
  const body = { name: 'mine', permissions: ['read'] }
  const { id } = (await service.request('POST', '/api/api-keys', { token: early.accessToken, body })).body
  const ofEarly = await service.db.startTransaction().execute()
  await ofEarly.selectFrom('api_keys').select('id').where('id', '=', id).forUpdate().execute()
  const deleting = deleteAccount(service, early.accessToken)
  await service.untilBlocked(1)
  const refreshing = refresh(early.refreshToken)
  await service.untilBlocked(2)
  await ofEarly.commit().execute()
  assert.deepEqual([(await deleting).status, (await refreshing).status], [204, 401])

  // The rows stay, because a waiting refresh may need to lock them.
  const sessions = await service.db.selectFrom('sessions').selectAll().execute()
  assert.deepEqual(
    sessions.map(({ end_reason, ip_address, user_agent }) => [end_reason, ip_address, user_agent]),
    [
      ['deleted', '', ''],
      ['deleted', '', ''],
    ],
  )
  service.clock.shift(31 * 24 * 3600)
  await service.services.auth.jobs.find(({ name }) => name === 'auth.prune')?.handle({})
  assert.deepEqual(await service.db.selectFrom('sessions').select('id').execute(), [])
})

test('TK-6: a session that is revoked while it waits does not delete the account', async (t) => {
  const service = await startService(t)
  const { userId, accessToken: token, email, password } = await service.signUp()
  const held = await service.db.startTransaction().execute()
  await held.selectFrom('users').select('id').where('id', '=', userId).forUpdate().execute()
  const deleting = deleteAccount(service, token)
  await service.untilBlocked(1)
  assert.equal((await service.request('POST', '/api/auth/logout', { token })).status, 204)
  await held.commit().execute()
  const { status, body } = await deleting
  assert.deepEqual([status, body?.code], [401, 'credential_not_accepted'])
  const login = await service.request('POST', '/api/auth/login', { body: { email, password } })
  assert.equal(login.status, 200)
})

test('a change of name that waits for the deletion writes nothing back', async (t) => {
  const service = await startService(t)
  const { userId, accessToken: token } = await service.signUp()
  const body = { name: 'mine', permissions: ['read'] }
  const { id } = (await service.request('POST', '/api/api-keys', { token, body })).body
  const held = await service.db.startTransaction().execute()
  await held.selectFrom('api_keys').select('id').where('id', '=', id).forUpdate().execute()
  const deleting = deleteAccount(service, token)
  await service.untilBlocked(1)
  const renaming = service.request('PATCH', '/me', { token, body: { name: 'Quillfeather' } })
  await service.untilBlocked(2)
  await held.commit().execute()
  assert.equal((await deleting).status, 204)
  assert.equal((await renaming).status, 404)
  const left = await service.db.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirstOrThrow()
  assert.equal(left.name, null)
  assert.equal(normalizeEmailAddress(left.email), undefined, 'the anonymized email can be registered')
})

test('the last administrator cannot delete the account, even if two try at once', async (t) => {
  const service = await startService(t)
  const first = await service.signUp({ role: 'admin' })
  assert.equal((await deleteAccount(service, first.accessToken)).body.code, 'last_administrator')
  const second = await service.signUp({ role: 'admin' })
  const held = await service.db.startTransaction().execute()
  await held.selectFrom('users').select('id').where('id', '=', first.userId).forUpdate().execute()
  const both = [deleteAccount(service, first.accessToken), deleteAccount(service, second.accessToken)]
  await service.untilBlocked(2)
  await held.commit().execute()
  const statuses = (await Promise.all(both)).map((answer) => answer.status)
  assert.deepEqual(statuses.sort(), [204, 409])
})

test('a deletion locks the administrators only if its account is one', async (t) => {
  const service = await startService(t)
  const admin = await service.signUp({ role: 'admin' })
  const person = await service.signUp()
  const held = await service.db.startTransaction().execute()
  await held.selectFrom('users').select('id').where('id', '=', admin.userId).forUpdate().execute()
  assert.equal((await deleteAccount(service, person.accessToken)).status, 204)
  await held.commit().execute()
})

test('a customer who becomes the last administrator during the deletion stays', async (t) => {
  const service = await startService(t)
  const { userId, accessToken: token } = await service.signUp()
  const held = await service.db.startTransaction().execute()
  await held.updateTable('users').set({ role: 'admin' }).where('id', '=', userId).execute()
  const deleting = deleteAccount(service, token)
  await service.untilBlocked(1)
  await held.commit().execute()
  const { status, headers } = await deleting
  assert.deepEqual([status, headers.get('retry-after')], [503, '1'])
  assert.equal((await deleteAccount(service, token)).body.code, 'last_administrator')
})

// Without the lock on the designs, the order would refer to a deleted design, and the deletion would fail.
test('an order placed while its customer deletes the account keeps its design', async (t) => {
  const shop = await startShop(t)
  const { service } = shop
  const person = await service.signUp()
  const designId = await shop.finalizedDesign({ ownerId: person.userId })
  const held = await service.db.startTransaction().execute()
  await held.selectFrom('designs').select('id').where('id', '=', designId).forUpdate().execute()
  const body = { items: [{ designId, quantity: 1 }], shippingAddress: ADDRESS }
  const ordering = shop.request('POST', '/orders', { token: person.accessToken, body })
  await service.untilBlocked(1)
  const deleting = deleteAccount(service, person.accessToken)
  await service.untilBlocked(2)
  await held.commit().execute()
  assert.deepEqual([(await ordering).status, (await deleting).status], [201, 204])
  const design = await service.db.selectFrom('designs').select('status').where('id', '=', designId).executeTakeFirst()
  assert.equal(design?.status, 'archived')
})

// Readers of events wait for the oldest open transaction, so one long transaction would delay all events.
test('an account is closed first, then its designs are erased in batches', async (t) => {
  const service = await startService(t)
  const { db } = service
  const person = await service.signUp()
  const last = await insertDesigns(service, person.userId, 600)
  const held = await db.startTransaction().execute()
  await held.selectFrom('designs').select('id').where('id', '=', last).forUpdate().execute()
  const deleting = deleteAccount(service, person.accessToken)
  await service.untilBlocked(1)
  assert.equal((await service.request('GET', '/me', { token: person.accessToken })).status, 401)
  const left = await db.selectFrom('designs').select('id').where('owner_id', '=', person.userId).execute()
  assert.equal(left.length, 100)
  await held.commit().execute()
  assert.equal((await deleting).status, 204)
  assert.deepEqual(await db.selectFrom('designs').select('id').execute(), [])
})

// A batch can rewrite megabytes of events, for which the event loop and all readers of events wait.
test('accounts are erased in rotation, one batch after another, but what has no events at once', async (t) => {
  const service = await startService(t)
  const { db } = service
  const [one, other] = [await service.signUp(), await service.signUp()]
  const last = await insertDesigns(service, one.userId, 3)
  await insertRecords(service, 'quotes', { ownerId: other.userId, count: 3 })
  const held = await db.startTransaction().execute()
  await held.selectFrom('designs').select('id').where('id', '=', last).forUpdate().execute()
  const deleting = [deleteAccount(service, one.accessToken)]
  await service.untilBlocked(1)
  let isErased = false
  deleting.push(
    deleteAccount(service, other.accessToken).finally(() => {
      isErased = true
    }),
  )
  await delay(700)
  const before = isErased
  const { status } = await service.request('GET', '/me', { token: other.accessToken })
  const quotes = await db.selectFrom('quotes').select('id').execute()
  await held.commit().execute()
  assert.deepEqual([before, status, quotes], [false, 401, []])
  assert.deepEqual(
    (await Promise.all(deleting)).map((response) => response.status),
    [204, 204],
  )
})

test('an account of one network is erased while an operator of another deletes many customers', async (t) => {
  const service = await startService(t, { env: { PLATEN_TRUSTED_PROXIES: '127.0.0.1' } })
  const { db, request } = service
  const [operator, alone] = [await service.signUp({ role: 'operator' }), await service.signUp()]
  const customers: string[] = []
  for (let count = 1; count <= 9; count += 1) {
    const body = { externalId: `customer ${count}` }
    customers.push((await request('POST', '/customers', { token: operator.accessToken, body })).body.id)
  }
  const first = await insertDesigns(service, userIdOf(customers[0] ?? ''), 1)
  await sql`
    insert into designs select (jsonb_populate_record(d, jsonb_build_object('id', 'dsn_' || n, 'owner_id', owner))).*
    from designs d, unnest(${[...customers.slice(1).map(userIdOf), alone.userId]}::text[]) with ordinality o (owner, n)
    `.execute(db)
  await sql`create table erased (n int generated always as identity, owner_id text)`.execute(db)
  await sql`create function note() returns trigger language plpgsql as
    'begin insert into erased (owner_id) values (old.owner_id); return old; end'`.execute(db)
  await sql`create trigger note before delete on designs for each row execute function note()`.execute(db)
  const held = await db.startTransaction().execute()
  await held.selectFrom('designs').select('id').where('id', '=', first).forUpdate().execute()
  const deleteFrom = (ip: string, path: string, token: string) =>
    request('DELETE', path, { token, headers: { 'x-forwarded-for': ip } })
  const deleting = [deleteFrom('198.51.100.1', `/customers/${customers[0]}`, operator.accessToken)]
  await service.untilBlocked(1)
  for (const id of customers.slice(1))
    deleting.push(deleteFrom('198.51.100.1', `/customers/${id}`, operator.accessToken))
  await delay(500)
  deleting.push(deleteFrom('203.0.113.7', '/me', alone.accessToken))
  await delay(500)
  await held.commit().execute()
  const statuses = (await Promise.all(deleting)).map(({ status }) => status)
  assert.deepEqual(new Set(statuses), new Set([204]))
  const { rows } = await sql<{ place: number }>`
    select (select count(*)::int from erased before where before.n <= e.n) as place
    from erased e where owner_id = ${alone.userId}`.execute(db)
  assert.ok((rows[0]?.place ?? 10) <= 5, `the account was erased as number ${rows[0]?.place} of 10`)
})

test('an erasure that waits for a lock does not keep the turn of another account', async (t) => {
  const service = await startService(t)
  const { db } = service
  const [one, other] = [await service.signUp(), await service.signUp()]
  assert.equal((await deleteAccount(service, other.accessToken)).status, 204)
  const left = await insertDesigns(service, other.userId, 1)
  await sql`
    insert into designs select (jsonb_populate_record(d, jsonb_build_object('id', 'dsn_of_one', 'owner_id', ${one.userId}::text))).*
    from designs d where id = ${left}`.execute(db)
  const held = await db.startTransaction().execute()
  await held.selectFrom('designs').select('id').where('id', '=', 'dsn_of_one').forUpdate().execute()
  const deleting = deleteAccount(service, one.accessToken)
  await service.untilBlocked(1)
  // Unlike a request, a job waits for its turn for any time. The lock times out after 30 s.
  const job = service.services.auth.jobs.find(({ name }) => name === 'auth.erase')?.handle({ userId: other.userId })
  const timeout = new AbortController()
  await Promise.race([job, delay(20_000, undefined, { signal: timeout.signal })])
  timeout.abort()
  const designs = await db.selectFrom('designs').select('id').execute()
  await held.commit().execute()
  assert.deepEqual(designs, [{ id: 'dsn_of_one' }])
  assert.equal((await deleting).status, 204)
  await job
})

test('the response to a deletion waits five seconds at most, and a job erases the rest', async (t) => {
  const service = await startService(t)
  const { db } = service
  const { userId, accessToken: token } = await service.signUp()
  const last = await insertDesigns(service, userId, 3)
  await insertRecords(service, 'assets', { ownerId: userId, count: 3 })
  const count = async (table: 'assets' | 'designs') => (await db.selectFrom(table).select('id').execute()).length
  const held = await db.startTransaction().execute()
  await held.selectFrom('designs').select('id').where('id', '=', last).forUpdate().execute()
  const start = performance.now()
  const timeout = new AbortController()
  const response = await Promise.race([
    deleteAccount(service, token),
    delay(15_000, undefined, { signal: timeout.signal }),
  ])
  timeout.abort()
  await held.commit().execute()
  assert.equal(response?.status, 204, `no response after ${performance.now() - start} ms`)
  await until('the end of the batch', async () => (await count('designs')) === 0)
  await delay(300)
  assert.equal(await count('assets'), 3)
  assert.doesNotMatch(service.logLines(), /erasing the data of a deleted account failed/)
  await service.services.auth.jobs.find(({ name }) => name === 'auth.erase')?.handle({ userId })
  assert.equal(await count('assets'), 0)
})

test('uploads and quotes of a deleted account are erased in batches', async (t) => {
  const service = await startService(t)
  const { db } = service
  for (const table of ['assets', 'fonts', 'quotes'] as const) {
    const person = await service.signUp()
    const last = await insertRecords(service, table, { ownerId: person.userId, count: 600 })
    const held = await db.startTransaction().execute()
    await held.selectFrom(table).select('id').where('id', '=', last).forUpdate().execute()
    const deleting = deleteAccount(service, person.accessToken)
    await service.untilBlocked(1)
    const left = await db.selectFrom(table).select('id').where('owner_id', '=', person.userId).execute()
    assert.equal(left.length, 100, table)
    await held.commit().execute()
    assert.equal((await deleting).status, 204)
    assert.deepEqual(await db.selectFrom(table).select('id').execute(), [])
  }
})

test('an erasure that fails leaves the account closed, and a job completes it', async (t) => {
  const service = await startService(t)
  const { db } = service
  const { userId, accessToken: token } = await service.signUp()
  await insertDesigns(service, userId, 3)
  await sql`
    create function refuse() returns trigger language plpgsql as 'begin raise exception ''refused''; end'`.execute(db)
  await sql`create trigger refuse before delete on designs for each row execute function refuse()`.execute(db)
  assert.equal((await deleteAccount(service, token)).status, 204)
  assert.equal((await service.request('GET', '/me', { token })).status, 401)
  assert.equal((await db.selectFrom('designs').select('id').execute()).length, 3)
  assert.match(service.logLines(), /erasing the data of a deleted account failed/)
  await sql`drop trigger refuse on designs`.execute(db)
  const { rows } = await sql<{ payload: object }>`
    select payload from graphile_worker._private_jobs where key = ${`auth.erase/${userId}`}`.execute(db)
  await service.services.auth.jobs.find(({ name }) => name === 'auth.erase')?.handle(rows[0]?.payload)
  assert.deepEqual(await db.selectFrom('designs').select('id').execute(), [])
})

/** Inserts designs, and returns the greatest of their ids. */
async function insertDesigns({ db }: TestService, ownerId: string, count: number): Promise<string> {
  const ids = Array.from({ length: count }, (_, index) => `dsn_${String(index).padStart(26, '0')}`)
  await sql`
    insert into designs (id, owner_id, status, revision, name, product_id, variant_id, document, preflight, metadata,
      created_at, updated_at)
    select id, ${ownerId}, 'draft', 1, 'Card', 'none', 'none', '{}', '{}', '{}', now(), now()
    from unnest(${ids}::text[]) id`.execute(db)
  return ids.at(-1) ?? ''
}

/** Inserts uploads or quotes, and returns the greatest of their ids. */
async function insertRecords(
  { db }: TestService,
  table: 'assets' | 'fonts' | 'quotes',
  { ownerId, count }: { ownerId: string; count: number },
): Promise<string> {
  const PREFIXES = { assets: 'ast', fonts: 'fnt', quotes: 'quo' }
  const ids = Array.from({ length: count }, (_, index) => `${PREFIXES[table]}_${String(index).padStart(26, '0')}`)
  const COLUMNS = {
    assets: sql`(id, owner_id, created_at, sha256, bytes, media_type, width_px, height_px, has_alpha, color_space, orientation)
      select id, ${ownerId}, now(), encode(sha256(id::bytea), 'hex'), 1, 'image/png', 1, 1, false, 'srgb', 1`,
    fonts: sql`(id, owner_id, created_at, sha256, bytes, media_type, embedding, family, scripts, style, weight)
      select id, ${ownerId}, now(), encode(sha256(id::bytea), 'hex'), 1, 'font/ttf', 'installable', id, '{}', 'normal', 400`,
    quotes: sql`(id, owner_id, created_at, expires_at, currency, items, shipping_address, shipping_method, subtotal_amount,
        shipping_amount, tax_amount, total_amount, tax_included)
      select id, ${ownerId}, now(), now(), 'EUR', '[]', '{}', 'standard', 0, 0, 0, 0, true`,
  }
  await sql`insert into ${sql.table(table)} ${COLUMNS[table]} from unnest(${ids}::text[]) id`.execute(db)
  return ids.at(-1) ?? ''
}

test('an export whose client disconnects while it begins does not block the next one', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const held = await service.db.startTransaction().execute()
  await sql`lock table security_events in exclusive mode`.execute(held)
  const headers = { authorization: `Bearer ${token}` }
  const client = get(`${service.baseUrl}/me/export`, { headers }).on('error', () => undefined)
  await service.untilBlocked(1)
  client.destroy()
  // The service must see the end of the connection while it waits.
  await delay(300)
  await held.rollback().execute()
  let status = 429
  await until('the end of the first export', async () => {
    status = (await service.request('GET', '/me/export', { token })).status
    return status !== 429
  })
  assert.equal(status, 200)
})
