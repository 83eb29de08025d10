import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { newId } from '../../../test/ids.ts'
import { deleteAsset } from '../../assets/delete-asset.ts'
import { changeProduct } from '../../products/change-product.ts'
import { moveDesigns } from '../account/move-designs.ts'
import {
  archive,
  CARD,
  countFinalizations,
  documentOf,
  openWithDesign,
  rename,
  replaceDocument,
  requestOf,
  requireOrderable,
  textLayer,
  type Workshop,
} from '../factory.ts'
import { toDesignBody } from '../schemas.ts'
import type { Design } from '../store.ts'
import { finalizeDesign } from './finalize-design.ts'

/** Locks the row of a design until the returned function is called. */
async function holdRow({ db }: Workshop, { id }: Design): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const holding = db.transaction().execute(async (trx) => {
    await trx.selectFrom('designs').select('id').where('id', '=', id).forUpdate().execute()
    held.resolve()
    await release.promise
  })
  await held.promise
  return () => {
    release.resolve()
    return holding
  }
}

test('of two simultaneous finalizations one draws and both return its result', async (t) => {
  const shop = await openWithDesign(t)
  const release = await holdRow(shop, shop.design)
  const both = [1, 2].map(() => finalizeDesign(shop.deps, requestOf(shop.design)))
  await shop.untilBlocked(2)
  await release()
  const [first, second] = await Promise.all(both)
  assert.deepEqual(first, second)
  assert.equal(shop.renderer.printCount(), 1)
  assert.equal(await countFinalizations(shop), 1)
})

test('a finalization that arrives while another draws waits for it', async (t) => {
  const shop = await openWithDesign(t)
  const held = shop.renderer.hold()
  const first = finalizeDesign(shop.deps, requestOf(shop.design))
  await held.entered
  const second = finalizeDesign(shop.deps, requestOf(shop.design))
  const soon = await Promise.race([second, new Promise((resolve) => setTimeout(resolve, 200, 'waiting'))])
  assert.equal(soon, 'waiting')
  held.letGo()
  assert.deepEqual(await second, await first)
  assert.equal(shop.renderer.printCount(), 1)
})

test('a finalization that waited for a failed one finalizes itself', async (t) => {
  const shop = await openWithDesign(t)
  const held = shop.renderer.hold()
  const first = finalizeDesign(shop.deps, requestOf(shop.design))
  await held.entered
  const second = finalizeDesign(shop.deps, requestOf(shop.design))
  held.letGo(new Error('the disk is full'))
  await assert.rejects(first, /disk is full/)
  assert.equal((await second).status, 'finalized')
})

test('a change during a finalization is refused', async (t) => {
  const shop = await openWithDesign(t)
  const held = shop.renderer.hold()
  const finalizing = finalizeDesign(shop.deps, requestOf(shop.design))
  await held.entered
  await assert.rejects(rename(shop, shop.design, 'Late'), { code: 'design_not_draft' })
  held.letGo()
  assert.equal((await finalizing).name, shop.design.name)
})

// Without the row lock, the change would decide by the draft that it read first, and overwrite the finalizing design.
test('a change that waited for the start of a finalization sees the new state', async (t) => {
  const shop = await openWithDesign(t)
  const release = await holdRow(shop, shop.design)
  const finalizing = finalizeDesign(shop.deps, requestOf(shop.design))
  await shop.untilBlocked(1)
  const renaming = rename(shop, shop.design, 'Late')
  renaming.catch(() => undefined)
  await shop.untilBlocked(2)
  await release()
  await assert.rejects(renaming, { code: 'design_not_draft' })
  assert.equal((await finalizing).name, shop.design.name)
})

