import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { newId } from '../../../test/ids.ts'
import { assetUses } from '../../assets/index.ts'
import { enqueueDrawing } from '../../orders/item-files/prepare-item-files.ts'
import { newGuestId } from '../../platform/fair-share.ts'
import { RenderFailed, RenderQueueFull } from '../../rendering/index.ts'
import { moveDesigns } from '../account/move-designs.ts'
import { HELLO, openWithDesign, openWorkshop, rename, requestOf, type Workshop } from '../factory.ts'
import { type DesignBody, type FinalizationErrorBody, toDesignBody } from '../schemas.ts'
import { statusAt } from '../state.ts'
import type { Design } from '../store.ts'
import { finalizeDesignLater, resumeFinalization } from './finalize-design.ts'
import { releaseAbandonedDesigns } from './jobs.ts'
import { QUEUED_LEASE_SECONDS } from './lease.ts'

/** Reads the payload of the job that `finalizeDesignLater` enqueued. */
async function queuedPayload({ db }: Workshop) {
  const { rows } = await sql<{ payload: Parameters<typeof resumeFinalization>[1] }>`
    select payload from graphile_worker._private_jobs`.execute(db)
  assert.equal(rows.length, 1)
  const [row] = rows
  assert.ok(row !== undefined)
  return row.payload
}

/** Asserts that a design is unchanged except for the error of its last finalization. */
async function assertFailed(shop: Workshop, before: Design, code: string): Promise<FinalizationErrorBody> {
  const after = await shop.read(before)
  const error = JSON.parse(after.lastFinalizationErrorJson ?? 'null') as FinalizationErrorBody
  assert.equal(error?.code, code)
  assert.deepEqual(after, {
    ...before,
    lastFinalizationErrorJson: after.lastFinalizationErrorJson,
    finalizationFailures: 1,
  })
  return error
}

