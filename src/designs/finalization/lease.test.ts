import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { until } from '../../../test/lib/until.ts'
import { addSeconds } from '../../platform/clock.ts'
import { reservedFor } from '../../platform/db/admission/connection-gate.ts'
import { countFinalizations, openWithDesign, rename, requestOf, type Workshop } from '../factory.ts'
import { listDesigns } from '../listing/store.ts'
import { toDesignBody } from '../schemas.ts'
import { type Design, setDesignStatus } from '../store.ts'
import { finalizeDesign } from './finalize-design.ts'
import { releaseAbandonedDesigns } from './jobs.ts'
import { LEASE_SECONDS } from './lease.ts'

/** Leaves a design in the state that a killed process leaves. */
async function abandon({ clock, inTransaction, read }: Workshop, design: Design): Promise<Design> {
  const lease = { token: 'of a killed process', until: addSeconds(clock.now(), LEASE_SECONDS) }
  await inTransaction((trx) => setDesignStatus(trx, { id: design.id, status: 'finalizing', lease }))
  return read(design)
}

test('a request waits for a killed finalization until its lease ends, and takes over within 10 s', async (t) => {
  const shop = await openWithDesign(t)
  const { leaseUntil } = await abandon(shop, shop.design)
  // A waiting request reads the design every half second.
  assert.ok((leaseUntil?.getTime() ?? Infinity) <= shop.clock.now().getTime() + 9_500)
  const taking = finalizeDesign(shop.deps, requestOf(shop.design))
  const soon = await Promise.race([taking, new Promise((resolve) => setTimeout(resolve, 200, 'waiting'))])
  assert.equal(soon, 'waiting')
  shop.clock.shift(9)
  assert.equal((await taking).status, 'finalized')
})

test('a design whose lease has ended is shown as a draft and can be changed', async (t) => {
  const shop = await openWithDesign(t)
  const abandoned = await abandon(shop, shop.design)
  shop.clock.shift(LEASE_SECONDS)
  assert.equal(toDesignBody(abandoned, shop.clock.now()).status, 'draft')
  assert.equal((await rename(shop, shop.design, 'Again')).revision, 2)
})

test('a design whose lease has ended is listed as the draft that it is', async (t) => {
  const shop = await openWithDesign(t)
  const { ownerId, clock, db } = shop
  await abandon(shop, shop.design)
  const list = async (status: 'draft' | 'finalizing') => {
    const filter = { ownerId, status, now: clock.now(), productId: undefined, after: undefined, limit: 10 }
    return (await listDesigns(db, filter)).rows.length
  }
  assert.deepEqual([await list('draft'), await list('finalizing')], [0, 1])
  clock.shift(LEASE_SECONDS)
  assert.deepEqual([await list('draft'), await list('finalizing')], [1, 0])
})

test('rows of abandoned designs are corrected some time after their lease, or at once by the only process', async (t) => {
  const shop = await openWithDesign(t)
  await abandon(shop, shop.design)
  shop.clock.shift(LEASE_SECONDS + 890)
  assert.equal(await releaseAbandonedDesigns(shop.deps), 0)
  shop.clock.shift(10)
  assert.equal(await releaseAbandonedDesigns(shop.deps), 1)
  assert.deepEqual(await shop.read(shop.design), shop.design)
  await abandon(shop, shop.design)
  assert.equal(await releaseAbandonedDesigns(shop.deps, { alone: true }), 1)
  assert.deepEqual(await shop.read(shop.design), shop.design)
})

test('two nodes whose clocks differ by a minute finalize once, and both return the result', async (t) => {
  const shop = await openWithDesign(t)
  const ahead = { ...shop.deps, clock: { now: () => addSeconds(shop.clock.now(), 60) } }
  const held = shop.renderer.hold()
  const here = finalizeDesign(shop.deps, requestOf(shop.design))
  await held.entered
  shop.renderer.pass()
  // From the clock of this node, the lease has long ended.
  const there = await finalizeDesign(ahead, requestOf(shop.design))
  held.letGo()
  assert.deepEqual(await here, there)
  assert.equal(await countFinalizations(shop), 1)
  assert.equal((await shop.db.selectFrom('events').selectAll().execute()).length, 1)
})

