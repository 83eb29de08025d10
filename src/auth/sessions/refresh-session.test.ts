import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { decodeJwt } from 'jose'
import { sql } from 'kysely'
import { createDatabase, startService, type TestResponse, type TestService } from '../../../test/harness.ts'

function refresh(service: TestService, refreshToken: string): Promise<TestResponse> {
  return service.request('POST', '/api/auth/refresh', { body: { refreshToken } })
}

async function me(service: TestService, token: string): Promise<number> {
  return (await service.request('GET', '/me', { token })).status
}

async function start(t: TestContext) {
  const service = await startService(t)
  return { service, who: await service.signUp() }
}

test('RT-1: a refresh token is opaque, 256 bits, new for every session, and stored as a hash only', async (t) => {
  const { service, who } = await start(t)
  const body = { email: who.email, password: who.password }
  const logins = await Promise.all(
    Array.from({ length: 6 }, () => service.request('POST', '/api/auth/login', { body })),
  )
  const tokens = [who.refreshToken, ...logins.map((login) => login.body.refreshToken)]
  for (const token of tokens) assert.match(token, /^[A-Za-z0-9_-]{43}$/)
  assert.equal(new Set(tokens).size, 7)
  assert.equal(logins[0]?.headers.get('cache-control'), 'no-store')
  const { rows } = await sql`select * from refresh_tokens`.execute(service.db)
  const stored = JSON.stringify(rows)
  for (const token of tokens) assert.ok(!stored.includes(token))
})

test('RT-2: a late reuse of a token ends its session, tells the owner, and keeps other sessions', async (t) => {
  const { service, who } = await start(t)
  const body = { email: who.email, password: who.password }
  const other = await service.request('POST', '/api/auth/login', { body })
  const next = await refresh(service, who.refreshToken)
  assert.equal(next.status, 200)
  assert.notEqual(next.body.refreshToken, who.refreshToken)
  service.clock.shift(11)
  const reused = await refresh(service, who.refreshToken)
  assert.equal(reused.status, 401)
  assert.equal(reused.body.code, 'invalid_refresh_token')
  assert.equal((await refresh(service, next.body.refreshToken)).status, 401)
  assert.equal(await me(service, next.body.accessToken), 401)
  assert.equal(await me(service, other.body.accessToken), 200)
  assert.equal((await refresh(service, other.body.refreshToken)).status, 200)
  const outbox = await service.request('GET', `${service.origin}/dev/outbox`)
  assert.equal(outbox.body[0].to, who.email)
  assert.equal(outbox.body[0].subject, 'We signed a device out')
})

test('RT-3: twenty concurrent refreshes with one token get the same successor', async (t) => {
  const { service, who } = await start(t)
  // The lock makes the requests overlap.
  const held = await service.db.startTransaction().execute()
  await sql`select 1 from sessions for update`.execute(held)
  const sent = Array.from({ length: 20 }, () => refresh(service, who.refreshToken))
  await service.untilBlocked(5)
  await held.commit().execute()
  const answers = await Promise.all(sent)
  assert.deepEqual(new Set(answers.map((answer) => answer.status)), new Set([200]))
  assert.equal(new Set(answers.map((answer) => answer.body.refreshToken)).size, 1)
  const { rows } = await sql`select 1 from refresh_tokens`.execute(service.db)
  assert.equal(rows.length, 2)
})

test('RT-3: a refresh can be repeated after a lost response, even once its successor was used', async (t) => {
  const { service, who } = await start(t)
  const first = await refresh(service, who.refreshToken)
  const second = await refresh(service, first.body.refreshToken)
  service.clock.shift(9)
  const again = await refresh(service, who.refreshToken)
  assert.equal(again.status, 200)
  assert.equal(again.body.refreshToken, first.body.refreshToken)
  assert.equal(await me(service, again.body.accessToken), 200)
  const third = await refresh(service, second.body.refreshToken)
  assert.equal(third.status, 200)
  service.clock.shift(3)
  assert.equal((await refresh(service, who.refreshToken)).status, 401)
  assert.equal((await refresh(service, third.body.refreshToken)).status, 401)
})

