import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../../test/ids.ts'
import { addSeconds } from '../../platform/clock.ts'
import { archive, openWithDesign, requestOf, requireOrderable } from '../factory.ts'
import { finalizeDesign } from './finalize-design.ts'
import { insertPriceLock } from './store.ts'

test('a design cannot be archived while a transaction orders it', async (t) => {
  const shop = await openWithDesign(t)
  const { deps, clock, db, design, ownerId } = shop
  await finalizeDesign(deps, requestOf(design))
  const asked = Promise.withResolvers<void>()
  const made = Promise.withResolvers<void>()
  const ordering = db.transaction().execute(async (trx) => {
    const answer = await requireOrderable(trx, { designId: design.id, ownerId, now: clock.now() })
    asked.resolve()
    await made.promise
    return answer
  })
  await asked.promise
  const archiving = archive(shop, design)
  await shop.untilBlocked(1)
  made.resolve()
  assert.equal((await ordering).ok, true)
  await archiving
})

// A single read would show the price as it was before the wait for the lock.
test('an order that waits for a price renewal gets the new price', async (t) => {
  const shop = await openWithDesign(t)
  const { clock, db, design, ownerId } = shop
  const { finalization } = await finalizeDesign(shop.deps, requestOf(design))
  assert.ok(finalization)
  clock.shift(31 * 24 * 3600)
  const { answer } = await db.transaction().execute(async (trx) => {
    await trx.updateTable('designs').set({ updated_at: clock.now() }).where('id', '=', design.id).execute()
    const answer = shop.inTransaction((other) =>
      requireOrderable(other, { designId: design.id, ownerId, now: clock.now() }),
    )
    await shop.untilBlocked(1)
    await insertPriceLock(trx, {
      finalizationId: finalization.id,
      number: 2,
      priceTiers: [{ minQuantity: 1, unitAmount: 3 }],
      currency: 'EUR',
      validUntil: addSeconds(clock.now(), 3600),
      receipt: 'a.b.c',
      lockedAt: clock.now(),
    })
    return { answer }
  })
  const orderable = await answer
  assert.ok(orderable.ok)
  assert.equal(orderable.design.priceLock, 2)
})

test('a design that cannot be ordered is reported with the reason', async (t) => {
  const shop = await openWithDesign(t)
  const { clock, design, ownerId } = shop
  const ask = (designId: string, owner = ownerId) =>
    shop.inTransaction((trx) => requireOrderable(trx, { designId, ownerId: owner, now: clock.now() }))
  const refused = (reason: string) => ({ ok: false, reason })
  assert.deepEqual(await ask(newId('design')), refused('design_not_found'))
  assert.deepEqual(await ask('nonsense'), refused('design_not_found'))
  assert.deepEqual(await ask(design.id), refused('design_not_finalized'))
  await finalizeDesign(shop.deps, requestOf(design))
  assert.deepEqual(await ask(design.id, newId('user')), refused('design_not_found'))
  assert.equal((await ask(design.id)).ok, true)
  await archive(shop, design)
  assert.deepEqual(await ask(design.id), refused('design_archived'))
})
