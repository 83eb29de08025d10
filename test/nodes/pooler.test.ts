import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { type ClientScene, startClientScene } from '../../src/commands/client/client.fixture.ts'
import type { PoolSettings } from '../../src/platform/db/index.ts'
import { startTransactionPooler } from '../fakes/transaction-pooler.ts'
import { createDatabase, startService, type TestService } from '../harness.ts'
import { pgBouncer, startPgBouncer } from '../lib/nodes/pgbouncer.ts'
import { until } from '../lib/until.ts'

/** Fewer connections than requests at once, so that consecutive transactions of a client get different ones. */
const SERVER_CONNECTIONS = 3

/** Two nodes with these settings: one serves orders from the design to the return, both learn what the other revokes. */
async function useNodes(t: TestContext, database: PoolSettings): Promise<void> {
  const env = { PLATEN_SECRET_KEY: randomBytes(32).toString('base64') }
  const scene = await startClientScene(t, { database, env })
  scene.service.startJobs()
  await trade(scene)
  const there = await startService(t, { database, env })
  await revoke(scene.service, there)
  assert.doesNotMatch(scene.service.logLines(), /"level":[56]0/)
  await Promise.all([scene.service.close(), there.close()])
}

/** Orders by several customers at once, with drawing, jobs, payments and events. */
async function trade(scene: ClientScene): Promise<void> {
  const types = ['design.files_ready', 'payment.refunded', 'order.partially_shipped', 'shipment.returned']
  const ends = await Promise.all(types.map(async (type) => scene.run(['trigger', type], (await scene.newKey()).env)))
  for (const { code, err } of ends) assert.deepEqual([code, err], [0, ''])
}

/** Revokes a credential on one node, and waits until another one, which knows it, refuses it. */
async function revoke(here: TestService, there: TestService): Promise<void> {
  const { accessToken: token } = await here.signUp()
  assert.equal((await there.request('GET', '/me', { token })).status, 200)
  await here.request('POST', '/api/auth/logout', { token })
  await until('the other node to refuse the token', async () => {
    return (await there.request('GET', '/me', { token })).status === 401
  })
  // With LISTEN through the pooler, no node would be notified, and each would look up every credential.
  for (const { services } of [here, there]) {
    await until('notices to arrive', () => services.auth.services.revocations.isTrusted())
  }
}

test('a pooler in transaction mode that keeps no statements serves orders, jobs and notices', async (t) => {
  const direct = await createDatabase(t)
  const pooled = await startTransactionPooler(t, direct, SERVER_CONNECTIONS)
  await useNodes(t, { ...pooled, direct, prepares: false })
})

test('so does PgBouncer', { skip: pgBouncer === undefined }, async (t) => {
  const direct = await createDatabase(t)
  const pooled = await startPgBouncer(t, direct, SERVER_CONNECTIONS)
  await useNodes(t, { ...pooled, direct, prepares: false })
})

test('so does PgBouncer that keeps prepared statements', { skip: pgBouncer?.keepsStatements !== true }, async (t) => {
  const direct = await createDatabase(t)
  const pooled = await startPgBouncer(t, direct, SERVER_CONNECTIONS)
  await useNodes(t, { ...pooled, direct })
})
