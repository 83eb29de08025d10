import assert from 'node:assert/strict'
import test from 'node:test'
import { decodeJwt } from 'jose'
import { sql } from 'kysely'
import { startService, type TestService, untilEventsVisible } from '../../../../test/harness.ts'
import { register, type SignedUp } from '../../../../test/people.ts'
import { ADDRESS, type Shop, startShop } from '../../../orders/factory.ts'
import { eraseRemainingData } from './erase-data.ts'

const PASSWORD = 'gravel tango lighthouse'

/** A name, also used in an email address, that occurs nowhere else in the database. */
const PERSONAL = 'Quillfeather'

function deleteAccount(service: TestService, token: string) {
  return service.request('DELETE', '/me', { token })
}

async function everything({ db }: TestService): Promise<Map<string, string>> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public'`.execute(db)
  const texts = new Map<string, string>()
  for (const { name } of rows) {
    const { rows: found } = await sql<{ text: string }>`select t::text as text from ${sql.id(name)} t`.execute(db)
    texts.set(name, found.map(({ text }) => text).join('\n'))
  }
  return texts
}

async function tablesWith(service: TestService, text: string): Promise<string[]> {
  return [...(await everything(service))].flatMap(([name, rows]) => (rows.includes(text) ? [name] : [])).sort()
}

async function order(shop: Shop, { accessToken: token, userId: ownerId }: SignedUp) {
  const designId = await shop.finalizedDesign({ ownerId, placeholders: ['who'] })
  const answer = await shop.request('POST', '/orders', {
    token,
    body: {
      items: [{ designId, quantity: 2, data: { who: PERSONAL } }],
      shippingAddress: { ...ADDRESS, name: PERSONAL, phone: '+49 30 1234567', email: `${PERSONAL}@example.com` },
      metadata: { note: PERSONAL },
    },
  })
  assert.equal(answer.status, 201, answer.text)
  return { id: answer.body.id as string, designId }
}

test('TK-6: deleting an account revokes all its credentials at once on every node', async (t) => {
  const service = await startService(t)
  const other = await startService(t, {
    database: service.services.database.pool.options as never,
    dataDir: service.config.dataDir,
  })
  const person = await service.signUp()
  const { accessToken: token, email, password, refreshToken } = person
  const body = { name: 'mine', permissions: ['designs:read'] }
  const { key } = (await service.request('POST', '/api/api-keys', { token, body })).body
  const status = async (at: TestService, credential: string, path: string) =>
    (await at.request('GET', path, { token: credential })).status
  for (const at of [service, other]) {
    assert.deepEqual([await status(at, token, '/me'), await status(at, key, '/designs')], [200, 200])
  }
  assert.equal((await deleteAccount(service, token)).status, 204)
  assert.deepEqual([await status(service, token, '/me'), await status(service, key, '/designs')], [401, 401])
  await new Promise((resolve) => setTimeout(resolve, 1000))
  assert.deepEqual([await status(other, token, '/me'), await status(other, key, '/designs')], [401, 401])
  const post = (path: string, body: unknown) => service.request('POST', `/api/auth${path}`, { body })
  assert.equal((await post('/refresh', { refreshToken })).status, 401)
  assert.equal((await post('/login', { email, password })).body.code, 'invalid_credentials')
  assert.equal((await deleteAccount(service, token)).status, 401)
})

test('TK-6: a deleted email can register anew, and the new account sees no old data', async (t) => {
  const shop = await startShop(t)
  const { service } = shop
  const person = await service.signUp()
  const { id } = await order(shop, person)
  assert.equal((await deleteAccount(service, person.accessToken)).status, 204)
  const again = await service.signUp({ email: person.email, password: PASSWORD })
  assert.notEqual(again.userId, person.userId)
  for (const path of ['/designs', '/orders', '/events', '/assets']) {
    assert.deepEqual((await service.request('GET', path, { token: again.accessToken })).body.data, [], path)
  }
  assert.equal((await service.request('GET', `/orders/${id}`, { token: again.accessToken })).status, 404)
})

test('deleting an account does not reset the limits of mails to its email address', async (t) => {
  const service = await startService(t)
  const { accessToken, email } = await register(service)
  assert.equal((await deleteAccount(service, accessToken)).status, 204)
  const links = async () => {
    const { body } = await service.request('GET', `${service.origin}/dev/outbox`)
    return body.filter(
      (mail: { to: string; text: string }) => mail.to === email && mail.text.includes('/verify-email?'),
    ).length
  }
  const registerAgain = () => service.request('POST', '/api/auth/register', { body: { email, password: PASSWORD } })
  assert.equal((await registerAgain()).status, 202)
  assert.equal(await links(), 0)
  service.clock.shift(61)
  assert.equal((await registerAgain()).status, 202)
  assert.equal(await links(), 1)
})

