import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { startService, type TestService } from '../../../test/harness.ts'
import { PreparingClient } from '../../platform/db/connections/preparing-client.ts'

/** Returns the generic plan of a statement, which PostgreSQL can choose for prepared statements. */
async function planOf(service: TestService, [text, values]: [string, (string | number)[]]): Promise<string> {
  const client = await service.services.database.pool.connect()
  try {
    await client.query('set plan_cache_mode = force_generic_plan')
    await client.query(`prepare reading as ${text}`)
    const { rows } = await client.query(`explain execute reading (${values.map((value) => `'${value}'`).join()})`)
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  } finally {
    client.release(true)
  }
}

test('LG-1: a filter by type or result uses an index', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp({ role: 'admin' })
  await sql`insert into security_events (id, type, result, details, personal_digest, recorded_at)
    select 'aud_0' || n, case when n % 5000 = 0 then 'email_changed' else 'refresh' end,
      case when n % 7000 = 0 then 'failure' else 'success' end, '{}', '', now()
    from generate_series(10000, 40000) as n`.execute(service.db)
  await sql`analyze security_events`.execute(service.db)
  const query = t.mock.method(PreparingClient.prototype, 'query')
  for (const [filter, found, index] of [
    ['type=email_changed', 7, /using security_events_by_type on/],
    ['result=failure', 4, /using security_events_failed on/],
    ['type=email_changed&result=failure', 1, /using security_events_(by_type|failed) on/],
    // Most events have this type, so scanning the newest events soon finds some. An index would slow down every
    // refresh.
    ['type=refresh', 100, /using security_events_pkey on/],
  ] as const) {
    query.mock.resetCalls()
    const { body } = await service.request('GET', `/security-events?limit=100&${filter}`, { token })
    assert.equal(body.data.length, found, filter)
    const reading = query.mock.calls.find(({ arguments: [text] }) => String(text).includes('from "security_events"'))
    assert.ok(reading !== undefined)
    assert.match(await planOf(service, reading.arguments as [string, (string | number)[]]), index, filter)
  }
})

test('events state what accounts and actors are known by, to callers who may read both', async (t) => {
  const service = await startService(t)
  const admin = await service.signUp({ role: 'admin' })
  const person = await service.signUp()
  const { accessToken: token } = admin
  const create = async (body: object): Promise<string> =>
    (await service.request('POST', '/customers', { token, body })).body.id
  const ada = await create({ externalId: 'ada', name: 'Ada', email: 'ada@example.com' })
  await create({ externalId: 'bo', email: 'bo@example.com' })
  const unnamed = await create({ externalId: 'unnamed' })
  const gone = await create({ externalId: 'gone', name: 'Gone' })
  await service.request('POST', `/customers/${gone}/merge`, { token, body: { into: ada } })
  await service.request('PATCH', `/users/${person.userId}`, { token, body: { role: 'operator' } })
  const list = async (by: string) => {
    const { body } = await service.request('GET', '/security-events?limit=100', { token: by })
    return body.data as { type: string; userId: string; userName: string | null; actorName: string | null }[]
  }
  const namesIn = (events: Awaited<ReturnType<typeof list>>, type: string) =>
    events.filter((event) => event.type === type).map(({ userName, actorName }) => [userName, actorName])
  const events = await list(token)
  const { email } = admin
  assert.deepEqual(namesIn(events, 'customer_created').toReversed(), [
    ['Ada', email],
    ['bo@example.com', email],
    ['unnamed', email],
    [null, email],
  ])
  assert.deepEqual(namesIn(events, 'user_access_changed'), [[person.email, email]])

  await sql`update users set external_id = null where id = ${unnamed.replace('cus_', 'usr_')}`.execute(service.db)
  assert.ok((await list(token)).some(({ userName }) => userName === unnamed))
  const wanted = { name: 'audit', permissions: ['audit:read', 'users:read'] }
  const { key } = (await service.request('POST', '/api/api-keys', { token, body: wanted })).body
  assert.ok((await list(key)).every(({ userName, actorName }) => userName === null && actorName === null))
})