test('RT-3: only the replaced token decrypts the stored successor', async (t) => {
  const { service, who } = await start(t)
  const other = await service.signUp()
  await refresh(service, who.refreshToken)
  await refresh(service, other.refreshToken)
  // An attacker who can write to the database but has no tokens swaps the encrypted successors of two tokens.
  await sql`update refresh_tokens t set successor_sealed = o.successor_sealed from refresh_tokens o
    where t.successor_sealed is not null and o.successor_sealed is not null and o.token_hash != t.token_hash`.execute(
    service.db,
  )
  assert.equal((await refresh(service, who.refreshToken)).status, 500)
})

test('RT-4: a session that is not refreshed for 30 days expires', async (t) => {
  const { service, who } = await start(t)
  service.clock.shift(30 * 86_400 + 1)
  assert.equal((await refresh(service, who.refreshToken)).status, 401)
})

test('RT-4: no refresh extends a session beyond 90 days', async (t) => {
  const { service, who } = await start(t)
  let token = who.refreshToken
  for (let day = 25; day <= 75; day += 25) {
    service.clock.shift(25 * 86_400)
    token = (await refresh(service, token)).body.refreshToken
  }
  service.clock.shift(15 * 86_400 - 100)
  const last = await refresh(service, token)
  assert.equal(last.status, 200)
  assert.ok(last.body.expiresIn > 80 && last.body.expiresIn <= 100, 'the access token ends with its session')
  service.clock.shift(101)
  assert.equal((await refresh(service, last.body.refreshToken)).status, 401)
})

test('RT-5: a refresh does not renew the time of the sign-in', async (t) => {
  const { service, who } = await start(t)
  service.clock.shift(601)
  const { accessToken } = (await refresh(service, who.refreshToken)).body
  const [before, after] = [who.accessToken, accessToken].map((token) => decodeJwt(token))
  assert.equal(after?.['auth_time'], before?.['auth_time'])
  assert.deepEqual(after?.['amr'], ['pwd'])
  const body = { name: 'x', permissions: ['read'] }
  const refused = await service.request('POST', '/api/api-keys', { token: accessToken, body })
  assert.equal(refused.status, 403)
  assert.equal(refused.body.code, 'step_up_required')
  assert.equal(refused.body.maxAge, 600)
})

test('RT-6: an ended session stays ended, also after a restart', async (t) => {
  const database = await createDatabase(t)
  const before = await startService(t, { database })
  const out = await before.signUp()
  const disabled = await before.signUp()
  const admin = await before.signUp({ role: 'admin' })
  await before.request('POST', '/api/auth/logout', { token: out.accessToken })
  const body = { disabled: true }
  await before.request('PATCH', `/users/${disabled.userId}`, { token: admin.accessToken, body })
  const check = async (service: TestService): Promise<void> => {
    for (const { refreshToken, accessToken } of [out, disabled]) {
      assert.equal((await refresh(service, refreshToken)).status, 401)
      assert.equal(await me(service, accessToken), 401)
    }
    assert.equal(await me(service, admin.accessToken), 200)
  }
  await check(before)
  await before.close()
  await check(await startService(t, { database, dataDir: before.config.dataDir }))
})

test('RT-6: a refresh that waits while its session ends gets no token', async (t) => {
  const { service, who } = await start(t)
  const held = await service.db.startTransaction().execute()
  await sql`update sessions set ended_at = now(), end_reason = 'revoked'`.execute(held)
  const waiting = refresh(service, who.refreshToken)
  await service.untilBlocked()
  await held.commit().execute()
  assert.equal((await waiting).status, 401)
})

// Each refresh adds a token and a security event, which is retained for more than a year.
test('an account refreshes at most 120 times in ten minutes, and its tokens remain valid', async (t) => {
  const { service, who } = await start(t)
  const other = await service.signUp()
  let token = who.refreshToken
  for (let n = 0; n < 120; n += 1) token = (await refresh(service, token)).body.refreshToken
  const signedIn = await service.request('POST', '/api/auth/login', {
    body: { email: who.email, password: who.password },
  })
  const read = async () => (await sql`select * from sessions order by id`.execute(service.db)).rows
  const before = await read()
  service.clock.shift(1)
  for (const refused of [await refresh(service, token), await refresh(service, signedIn.body.refreshToken)]) {
    assert.deepEqual([refused.status, refused.body.code], [429, 'rate_limited'])
    const retryAfter = Number(refused.headers.get('retry-after'))
    assert.ok(retryAfter > 0 && retryAfter <= 600, `${retryAfter}`)
  }
  assert.deepEqual(await read(), before, 'a refused refresh extends no session')
  assert.equal((await refresh(service, other.refreshToken)).status, 200)
  service.clock.shift(601)
  assert.equal((await refresh(service, token)).status, 200)
})

