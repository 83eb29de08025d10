import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { createDatabase, startService, type TestService } from '../../../test/harness.ts'
import { until } from '../../../test/lib/until.ts'
import { addSeconds } from '../../platform/clock.ts'

async function startTwo(t: TestContext): Promise<[TestService, TestService]> {
  const database = await createDatabase(t)
  const first = await startService(t, { database })
  const second = await startService(t, { database, dataDir: first.config.dataDir, clock: first.clock })
  return [first, second]
}

async function isIn(service: TestService, token: string): Promise<boolean> {
  return (await service.request('GET', '/me', { token })).status === 200
}

/** Returns a function that waits until a service listens again after its subscription has ended. */
function nextSubscription({ services }: TestService): () => Promise<void> {
  const { revocations } = services.auth.services
  const before = revocations.subscriptionCount()
  return () => until('the next subscription', () => revocations.subscriptionCount() > before && revocations.isTrusted())
}

/** Terminates the connections on which services listen. */
async function cutListeners(service: TestService): Promise<void> {
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid != pg_backend_pid()
      and (query = 'select 1' or query like 'listen %')`.execute(service.db)
}

test('TK-6: a session ended on one node is rejected on another within a second', async (t) => {
  const [first, second] = await startTwo(t)
  const { accessToken } = await first.signUp()
  assert.equal(await isIn(second, accessToken), true)
  await first.request('POST', '/api/auth/logout', { token: accessToken })
  assert.equal(await isIn(first, accessToken), false)
  await delay(1000)
  assert.equal(await isIn(second, accessToken), false)
})

test('TK-6: a revocation applies within a second even if its notification is lost', async (t) => {
  const [first, second] = await startTwo(t)
  const { accessToken, userId } = await first.signUp()
  assert.equal(await isIn(second, accessToken), true)
  const untilListening = nextSubscription(second)
  // The session changes without a notification, and the listening connections are terminated. In the other order, a
  // node on a busy computer could listen again before the change.
  await sql`update sessions set ended_at = ${first.clock.now()}, end_reason = 'revoked'
    where user_id = ${userId}`.execute(first.db)
  await cutListeners(first)
  await delay(1000)
  assert.equal(await isIn(second, accessToken), false)
  // The session is still rejected after the node listens again.
  await untilListening()
  assert.equal(await isIn(second, accessToken), false)
})

/** Creates an API key of an operator, and a customer token that this key issues. */
async function issueToken(service: TestService): Promise<{ key: string; customerToken: string }> {
  const { accessToken } = await service.signUp({ role: 'operator' })
  const grants = { name: 'shop', permissions: ['read', 'write', 'customers:write'] }
  const { key } = (await service.request('POST', '/api/api-keys', { token: accessToken, body: grants })).body
  const customer = await service.request('POST', '/customers', { token: key, body: { externalId: 'ada' } })
  const issued = await service.request('POST', `/customers/${customer.body.id}/tokens`, { token: key })
  return { key, customerToken: issued.body.token }
}

test('AK-5: a key revoked while a node was disconnected is rejected once it listens again', async (t) => {
  const [first, second] = await startTwo(t)
  const { key } = await issueToken(first)
  const use = async () => (await second.request('GET', '/designs', { token: key })).status
  assert.equal(await use(), 200)
  const untilListening = nextSubscription(second)
  // The key changes without a notification, and then the listening connections are terminated. The time of the change is
  // that of a node whose clock is behind, so the list of recent changes does not contain it.
  await sql`update api_keys set revoked_at = ${addSeconds(first.clock.now(), -24 * 3600)}`.execute(first.db)
  await cutListeners(first)
  await untilListening()
  assert.equal(await use(), 401)
})

test('AK-5: tokens of a key revoked while a node was disconnected are rejected once it listens again', async (t) => {
  const [first, second] = await startTwo(t)
  const { customerToken } = await issueToken(first)
  const use = async () => (await second.request('GET', '/designs', { token: customerToken })).status
  assert.equal(await use(), 200)
  const untilListening = nextSubscription(second)
  await sql`update api_keys set revoked_at = ${first.clock.now()}`.execute(first.db)
  await cutListeners(first)
  await untilListening()
  assert.equal(await use(), 401)
})

test('TK-6: a node without notifications checks the database within a second', async (t) => {
  const service = await startService(t)
  const { accessToken, userId } = await service.signUp()
  assert.equal(await isIn(service, accessToken), true)
  let listener = 0
  await until('the node listens', async () => {
    const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity
      where datname = current_database() and query = 'select 1'`.execute(service.db)
    listener = rows[0]?.pid ?? 0
    return listener !== 0
  })
  // A stopped backend keeps its connection open, but delivers no notifications.
  process.kill(listener, 'SIGSTOP')
  try {
    await sql`update sessions set ended_at = ${service.clock.now()}, end_reason = 'revoked'
      where user_id = ${userId}`.execute(service.db)
    await delay(1000)
    assert.equal(await isIn(service, accessToken), false)
  } finally {
    process.kill(listener, 'SIGCONT')
  }
})

test('TK-6: while nothing changes, a cached token costs no query', async (t) => {
  const service = await startService(t)
  const { accessToken } = await service.signUp()
  const { pool } = service.services.database
  const request = { headers: { authorization: `Bearer ${accessToken}` }, raw: { rawHeaders: [] } }
  type Request = Parameters<typeof service.services.auth.authenticate>[0]
  const { authenticate, services } = service.services.auth
  await authenticate(request as unknown as Request)
  // The time stands still, because the loop leaves no time for the heartbeat of the subscription.
  await until('the subscription', () => services.revocations.isTrusted())
  const now = performance.now()
  t.mock.method(performance, 'now', () => now)
  const query = t.mock.method(pool, 'query')
  for (let n = 0; n < 2_000; n += 1) assert.ok(await authenticate(request as unknown as Request))
  assert.equal(query.mock.callCount(), 0)
})
