import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startDatabaseProxy } from '../../../test/fakes/database-proxy.ts'
import { openDatabase } from '../../platform/db/index.ts'
import { toProblem } from '../../platform/http/responses/errors.ts'
import { createLog } from '../../platform/telemetry/log.ts'
import { countFinalizations, openWithDesign, requestOf } from '../factory.ts'
import { finalizeDesign } from './finalize-design.ts'
import { LEASE_SECONDS } from './lease.ts'

/** Opens a workshop, and dependencies that use the database through a network connection that the test can cut. */
async function openRemotely(t: TestContext) {
  const shop = await openWithDesign(t)
  const proxy = await startDatabaseProxy(t, shop.deps.database.pool.options)
  const database = openDatabase({ connectionString: proxy.url, max: 2 }, createLog({ level: 'silent' }))
  t.after(() => database.close())
  const events = async () => (await shop.db.selectFrom('events').selectAll().execute()).length
  return { ...shop, proxy, remote: { ...shop.deps, database }, events }
}

/** Whether an error becomes a 503 response with `Retry-After`. */
function isUnavailable(error: unknown): boolean {
  const { status, extras } = toProblem(error)
  assert.deepEqual([status, typeof extras.headers?.['Retry-After']], [503, 'string'])
  return true
}

test('a database outage that ends before drawing ends has no effect', async (t) => {
  const { proxy, remote, renderer, design, events } = await openRemotely(t)
  const held = renderer.hold()
  const finalizing = finalizeDesign(remote, requestOf(design))
  await held.entered
  proxy.cutAll()
  proxy.letConnect()
  held.letGo()
  assert.equal((await finalizing).status, 'finalized')
  assert.equal(await events(), 1)
})

test('if the database fails at the end of drawing, the response is 503, and the design can be finalized after its lease', async (t) => {
  const shop = await openRemotely(t)
  const { proxy, remote, renderer, design, clock, events } = shop
  const held = renderer.hold()
  const finalizing = finalizeDesign(remote, requestOf(design))
  await held.entered
  proxy.cutAll()
  held.letGo()
  await assert.rejects(finalizing, isUnavailable)
  assert.deepEqual([await countFinalizations(shop), await events()], [0, 0])
  proxy.letConnect()
  clock.shift(LEASE_SECONDS)
  assert.equal((await finalizeDesign(remote, requestOf(design))).status, 'finalized')
  assert.deepEqual([await countFinalizations(shop), await events()], [1, 1])
})

test('when the response to a commit is lost, finalizing again returns what was committed', async (t) => {
  const shop = await openRemotely(t)
  const { proxy, remote, renderer, design, read, events } = shop
  const held = renderer.hold()
  const finalizing = finalizeDesign(remote, requestOf(design))
  await held.entered
  // New connections send the text of a `commit` statement, which the proxy recognizes. Older connections have prepared
  // it and send only its name.
  proxy.cutAll()
  proxy.letConnect()
  proxy.loseAnswerTo('commit')
  held.letGo()
  await assert.rejects(finalizing, isUnavailable)
  const committed = await read(design)
  assert.equal(committed.status, 'finalized')
  assert.deepEqual(await finalizeDesign(remote, requestOf(design)), committed)
  assert.deepEqual([await countFinalizations(shop), await events()], [1, 1])
})