test('a request in flight while its account is deleted leaves no data', async (t) => {
  const service = await startService(t)
  const { services } = service.services.auth
  const people = [await service.signUp(), await service.signUp(), await service.signUp()]
  const client = { ip: '192.0.2.77', userAgent: PERSONAL, deviceCookie: undefined }
  for (const { userId, accessToken } of people) {
    assert.equal((await deleteAccount(service, accessToken)).status, 204)
    await services.audit.record(services.db, { type: 'sign_in_failed', result: 'failure', userId, actor: null, client })
  }
  const [failing = ''] = people.map(({ userId }) => userId).sort()
  await sql`
    alter table users add constraint away check (id <> ${sql.lit(failing)} or erased_at is null)`.execute(service.db)
  service.clock.shift(24 * 3600)
  await assert.rejects(eraseRemainingData(services), /1 deleted accounts/)
  const left = () => service.db.selectFrom('users').select('id').where('erased_at', 'is', null).execute()
  assert.deepEqual(await left(), [{ id: failing }])
  assert.match(service.logLines(), new RegExp(`"userId":"${failing}".*erasing the rest of a deleted account failed`))
  const personal = service.db.selectFrom('security_events').select('user_id').where('personal', 'is not', null)
  assert.deepEqual(await personal.execute(), [{ user_id: failing }])
  await sql`alter table users drop constraint away`.execute(service.db)
  await eraseRemainingData(services)
  assert.deepEqual(await left(), [])
  assert.deepEqual(await tablesWith(service, PERSONAL), [])
})

test('SU-1: deletion and export need a session with a recent authentication', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const body = { name: 'mine', permissions: ['read', 'write'] }
  const { key } = (await service.request('POST', '/api/api-keys', { token, body })).body
  service.clock.shift(601)
  for (const [method, path] of [
    ['DELETE', '/me'],
    ['GET', '/me/export'],
  ] as const) {
    assert.equal((await service.request(method, path, { token })).body.code, 'step_up_required')
    assert.equal((await service.request(method, path, { token: key })).body.code, 'session_required')
    assert.equal((await service.request(method, path)).status, 401)
  }
  assert.equal((await service.request('GET', '/me', { token })).status, 200)
})

test('personal data leaves every table with the account, and orders when they end', async (t) => {
  const shop = await startShop(t)
  const { service } = shop
  const operator = await shop.signUp('operator')
  const person = await service.signUp({ email: `${PERSONAL.toLowerCase()}@example.com` })
  const { accessToken: token, userId, email } = person
  await service.request('PATCH', '/me', {
    token,
    body: { name: `Ada ${PERSONAL}` },
    headers: { 'user-agent': PERSONAL },
  })
  const ended = await order(shop, person)
  const body = { reason: `${PERSONAL} changed her mind` }
  assert.equal((await shop.request('POST', `/orders/${ended.id}/cancel`, { token, body })).status, 200)
  const open = await order(shop, person)
  const paid = { token: operator.token, body: { method: 'manual' } }
  assert.equal((await shop.request('POST', `/orders/${open.id}/payments`, paid)).status, 200)
  const quote = { items: [{ designId: open.designId, quantity: 1, data: { who: PERSONAL } }] }
  const shippingAddress = { ...ADDRESS, name: PERSONAL }
  const headers = { 'idempotency-key': PERSONAL }
  assert.equal(
    (await shop.request('POST', '/quotes', { token, headers, body: { ...quote, shippingAddress } })).status,
    201,
  )
  const unordered = await shop.finalizedDesign({ ownerId: userId })
  const login = { email, password: person.password }
  await service.request('POST', '/api/auth/login', { body: login, headers: { 'user-agent': PERSONAL } })
  await service.request('POST', '/api/auth/password/forgot', { body: { email } })
  const before = ['events', 'idempotency_keys', 'order_items', 'order_timeline', 'orders', 'quotes', 'security_events']
  assert.deepEqual(await tablesWith(service, PERSONAL), [...before, 'sessions', 'users'])

  assert.equal((await deleteAccount(service, token)).status, 204)
  // The mail about the deletion goes to the email address that is being erased.
  const { body: outbox } = await service.request('GET', `${service.origin}/dev/outbox`)
  const mails = outbox.filter(({ to }: { to: string }) => to === email)
  assert.deepEqual(
    mails.map(({ subject }: { subject: string }) => subject),
    ['Your account was deleted'],
  )
  await sql`delete from outbox_messages`.execute(service.db)
  assert.deepEqual(await tablesWith(service, email), [])
  // The open order and its events keep the postal address.
  assert.deepEqual(await tablesWith(service, PERSONAL), ['events', 'order_items', 'orders'])
  const seen = await shop.request('GET', `/orders/${open.id}`, { token: operator.token })
  assert.equal(seen.body.shippingAddress.name, PERSONAL)
  const forgotten = await shop.request('GET', `/orders/${ended.id}`, { token: operator.token })
  assert.deepEqual(forgotten.body.shippingAddress, { name: 'Erased', line1: 'Erased', city: 'Erased', country: 'DE' })
  assert.equal(forgotten.body.amounts.total.amount > 0, true)
  const designs = await service.db.selectFrom('designs').select('id').where('owner_id', '=', userId).execute()
  assert.deepEqual(new Set(designs.map(({ id }) => id)), new Set([ended.designId, open.designId]))
  assert.ok(!designs.some(({ id }) => id === unordered))

  const eraseLater = () => eraseRemainingData(service.services.auth.services)
  service.clock.shift(24 * 3600)
  await eraseLater()
  assert.deepEqual(await tablesWith(service, PERSONAL), ['events', 'order_items', 'orders'])
  await sql`update orders set status = 'delivered' where id = ${open.id}`.execute(service.db)
  await eraseLater()
  assert.deepEqual(await tablesWith(service, PERSONAL), [])
  const user = await service.db.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirstOrThrow()
  assert.notEqual(user.erased_at, null)
})

