import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { CARD, HELLO } from '../../src/designs/factory.ts'
import { ADDRESS, type Shop, startShop } from '../../src/orders/factory.ts'
import { migrate } from '../../src/platform/db/migrations/migrate.ts'
import { createLog } from '../../src/platform/telemetry/log.ts'
import { createProduct } from '../../src/products/change-product.ts'
import { createDatabase, startService } from '../harness.ts'
import { plantMigrations } from '../lib/nodes/planted-migrations.ts'

const quiet = createLog({ level: 'silent' })

/**
 * Adds columns without a default value to every table. The program of the previous release does not know these columns
 * and does not set them.
 */
async function expandEveryTable({ db }: Shop): Promise<Record<string, string>> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'schema_migrations'
    order by tablename`.execute(db)
  assert.ok(rows.length > 30, `${rows.length} tables`)
  return Object.fromEntries(
    rows.map(({ name }, index) => [
      `${8001 + index}_expand_${name}.sql`,
      `alter table ${name} add column of_later text;\n`,
    ]),
  )
}

interface Kind {
  name: string
  /**
   * Sends the request.
   * @returns the status, and the text of an unexpected response
   */
  call(): Promise<{ status: number; text: string }>
}

/** Prepares the usual requests of clients. */
async function prepareTraffic(shop: Shop): Promise<Kind[]> {
  const { service, request, db } = shop
  const person = await service.signUp()
  const token = person.accessToken
  // Another account owns the finalized design, because designs that were finalized without rendering cannot be listed.
  const buyer = await service.signUp()
  const product = await db.transaction().execute((trx) => createProduct(trx, CARD, service.clock.now()))
  const draft = { productId: product.id, variantId: product.variants[0]?.id, document: HELLO }
  const { body: design } = await request('POST', '/designs', { token, body: draft })
  const designId = await shop.finalizedDesign({ ownerId: buyer.userId })
  const items = [{ designId, quantity: 2 }]
  const { body: order } = await request('POST', '/orders', {
    token: buyer.accessToken,
    body: { items, shippingAddress: ADDRESS },
  })
  let { refreshToken } = person
  const get = (path: string, { accessToken } = person): Kind => ({
    name: `GET ${path}`,
    call: () => request('GET', path, { token: accessToken }),
  })
  const post = (path: string, body: object, { accessToken } = person): Kind => ({
    name: `POST ${path}`,
    call: () => request('POST', path, { token: accessToken, body, headers: { 'idempotency-key': randomUUID() } }),
  })
  return [
    get(`/designs/${design.id}`),
    get('/designs'),
    get('/orders', buyer),
    get(`/orders/${order.id}`, buyer),
    get('/products'),
    get('/assets'),
    get('/fonts'),
    get('/events'),
    get('/me'),
    get('/me/security-events'),
    get('/api/auth/sessions'),
    post('/designs', draft),
    post('/orders', { items, shippingAddress: ADDRESS }, buyer),
    post('/quotes', { items, shippingAddress: ADDRESS }, buyer),
    post('/webhook-endpoints', { url: 'https://example.com/hook' }),
    {
      name: 'PATCH /designs/{id}',
      call: () => request('PATCH', `/designs/${design.id}`, { token, body: { name: randomUUID() } }),
    },
    {
      name: 'log in',
      call: () => request('POST', '/api/auth/login', { body: { email: person.email, password: person.password } }),
    },
    {
      name: 'refresh',
      call: async () => {
        const answer = await request('POST', '/api/auth/refresh', { body: { refreshToken } })
        if (answer.status === 200) refreshToken = answer.body.refreshToken
        return answer
      },
    },
    { name: 'ready', call: () => request('GET', `${service.origin}/health/ready`) },
  ]
}

/** Repeats every kind of request until it is stopped. */
function keepBusy(kinds: readonly Kind[]) {
  const failures: string[] = []
  const counts = new Map<string, number>()
  let isOver = false
  const repeat = async ({ name, call }: Kind): Promise<void> => {
    while (!isOver) {
      const { status, text } = await call()
      counts.set(name, (counts.get(name) ?? 0) + 1)
      // Reaching a limit of the account, such as that of webhook endpoints, is no failure.
      if (status >= 500 || status === 401) failures.push(`${name}: ${status} ${text}`)
    }
  }
  const running = Promise.all(kinds.map(repeat))
  return {
    counts,
    stop: async (): Promise<string[]> => {
      isOver = true
      await running
      return failures
    },
  }
}

test('adding columns to every table under load fails no request of a running node', async (t: TestContext) => {
  // While a migration runs, requests also wait for connections. Their timeout is as long as the timeout for locks in
  // the tests.
  const database = { ...(await createDatabase(t)), connectionTimeoutMillis: 30_000 }
  const shop = await startShop(t, undefined, { database })
  shop.service.startJobs()
  const dir = await plantMigrations(t, await expandEveryTable(shop))
  const kinds = await prepareTraffic(shop)
  // Each kind of request runs once before the first migration, so that every statement is prepared.
  for (const { name, call } of kinds) {
    const { status, text } = await call()
    assert.ok(status < 300, `${name}: ${status} ${text}`)
  }

  const traffic = keepBusy(kinds)
  await migrate(database, quiet, { dir })
  const before = new Map(traffic.counts)
  const haveGoneOn = () => kinds.every(({ name }) => (traffic.counts.get(name) ?? 0) >= (before.get(name) ?? 0) + 3)
  while (!haveGoneOn()) await new Promise((resolve) => setTimeout(resolve, 20))
  assert.deepEqual(await traffic.stop(), [])

  // During the rollout, a process of the previous release restarts. It does not know the new migrations.
  await migrate(database, quiet)
  const restarted = await startService(t, { database, dataDir: shop.service.config.dataDir })
  assert.equal((await restarted.request('GET', `${restarted.origin}/health/ready`)).status, 200)
  const { accessToken: token } = await restarted.signUp()
  assert.equal((await restarted.request('GET', '/designs', { token })).status, 200)
})
