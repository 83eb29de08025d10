import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { startService, type TestService } from '../../../test/harness.ts'
import { PreparingClient } from '../../platform/db/preparing-client.ts'

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