test('a process that lost its lease records nothing and returns the result of the other process', async (t) => {
  const shop = await openWithDesign(t)
  const held = shop.renderer.hold()
  const slow = finalizeDesign(shop.deps, requestOf(shop.design))
  await held.entered
  shop.clock.shift(LEASE_SECONDS)
  shop.renderer.pass()
  const quick = await finalizeDesign(shop.deps, requestOf(shop.design))
  held.letGo()
  assert.deepEqual(await slow, quick)
  assert.equal(await countFinalizations(shop), 1)
  assert.equal((await shop.db.selectFrom('events').selectAll().execute()).length, 1)
})

test('a process that lost its lease does not change the design', async (t) => {
  const shop = await openWithDesign(t)
  const first = shop.renderer.hold()
  const slow = finalizeDesign(shop.deps, requestOf(shop.design))
  await first.entered
  shop.clock.shift(LEASE_SECONDS)
  const second = shop.renderer.hold()
  const quick = finalizeDesign(shop.deps, requestOf(shop.design))
  await second.entered
  first.letGo()
  const soon = await Promise.race([slow, new Promise((resolve) => setTimeout(resolve, 1_000, 'waiting'))])
  assert.equal(soon, 'waiting')
  second.letGo()
  assert.deepEqual(await slow, await quick)
  assert.equal(await countFinalizations(shop), 1)
})

test('while drawing runs, its lease is extended, and the design counts as unpaid', async (t) => {
  const shop = await openWithDesign(t)
  t.mock.timers.enable({ apis: ['setInterval'] })
  const held = shop.renderer.hold()
  const finalizing = finalizeDesign(shop.deps, requestOf(shop.design))
  await held.entered
  const before = await shop.read(shop.design)
  await sql`
    insert into storage_unpaid (subject, owner_id, bytes, counts_until)
    values (${before.leaseToken}, ${before.ownerId}, 1, ${before.leaseUntil})`.execute(shop.db)
  shop.clock.shift(5)
  t.mock.timers.tick(2_000)
  let extended = before
  while (extended.leaseUntil?.getTime() === before.leaseUntil?.getTime()) extended = await shop.read(shop.design)
  assert.ok((extended.leaseUntil?.getTime() ?? 0) >= (before.leaseUntil?.getTime() ?? 0) + 5_000)
  const unpaid = await sql<{ until: Date }>`
    select counts_until as until from storage_unpaid where subject = ${before.leaseToken}`.execute(shop.db)
  assert.deepEqual(unpaid.rows[0]?.until, extended.leaseUntil)
  held.letGo()
  await finalizing
})

test('a lease is extended even while writes occupy all connections that they can have', async (t) => {
  const shop = await openWithDesign(t)
  const { database } = shop.deps
  t.mock.timers.enable({ apis: ['setInterval'] })
  const held = shop.renderer.hold()
  const finalizing = finalizeDesign(shop.deps, requestOf(shop.design))
  await held.entered
  const before = (await shop.read(shop.design)).leaseUntil?.getTime() ?? 0
  const over = Promise.withResolvers<void>()
  const max = database.pool.options.max
  const started = Array.from({ length: max - reservedFor(max) }, () => Promise.withResolvers<void>())
  const writers = started.map(({ resolve }) =>
    database.db.transaction().execute(async (trx) => {
      await sql`select 1`.execute(trx)
      resolve()
      await over.promise
    }),
  )
  await Promise.all(started.map(({ promise }) => promise))
  shop.clock.shift(5)
  t.mock.timers.tick(1_000)
  const isExtended = async () => ((await shop.read(shop.design)).leaseUntil?.getTime() ?? 0) > before
  const extended = await until('the extension', isExtended).then(
    () => true,
    () => false,
  )
  over.resolve()
  await Promise.all(writers)
  held.letGo()
  await finalizing
  assert.ok(extended)
})

test('a lease begins after the checks, however long they took', async (t) => {
  const shop = await openWithDesign(t)
  const times: Date[] = []
  // Simulates that half a minute passes between two readings of the clock.
  const now = () => {
    shop.clock.shift(30)
    times.push(shop.clock.now())
    return shop.clock.now()
  }
  const held = shop.renderer.hold()
  const finalizing = finalizeDesign({ ...shop.deps, clock: { now } }, requestOf(shop.design))
  await held.entered
  const { leaseUntil } = await shop.read(shop.design)
  const begunAt = times[0]?.getTime() ?? 0
  assert.ok((leaseUntil?.getTime() ?? 0) >= begunAt + 30_000 + LEASE_SECONDS * 1_000)
  held.letGo()
  await finalizing
})