test('an asynchronous finalization is checked at once, and repeated runs of its job have no further effect', async (t) => {
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

test('a design that gets another owner while its job waits or draws is finalized for this owner', async (t) => {
  const shop = await openWithDesign(t)
  const owners = [newId('user'), newId('user')] as const
  const move = (from: string, to: string) =>
    shop.inTransaction(async (trx) => {
      await moveDesigns(trx, { from, to, assets: [] })
      await assetUses.move(trx, from, to)
    })
  await finalizeDesignLater(shop.deps, requestOf(shop.design))
  const payload = await queuedPayload(shop)
  await move(shop.ownerId, owners[0])
  const held = shop.renderer.hold()
  const resuming = resumeFinalization(shop.deps, payload)
  await held.entered
  await move(owners[0], owners[1])
  held.letGo()
  await resuming
  assert.equal((await shop.read({ ...shop.design, ownerId: owners[1] })).status, 'finalized')
})

test('a design that gets another owner while its job checks it is finalized for this owner', async (t) => {
  const shop = await openWorkshop(t)
  const [from, to] = [newId('user'), newId('user')]
  const design = await shop.addDesign(await shop.addProduct(), from, HELLO)
  await finalizeDesignLater(shop.deps, requestOf(design))
  const { checker } = shop.deps
  let checks = 0
  const preflight: typeof checker.preflight = async (job, options) => {
    checks += 1
    if (checks === 1) await shop.inTransaction((trx) => moveDesigns(trx, { from, to, assets: [] }))
    return checker.preflight(job, options)
  }
  await resumeFinalization({ ...shop.deps, checker: { ...checker, preflight } }, await queuedPayload(shop))
  assert.equal((await shop.read({ ...design, ownerId: to })).status, 'finalized')
})

test('the guests of one network share the queues of one owner', async (t) => {
  const shop = await openWorkshop(t)
  const product = await shop.addProduct()
  const guest = () => newGuestId('usr', Uint8Array.of(1, 0, 0, 0))
  for (const ownerId of [guest(), guest(), guest()])
    await finalizeDesignLater(shop.deps, requestOf(await shop.addDesign(product, ownerId, HELLO)))
  const { rows } = await sql<{ count: number; priorities: number[] }>`
    select count(*)::int as count, array_agg(j.priority::int order by j.priority) as priorities
    from graphile_worker._private_jobs j group by j.job_queue_id`.execute(shop.db)
  assert.deepEqual(rows.map(({ count }) => count).sort(), [1, 2])
  assert.equal(new Set(rows.flatMap(({ priorities }) => priorities)).size, 3)
})

test('of one owner two finalizations run at once, and those of others do not wait for them', async (t) => {
  const shop = await openWorkshop(t)
  const { db } = shop
  const product = await shop.addProduct()
  const [one, other] = [newId('user'), newId('user')]
  for (const ownerId of [one, one, one, other])
    await finalizeDesignLater(shop.deps, requestOf(await shop.addDesign(product, ownerId, HELLO)))
  const { rows } = await sql<{ queue: string; count: number }>`
    select q.queue_name as queue, count(*)::int as count from graphile_worker._private_jobs j
    join graphile_worker._private_job_queues q on q.id = j.job_queue_id group by 1`.execute(db)
  assert.deepEqual(rows.map(({ count }) => count).sort(), [1, 1, 2])
})

test('the queue serves owners in rotation, and print files of orders come before finalizations', async (t) => {
  const shop = await openWorkshop(t)
  const product = await shop.addProduct()
  const owners = { many: newId('user'), single: newId('user') }
  const queue = async (ownerId: string) => {
    const design = await shop.addDesign(product, ownerId, HELLO)
    await finalizeDesignLater(shop.deps, requestOf(design))
  }
  for (let n = 0; n < 3; n += 1) await queue(owners.many)
  await queue(owners.single)
  await enqueueDrawing(shop.db)
  const { rows } = await sql<{ name: string; owner: string | null }>`
    select task.identifier as name, job.payload -> 'key' ->> 'ownerId' as owner
    from graphile_worker._private_jobs job join graphile_worker._private_tasks task on task.id = job.task_id
    order by job.priority, job.run_at, job.id`.execute(shop.db)
  assert.deepEqual(
    rows.map(({ owner, name }) => owner ?? name),
    ['orders.draw_item_files', owners.many, owners.single, owners.many, owners.many],
  )
})

test('a job does not change a design that was changed after its lease ended', async (t) => {
  const shop = await openWithDesign(t)
  await finalizeDesignLater(shop.deps, requestOf(shop.design))
  const payload = await queuedPayload(shop)
  shop.clock.shift(QUEUED_LEASE_SECONDS)
  const changed = await rename(shop, shop.design, 'Changed')
  await resumeFinalization(shop.deps, payload)
  assert.deepEqual(await shop.read(shop.design), changed)
})

test('a job whose checks fail in the last attempt makes the design a draft again', async (t) => {
  const shop = await openWithDesign(t)
  await finalizeDesignLater(shop.deps, requestOf(shop.design))
  await shop.db.deleteFrom('assets').execute()
  await resumeFinalization(shop.deps, await queuedPayload(shop))
  await assertFailed(shop, shop.design, 'preflight_failed')
})

test('a job whose checks fail reports this error, even if the database is unavailable afterwards', async (t) => {
  const shop = await openWithDesign(t)
  await finalizeDesignLater(shop.deps, requestOf(shop.design))
  const payload = await queuedPayload(shop)
  await shop.db.deleteFrom('assets').execute()
  await sql`create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`.execute(
    shop.db,
  )
  await sql`create trigger refuse before update on designs for each row when (new.status = 'draft')
    execute function refuse()`.execute(shop.db)
  // The design cannot be printed, so the job succeeds without a retry by the queue.
  await resumeFinalization(shop.deps, payload)
  shop.clock.shift(QUEUED_LEASE_SECONDS)
  assert.equal(statusAt(await shop.read(shop.design), shop.clock.now()), 'draft')
})

test('a job that waits longer than its lease finalizes a design that no other request has taken', async (t) => {
  const shop = await openWithDesign(t)
  await finalizeDesignLater(shop.deps, requestOf(shop.design))
  shop.clock.shift(QUEUED_LEASE_SECONDS + 600)
  await releaseAbandonedDesigns(shop.deps)
  await resumeFinalization(shop.deps, await queuedPayload(shop))
  assert.equal((await shop.read(shop.design)).status, 'finalized')
})

test('a starting service retains the leases of waiting jobs', async (t) => {
  const shop = await openWithDesign(t)
  await finalizeDesignLater(shop.deps, requestOf(shop.design))
  assert.equal(await releaseAbandonedDesigns(shop.deps, { alone: true }), 0)
  await resumeFinalization(shop.deps, await queuedPayload(shop))
  assert.equal((await shop.read(shop.design)).status, 'finalized')
})

for (const [what, { failure, code }] of Object.entries({
  'the renderer is busy': { failure: new RenderQueueFull(), code: 'renderer_busy' },
  'no process can be started': { failure: new RenderFailed('unavailable', 'none'), code: 'renderer_busy' },
  'drawing takes too long': { failure: new RenderFailed('timeout', 'slow'), code: 'renderer_busy' },
  'the disk is full': {
    failure: Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }),
    code: 'storage_unavailable',
  },
  'of an error in the service': { failure: new Error('unexpected'), code: 'finalization_failed' },
})) {
  test(`a job that fails because ${what} is retried, and ends its lease only after the last attempt`, async (t) => {
    const shop = await openWithDesign(t)
    await finalizeDesignLater(shop.deps, requestOf(shop.design))
    const payload = await queuedPayload(shop)
    const attempt = async (isLast: boolean) => {
      const held = shop.renderer.hold()
      const outcome = resumeFinalization(shop.deps, payload, { isLast }).catch(() => 'failed')
      await held.entered
      held.letGo(failure)
      return outcome
    }
    assert.equal(await attempt(false), 'failed')
    const waiting = await shop.read(shop.design)
    assert.equal(waiting.status, 'finalizing')
    assert.ok((waiting.leaseUntil?.getTime() ?? 0) >= shop.clock.now().getTime() + (QUEUED_LEASE_SECONDS - 60) * 1000)
    await attempt(true)
    await assertFailed(shop, shop.design, code)
  })
}

