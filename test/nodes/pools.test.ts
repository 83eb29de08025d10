import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { startSignedIn } from '../../src/designs/factory.ts'
import { startDatabaseProxy } from '../fakes/database-proxy.ts'
import { createDatabase, startService, type TestResponse, type TestService } from '../harness.ts'
import { until } from '../lib/until.ts'

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

/**
 * Signs customers up. Each customer sends writes that wait for a row, until they use all connections that the customer
 * may have.
 */
async function startWaiting(t: TestContext, customers: number) {
  const { service, token, product, variantId } = await startSignedIn(t, { env: { PLATEN_DATABASE_POOL: '8' } })
  const create = (as: string) =>
    service.request('POST', '/designs', { token: as, body: { productId: product.id, variantId } })
  const people = await Promise.all(Array.from({ length: customers }, () => service.signUp()))
  const waiting = people.map(({ accessToken }) => accessToken)
  const ids = (await Promise.all(waiting.map(create))).map(({ body }) => body.id as string)
  const poolSize = service.services.database.pool.options.max
  const whileWaiting = async (blocked: number, work: () => Promise<void>): Promise<TestResponse[]> => {
    let writes: Promise<TestResponse>[] = []
    await service.db.transaction().execute(async (trx) => {
      await sql`select from designs where id = any(${ids}::text[]) for update`.execute(trx)
      writes = waiting.flatMap((as, place) =>
        Array.from({ length: poolSize }, (_, number) =>
          service.request('PATCH', `/designs/${ids[place]}`, { token: as, body: { name: `Name ${number}` } }),
        ),
      )
      await service.untilBlocked(blocked)
      await work()
    })
    return Promise.all(writes)
  }
  return { service, token, create, poolSize, whileWaiting }
}

test('while more requests wait for a row than the pool has connections, reads and readiness work', async (t) => {
  const { service, token, create, poolSize, whileWaiting } = await startWaiting(t, 4)
  const { body: design } = await create(token)
  const writes = await whileWaiting(poolSize - 1, async () => {
    for (const path of [`/designs/${design.id}`, '/me', '/orders', '/products']) {
      assert.equal((await service.request('GET', path, { token })).status, 200, path)
    }
    assert.equal(await ready(service), 200)
  })
  for (const { status, headers } of writes) {
    // On a busy computer, some requests wait too long for a connection and must be repeated.
    if (status !== 200) assert.deepEqual([status, headers.get('retry-after')], [503, '2'])
  }
})

test('customers whose writes all wait for a row do not delay writes of others', async (t) => {
  const { service, token, create, whileWaiting } = await startWaiting(t, 3)
  await whileWaiting(6, async () => {
    assert.equal((await create(token)).status, 201)
    const body = { email: 'new@example.com', password: 'a quiet lake at dusk' }
    assert.equal((await service.request('POST', '/api/auth/register', { body })).status, 202)
  })
})

test('the readiness probe fails if the database is unavailable, but not if the pool is full', async (t) => {
  const database = await createDatabase(t)
  const proxy = await startDatabaseProxy(t, database)
  const service = await startService(t, { database: { connectionString: proxy.url } })
  await withoutPool(service, async () => {
    assert.equal(await ready(service), 200)
    proxy.cutAll()
    assert.equal(await ready(service), 503)
    proxy.letConnect()
    // The first response may come from the terminated connection.
    await until('readiness', async () => (await ready(service)) === 200)
  })
})

test('invalidations and jobs arrive while requests use the whole pool', async (t) => {
  const service = await startService(t)
  service.startJobs()
  const { revocations } = service.services.auth.services
  const names = async () =>
    (
      await sql<{ name: string }>`select application_name as name from pg_stat_activity
        where datname = current_database() and (query ilike 'listen %' or query = 'select 1')`.execute(service.db)
    ).rows.map(({ name }) => name)
  for (const name of ['platen jobs', 'platen revocations']) {
    await until(`${name} listens`, async () => (await names()).includes(name))
  }
  assert.ok(!(await names()).includes('platen'))
  await withoutPool(service, async () => {
    // The subscription times out after 0.9 s without a heartbeat. If the computer did not run the test for so long, the
    // subscription must recover first.
    await delay(2_000)
    await until('the subscription works', () => revocations.isTrusted())
  })
})