test('a finalization that waits for a change finalizes the changed design', async (t) => {
  const shop = await openWithDesign(t)
  const { deps, clock, design } = shop
  const [locked, blocked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const document = documentOf([textLayer('Changed {{word}}')])
  const changing = replaceDocument(shop, design, document, () => {
    locked.resolve()
    return blocked.promise
  })
  await Promise.race([locked.promise, changing])
  const finalizing = finalizeDesign(deps, requestOf(design))
  await shop.untilBlocked(1)
  blocked.resolve()
  await changing
  const { revision, finalization } = toDesignBody(await finalizing, clock.now())
  assert.deepEqual([revision, finalization?.revision, finalization?.placeholders], [2, 2, ['word']])
})

test('a design is not archived while it is being finalized, and not finalized once archived', async (t) => {
  const shop = await openWithDesign(t)
  const held = shop.renderer.hold()
  const finalizing = finalizeDesign(shop.deps, requestOf(shop.design))
  await held.entered
  await assert.rejects(archive(shop, shop.design), { code: 'design_finalizing' })
  held.letGo()
  await finalizing
  await archive(shop, shop.design)
  await assert.rejects(finalizeDesign(shop.deps, requestOf(shop.design)), { code: 'design_archived' })
})

test('an image that is deleted during drawing fails the finalization as one that was missing before', async (t) => {
  const shop = await openWithDesign(t)
  const { deps, db, design, asset, ownerId } = shop
  const held = shop.renderer.hold()
  const finalizing = finalizeDesign(deps, requestOf(design))
  await held.entered
  await db.transaction().execute((trx) => deleteAsset(trx, { id: asset.id, ownerId }))
  held.letGo()
  await assert.rejects(finalizing, (problem: { code: string; extras: { errors: { code: string }[] } }) => {
    assert.deepEqual([problem.code, problem.extras.errors[0]?.code], ['preflight_failed', 'asset_missing'])
    return true
  })
  assert.equal((await shop.read(design)).status, 'draft')
  assert.equal(await countFinalizations(shop), 0)
})

test('a design that gets another owner while a request finalizes it is a draft of this owner at once', async (t) => {
  const shop = await openWithDesign(t)
  const held = shop.renderer.hold()
  const finalizing = finalizeDesign(shop.deps, requestOf(shop.design))
  await held.entered
  const ownerId = newId('user')
  await shop.inTransaction((trx) => moveDesigns(trx, { from: shop.ownerId, to: ownerId, assets: [] }))
  held.letGo()
  await assert.rejects(finalizing, { code: 'design_not_found' })
  assert.equal((await shop.read({ ...shop.design, ownerId })).status, 'draft')
})

test('if the profile of a product is deleted in every attempt, finalizing ends with renderer_busy', async (t) => {
  const shop = await openWithDesign(t)
  await sql`alter table products drop constraint products_output_profile_id_fkey`.execute(shop.db)
  await shop.db
    .updateTable('products')
    .set({ output_profile_id: newId('colorProfile') })
    .execute()
  await assert.rejects(finalizeDesign(shop.deps, requestOf(shop.design)), { code: 'renderer_busy' })
  assert.equal((await shop.read(shop.design)).status, 'draft')
})

test('a product that changes while the design is drawn changes neither its price nor its geometry', async (t) => {
  const shop = await openWithDesign(t)
  const { deps, clock, design, product, ownerId } = shop
  const held = shop.renderer.hold()
  const finalizing = finalizeDesign(deps, requestOf(design))
  await held.entered
  const printAreas = CARD.printAreas.map((area) => ({ ...area, widthMm: 210 }))
  const variants = product.variants.map((one) => ({
    ...one,
    weightGrams: 77,
    priceTiers: [{ minQuantity: 1, unitAmount: 1 }],
  }))
  const changes = { printAreas, variants, status: 'archived' as const }
  await shop.inTransaction((trx) => changeProduct(trx, product.id, changes, clock.now()))
  held.letGo()
  const finalized = await finalizing
  assert.deepEqual(JSON.parse(finalized.finalization?.printAreasJson ?? ''), CARD.printAreas)
  const orderable = await shop.inTransaction((trx) =>
    requireOrderable(trx, { designId: design.id, ownerId, now: clock.now() }),
  )
  assert.ok(orderable.ok)
  assert.deepEqual(orderable.design.priceTiers, CARD.variants[0]?.priceTiers)
  assert.equal(orderable.design.weightGrams, 2)
})