test('a job that failed once succeeds in the next attempt', async (t) => {
  const shop = await openWithDesign(t)
  await finalizeDesignLater(shop.deps, requestOf(shop.design))
  const payload = await queuedPayload(shop)
  const held = shop.renderer.hold()
  const failing = assert.rejects(resumeFinalization(shop.deps, payload, { isLast: false }), { code: 'renderer_busy' })
  await held.entered
  held.letGo(new RenderQueueFull())
  await failing
  await resumeFinalization(shop.deps, payload, { isLast: false })
  assert.equal((await shop.read(shop.design)).status, 'finalized')
})

test('a job whose design cannot be drawn is not retried', async (t) => {
  const shop = await openWithDesign(t)
  await finalizeDesignLater(shop.deps, requestOf(shop.design))
  const held = shop.renderer.hold()
  const resuming = resumeFinalization(shop.deps, await queuedPayload(shop), { isLast: false })
  await held.entered
  held.letGo(new RenderFailed('memory', 'large'))
  await resuming
  await assertFailed(shop, shop.design, 'render_failed')
})

test('a design states why its last finalization failed until the next one begins', async (t) => {
  const shop = await openWithDesign(t)
  const { deps, design, renderer, clock } = shop
  await finalizeDesignLater(deps, requestOf(design))
  const held = renderer.hold()
  const failing = resumeFinalization(deps, await queuedPayload(shop), { isLast: true })
  await held.entered
  held.letGo(new RenderFailed('memory', 'large'))
  await failing
  const { document } = toDesignBody(design, clock.now())
  const changed = await rename(shop, design, 'Changed')
  assert.equal(JSON.parse(changed.lastFinalizationErrorJson ?? '').code, 'render_failed')
  const [event] = await shop.db.selectFrom('events').select(['type', 'subject', 'owner_id', 'data']).execute()
  assert.deepEqual(
    [event?.type, event?.subject, event?.owner_id],
    ['design.finalization_failed', design.id, design.ownerId],
  )
  const data = event?.data as unknown as DesignBody
  assert.deepEqual([data.status, data.document, data.lastFinalizationError?.code], ['draft', document, 'render_failed'])
  const begun = await finalizeDesignLater(deps, requestOf(changed))
  assert.equal(begun.lastFinalizationErrorJson, null)
  assert.equal((await shop.read(changed)).lastFinalizationErrorJson, null)
})

test('if an image is deleted during drawing, the design states this as the reason', async (t) => {
  const shop = await openWithDesign(t)
  await finalizeDesignLater(shop.deps, requestOf(shop.design))
  const held = shop.renderer.hold()
  const resuming = resumeFinalization(shop.deps, await queuedPayload(shop))
  await held.entered
  await shop.db.deleteFrom('assets').execute()
  held.letGo()
  await resuming
  const { errors } = await assertFailed(shop, shop.design, 'preflight_failed')
  assert.equal(errors?.[0]?.code, 'asset_missing')
})

test('a job that lost its design to another process records no failure', async (t) => {
  const shop = await openWithDesign(t)
  await finalizeDesignLater(shop.deps, requestOf(shop.design))
  const held = shop.renderer.hold()
  const resuming = resumeFinalization(shop.deps, await queuedPayload(shop))
  await held.entered
  await shop.db.updateTable('designs').set({ lease_token: 'other' }).execute()
  held.letGo(new RenderFailed('memory', 'large'))
  await resuming
  const { status, lastFinalizationErrorJson } = await shop.read(shop.design)
  assert.deepEqual([status, lastFinalizationErrorJson], ['finalizing', null])
  assert.equal((await shop.db.selectFrom('events').select('id').execute()).length, 0)
})
