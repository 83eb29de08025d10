import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import { closeRenderer, openWithDesign, rename, requestOf, type Workshop } from '../factory.ts'
import { finalizeDesignLater, resumeFinalization } from './finalize-design.ts'
import { QUEUED_LEASE_SECONDS } from './lease.ts'

after(closeRenderer)

/** What `finalizeDesignLater` queued, as the job would get it. */
async function queuedPayload({ db }: Workshop) {
  const { rows } = await sql<{ payload: Parameters<typeof resumeFinalization>[1] }>`
    select payload from graphile_worker._private_jobs`.execute(db)
  assert.equal(rows.length, 1)
  const [row] = rows
  assert.ok(row !== undefined)
  return row.payload
}

test('a finalization that is put off is checked at once and done by the job, once however often it runs', async (t) => {
  const shop = await openWithDesign(t)
  const waiting = await finalizeDesignLater(shop.deps, requestOf(shop.design))
  assert.equal(waiting.status, 'finalizing')
  const payload = await queuedPayload(shop)
  await resumeFinalization(shop.deps, payload)
  const done = await shop.read(shop.design)
  assert.equal(done.status, 'finalized')
  await resumeFinalization(shop.deps, payload)
  assert.deepEqual(await shop.read(shop.design), done)
  assert.equal(shop.renderer.printCount(), 1)
  assert.deepEqual(await finalizeDesignLater(shop.deps, requestOf(shop.design)), done)
})

test('a job finds a design that was changed after its lease ended, and leaves it alone', async (t) => {
  const shop = await openWithDesign(t)
  await finalizeDesignLater(shop.deps, requestOf(shop.design))
  const payload = await queuedPayload(shop)
  shop.clock.shift(QUEUED_LEASE_SECONDS)
  const changed = await rename(shop, shop.design, 'Changed')
  await resumeFinalization(shop.deps, payload)
  assert.deepEqual(await shop.read(shop.design), changed)
})

test('a job whose checks fail in the end makes the design a draft again', async (t) => {
  const shop = await openWithDesign(t)
  await finalizeDesignLater(shop.deps, requestOf(shop.design))
  await shop.db.deleteFrom('assets').execute()
  await resumeFinalization(shop.deps, await queuedPayload(shop))
  assert.deepEqual(await shop.read(shop.design), shop.design)
})