test('administrators neither see a deleted account nor can restore it', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp({ role: 'admin' })
  const person = await service.signUp()
  await deleteAccount(service, person.accessToken)
  const path = `/users/${person.userId}`
  assert.equal((await service.request('GET', path, { token })).status, 404)
  assert.equal((await service.request('PATCH', path, { token, body: { disabled: false } })).status, 404)
  assert.equal((await service.request('GET', '/users', { token })).body.data.length, 1)
})

test('LG-1: an export holds all data of the caller, no secret, no other account, and is recorded', async (t) => {
  const shop = await startShop(t)
  const { service } = shop
  const person = await service.signUp()
  const stranger = await service.signUp()
  await order(shop, stranger)
  const { accessToken: token, userId, email } = person
  const { key } = (
    await service.request('POST', '/api/api-keys', { token, body: { name: 'mine', permissions: ['read'] } })
  ).body
  const made = await order(shop, person)
  await untilEventsVisible(service.db)
  const answer = await service.request('GET', '/me/export', { token })
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('content-disposition'), `attachment; filename="platen-${userId}.json"`)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  const { exportedAt, user, ...lists } = answer.body
  assert.equal(user.email, email)
  assert.ok(!Number.isNaN(Date.parse(exportedAt)))
  const counts = Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, (list as object[]).length]))
  const { securityEvents, ...rest } = counts
  assert.ok((securityEvents ?? 0) > 0)
  const none = {
    factors: 0,
    passkeys: 0,
    identities: 0,
    quotes: 0,
    orderMails: 0,
    assets: 0,
    fonts: 0,
    webhookEndpoints: 0,
    requests: 0,
  }
  assert.deepEqual(rest, {
    sessions: 1,
    apiKeys: 1,
    orders: 1,
    designs: 1,
    designRevisions: 0,
    events: 1,
    storage: 1,
    ...none,
  })
  assert.equal(lists.orders[0].shippingAddress.name, PERSONAL)
  assert.equal(lists.designs[0].id, made.designId)
  assert.ok(lists.securityEvents.some(({ type }: { type: string }) => type === 'account_exported'))
  for (const secret of [key, person.refreshToken, token, 'argon2id', '_hash', stranger.userId, stranger.email]) {
    assert.ok(!answer.text.includes(secret), secret)
  }
})

test('an export has the members that its schema lists', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const { body } = await service.request('GET', '/me/export', { token })
  const { body: document } = await service.request('GET', '/openapi.json')
  assert.deepEqual(Object.keys(body).sort(), document.components.schemas.AccountExport.required.toSorted())
})

test('an account exports one file at a time, and can export again after that', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const other = await service.signUp()
  const exports = await Promise.all(
    [token, token, token, other.accessToken].map((one) => service.request('GET', '/me/export', { token: one })),
  )
  const [theirs, ...own] = exports.toReversed()
  assert.equal(theirs?.status, 200)
  assert.ok(own.some(({ status }) => status === 200) && own.some(({ body }) => body.code === 'rate_limited'))
  assert.equal((await service.request('GET', '/me/export', { token })).status, 200)
  for (let count = 0; count < 2; count += 1)
    assert.equal((await service.request('HEAD', '/me/export', { token })).status, 200)
})

test('an export of several pages holds each record once', async (t) => {
  const shop = await startShop(t)
  const person = await shop.service.signUp()
  const ids = new Set<string>()
  for (let n = 0; n < 45; n += 1) ids.add(await shop.finalizedDesign({ ownerId: person.userId }))
  const { body } = await shop.request('GET', '/me/export', { token: person.accessToken })
  assert.equal(body.designs.length, 45)
  assert.deepEqual(new Set(body.designs.map(({ id }: { id: string }) => id)), ids)
})

test('LG-1: an export shows acts of administrators without their IP address', async (t) => {
  const service = await startService(t)
  const admin = await service.signUp({ role: 'admin' })
  const { userId, accessToken: token } = await service.signUp()
  const changed = await service.request('PATCH', `/users/${userId}`, {
    token: admin.accessToken,
    body: { disabled: false },
    headers: { 'user-agent': PERSONAL },
  })
  assert.equal(changed.status, 200)
  const { text, body } = await service.request('GET', '/me/export', { token })
  const { body: shown } = await service.request('GET', '/me/security-events?limit=100', { token })
  assert.deepEqual(body.securityEvents, shown.data)
  assert.ok(shown.data.some(({ actor }: { actor: string }) => actor === 'administrator'))
  for (const secret of [PERSONAL, admin.userId, String(decodeJwt(admin.accessToken)['sid'])]) {
    assert.ok(!text.includes(secret), secret)
  }
})
