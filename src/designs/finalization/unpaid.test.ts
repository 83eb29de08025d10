import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { newId } from '../../../test/ids.ts'
import { newGuestId } from '../../platform/fair-share.ts'
import { createStorageQuota, storageUnavailable } from '../../platform/storage/index.ts'
import { HELLO, openWithDesign, requestOf } from '../factory.ts'
import type { Design } from '../store.ts'
import { finalizeDesign, finalizeDesignLater, resumeFinalization } from './finalize-design.ts'

/**
 * Opens three equal designs of one owner. The limit on what it stores without paying is exactly what they count for when
 * their finalizations begin, which is far less than their files have.
 */
async function openWithLimit(t: TestContext) {
  const shop = await openWithDesign(t)
  const { db, deps, product } = shop
  const ownerId = newId('user')
  const designs: Design[] = []
  for (let n = 0; n < 3; n += 1) designs.push(await shop.addDesign(product, ownerId, HELLO))
  const limitedTo = (limitBytes: number) => {
    const quota = createStorageQuota({ db, log: deps.log, quotaBytes: limitBytes, charges: [] })
    t.after(() => quota.close())
    const { unpaid } = quota
    return { deps: { ...deps, quota: { unpaid } }, request: (one: Design) => ({ ...requestOf(one), unpaid }) }
  }
  const sum = async (): Promise<number> => {
    const { rows } = await sql<{ bytes: number }>`
      select coalesce(sum(bytes), 0)::bigint as bytes from storage_unpaid where owner_id = ${ownerId}`.execute(db)
    return rows[0]?.bytes ?? 0
  }
  const payloads = async () => {
    const { rows } = await sql<{ payload: Parameters<typeof resumeFinalization>[1] }>`
      select payload from graphile_worker._private_jobs order by id`.execute(db)
    return rows.map(({ payload }) => payload)
  }
  const generous = limitedTo(1e9)
  for (const design of designs) await finalizeDesignLater(generous.deps, generous.request(design))
  return { shop, db, designs, sum, payloads, limited: limitedTo(await sum()) }
}

test('designs that wait are not drawn once the files of others exceed the limit on unpaid data', async (t) => {
  const { shop, designs, sum, payloads, limited } = await openWithLimit(t)
  const atBegin = await sum()
  const sums: number[] = []
  for (const payload of await payloads()) {
    await resumeFinalization(limited.deps, payload, { isLast: false })
    sums.push(await sum())
  }
  const after = await Promise.all(designs.map(shop.read))
  assert.deepEqual(
    after.map(({ status }) => status),
    ['finalized', 'draft', 'draft'],
  )
  assert.ok((sums[0] ?? 0) > atBegin)
  for (const { lastFinalizationErrorJson } of after.slice(1)) {
    const { code, detail } = JSON.parse(lastFinalizationErrorJson ?? '{}')
    assert.equal(code, 'storage_quota_exceeded')
    assert.match(detail, /not paid for count for 24 hours/)
  }
  shop.clock.shift(24 * 3600)
  const [, design] = designs
  assert.ok(design !== undefined)
  assert.equal((await finalizeDesign(limited.deps, limited.request(design))).status, 'finalized')
})

test('a request whose design waits for a drawing process is refused if there is no room when drawing starts', async (t) => {
  const { shop, designs, payloads, limited } = await openWithLimit(t)
  const [payload] = await payloads()
  const last = designs[2]
  assert.ok(payload !== undefined && last !== undefined)
  await shop.db
    .updateTable('designs')
    .set({ status: 'draft', lease_token: null, lease_until: null })
    .where('id', '=', last.id)
    .execute()
  await sql`delete from storage_unpaid where subject = ${(await payloads())[2]?.token}`.execute(shop.db)
  const held = shop.renderer.hold()
  const waiting = assert.rejects(finalizeDesign(limited.deps, limited.request(last)), {
    code: 'storage_quota_exceeded',
  })
  await held.entered
  shop.renderer.pass()
  await resumeFinalization(limited.deps, payload)
  held.letGo()
  await waiting
  assert.deepEqual(
    [(await shop.read(last)).status, (await shop.read(designs[0] ?? last)).status],
    ['draft', 'finalized'],
  )
})

test('designs of guests are drawn only if free disk space is left to customers who have paid', async (t) => {
  const shop = await openWithDesign(t)
  const requireFree: typeof shop.deps.storage.requireFree = async ({ isVisitor } = {}) => {
    if (await isVisitor?.()) throw storageUnavailable(new Error('the disk is almost full'))
  }
  const deps = { ...shop.deps, storage: { ...shop.deps.storage, requireFree } }
  const guest = newGuestId('usr', Uint8Array.of(1, 2, 3, 4))
  const design = await shop.addDesign(shop.product, guest, HELLO)
  await assert.rejects(finalizeDesign(deps, requestOf(design)), { code: 'storage_unavailable' })
  assert.equal((await finalizeDesign(deps, requestOf(shop.design))).status, 'finalized')
})
