import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { startSignedIn } from '../src/designs/factory.ts'
import { startDatabaseProxy } from './fakes/database-proxy.ts'
import { createDatabase, startService, type TestService } from './harness.ts'

const ready = async ({ request, origin }: TestService): Promise<number> =>
  (await request('GET', `${origin}/health/ready`)).status

async function withoutPool(service: TestService, work: () => Promise<void>): Promise<void> {
  const { pool } = service.services.database
  const held = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()))
  try {
    await work()
  } finally {
    for (const client of held) client.release()
  }
}

test('while more requests wait for a row than the pool has connections, reads and readiness work', async (t) => {
  const { service, token, create } = await startSignedIn(t, { env: { PLATEN_DATABASE_POOL: '8' } })
  const { body: design } = await create()
  const { body: other } = await create()
  const poolSize = service.services.database.pool.options.max
  let writes: ReturnType<TestService['request']>[] = []
  await service.db.transaction().execute(async (trx) => {
    await sql`select from designs where id = ${design.id} for update`.execute(trx)
    writes = Array.from({ length: 2 * poolSize }, (_, number) =>
      service.request('PATCH', `/designs/${design.id}`, { token, body: { name: `Name ${number}` } }),
    )
    // The share of one customer.
    await service.untilBlocked(2)
    for (const path of [`/designs/${design.id}`, `/designs/${other.id}`, '/me', '/orders', '/products']) {
      assert.equal((await service.request('GET', path, { token })).status, 200, path)
    }
    assert.equal(await ready(service), 200)
  })
  for (const { status, headers } of await Promise.all(writes)) {
    // On a busy machine, requests that wait too long for a connection get Retry-After.
    if (status !== 200) assert.deepEqual([status, headers.get('retry-after')], [503, '2'])
  }
})

test('customers whose writes all wait for a row do not delay writes of others', async (t) => {
  const { service, token: victim, product, variantId } = await startSignedIn(t, { env: { PLATEN_DATABASE_POOL: '8' } })
  const people = [await service.signUp(), await service.signUp(), await service.signUp()]
  const waiting = people.map(({ accessToken }) => accessToken)
  const create = (token: string) =>
    service.request('POST', '/designs', { token, body: { productId: product.id, variantId } })
  const designs = await Promise.all(waiting.map(create))
  const ids = designs.map(({ body }) => body.id)
  const poolSize = service.services.database.pool.options.max
  let writes: ReturnType<TestService['request']>[] = []
  await service.db.transaction().execute(async (trx) => {
    await sql`select from designs where id = any(${ids}::text[]) for update`.execute(trx)
    writes = waiting.flatMap((token, place) =>
      Array.from({ length: poolSize }, (_, number) =>
        service.request('PATCH', `/designs/${ids[place]}`, { token, body: { name: `Name ${number}` } }),
      ),
    )
    await service.untilBlocked(2 * waiting.length)
    assert.equal((await create(victim)).status, 201)
    const body = { email: 'new@example.com', password: 'a quiet lake at dusk' }
    assert.equal((await service.request('POST', '/api/auth/register', { body })).status, 202)
  })
  for (const { status } of await Promise.all(writes)) assert.ok(status === 200 || status === 503, String(status))
})

test('a full pool does not fail the readiness probe, an unavailable database does', async (t) => {
  const database = await createDatabase(t)
  const proxy = await startDatabaseProxy(t, database)
  const service = await startService(t, { database: { connectionString: proxy.url } })
  await withoutPool(service, async () => {
    assert.equal(await ready(service), 200)
    proxy.cutAll()
    assert.equal(await ready(service), 503)
    proxy.letConnect()
    // The first response may come from the connection that was terminated.
    for (let tries = 0; (await ready(service)) !== 200; tries += 1) assert.ok(tries < 20)
  })
})

test('invalidations and jobs arrive while requests use the whole pool', async (t) => {
  const service = await startService(t)
  service.startJobs()
  const { revocations } = service.services.auth.services
  const names = async () =>
    (
      await sql<{ name: string }>`select application_name as name from pg_stat_activity
        where datname = current_database() and query ilike 'listen %' or query = 'select 1'`.execute(service.db)
    ).rows.map(({ name }) => name)
  for (let tries = 0; !(await names()).includes('platen jobs'); tries += 1) {
    assert.ok(tries < 500, 'the job runner does not listen')
    await delay(20)
  }
  assert.ok((await names()).includes('platen revocations'))
  assert.ok(!(await names()).includes('platen'))
  await withoutPool(service, async () => {
    // The subscription times out after 0.9 s without a heartbeat. A machine that stood still for so long has to catch
    // up.
    await delay(2_000)
    for (let tries = 0; !revocations.isTrusted(); tries += 1) {
      assert.ok(tries < 500, 'the watch has lost its connection')
      await delay(20)
    }
  })
})