test('the metric of security events counts no sign-ins and refreshes that were refused', async (t) => {
  const { service, who } = await start(t)
  const { email, password, userId } = who
  const { accessToken: admin } = await service.signUp({ role: 'admin' })
  const { db, clock } = service
  const count = async (type: string): Promise<number> => {
    const { text } = await service.request('GET', `${service.origin}/metrics`, { token: admin })
    const series = `platen_security_events_total{type="${type}",result="success"} `
    const line = text.split('\n').find((one) => one.startsWith(series))
    return Number(line?.slice(series.length) ?? 0)
  }
  const signIn = () => service.request('POST', '/api/auth/login', { body: { email, password } })
  const [signIns, refreshes] = [await count('sign_in'), await count('refresh')]
  const [signedIn, refreshed] = [await signIn(), await refresh(service, who.refreshToken)]
  assert.deepEqual([signedIn.status, refreshed.status], [200, 200])
  assert.deepEqual([await count('sign_in'), await count('refresh')], [signIns + 1, refreshes + 1])
  await sql`
    insert into account_operations (user_id, operation, performed_at)
    select ${userId}, operation, array_fill(${clock.now()}::timestamptz, array[number])
    from (values ('sign_in', 300), ('refresh', 120)) as used (operation, number)
    on conflict (user_id, operation) do update set performed_at = excluded.performed_at`.execute(db)
  const refused = [await signIn(), await refresh(service, refreshed.body.refreshToken)]
  assert.deepEqual([refused[0]?.status, refused[1]?.status], [429, 429])
  assert.equal((await refresh(service, 'A'.repeat(43))).status, 401)
  assert.deepEqual([await count('sign_in'), await count('refresh')], [signIns + 1, refreshes + 1])
})

test('of two concurrent refreshes of an account that may refresh once more, one succeeds', async (t) => {
  const { service, who } = await start(t)
  const { email, password, userId } = who
  const other = (await service.request('POST', '/api/auth/login', { body: { email, password } })).body
  const { db, clock } = service
  await sql`
    insert into account_operations (user_id, operation, performed_at)
    values (${userId}, 'refresh', array_fill(${clock.now()}::timestamptz, array[119]))`.execute(db)
  const held = await db.startTransaction().execute()
  await sql`select 1 from account_operations where user_id = ${userId} for update`.execute(held)
  const sent = [refresh(service, who.refreshToken), refresh(service, other.refreshToken)]
  await service.untilBlocked(2)
  await held.commit().execute()
  const statuses = (await Promise.all(sent)).map(({ status }) => status)
  assert.deepEqual(statuses.sort(), [200, 429])
})

test('the refreshes of an operator are not limited', async (t) => {
  const service = await startService(t)
  let { refreshToken: token } = await service.signUp({ role: 'operator' })
  for (let n = 0; n < 121; n += 1) token = (await refresh(service, token)).body.refreshToken
  assert.ok(token)
})

test('repetitions of a refresh add one security event for each token', async (t) => {
  const { service, who } = await start(t)
  const next = (await refresh(service, who.refreshToken)).body.refreshToken
  await refresh(service, next)
  for (const token of [who.refreshToken, next]) {
    const repeated = await Promise.all(Array.from({ length: 8 }, () => refresh(service, token)))
    assert.deepEqual(new Set(repeated.map(({ status }) => status)), new Set([200]))
  }
  const { rows } =
    await sql`select 1 from security_events where type = 'refresh' and details->>'repeated' = 'true'`.execute(
      service.db,
    )
  assert.equal(rows.length, 2)
})
