import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { sql } from 'kysely'
import { newId } from '../../../test/ids.ts'
import { until } from '../../../test/lib/until.ts'
import { storageUnavailable } from '../../platform/storage/index.ts'
import { changeProduct } from '../../products/change-product.ts'
import { RenderFailed, RenderQueueFull } from '../../rendering/index.ts'
import { CARD, documentOf, imageLayer, openWithDesign, requestOf, requireOrderable, textLayer } from '../factory.ts'
import { toDesignBody } from '../schemas.ts'
import { finalizeDesign, finalizeDesignLater } from './finalize-design.ts'

const DAY = 24 * 3600

test('finalizing locks files, price and placeholders in one transaction, with an event', async (t) => {
  const { deps, clock, db, design, product, asset } = await openWithDesign(t)
  const finalized = await finalizeDesign(deps, requestOf(design))
  const { finalization, ...body } = toDesignBody(finalized, clock.now())
  assert.deepEqual([body.status, body.revision, body.updatedAt], ['finalized', 1, finalization?.finalizedAt])
  assert.deepEqual(
    finalization?.files.map(({ id, kind, mediaType }) => [id, kind, mediaType]),
    [
      ['print', 'print', 'application/pdf'],
      ['preview-front', 'preview', 'image/webp'],
      ['preview-back', 'preview', 'image/webp'],
    ],
  )
  for (const file of finalization?.files ?? []) {
    const bytes = await readFile(await deps.storage.localPath(file.sha256))
    assert.deepEqual([bytes.length, createHash('sha256').update(bytes).digest('hex')], [file.bytes, file.sha256])
  }
  assert.deepEqual(finalization?.placeholders, ['name'])
  assert.deepEqual(finalization?.price.priceTiers, product.variants[0]?.priceTiers)
  const locked = new Date(finalization?.price.validUntil ?? 0).getTime() - Date.parse(finalization?.finalizedAt ?? '')
  assert.equal(locked, 30 * DAY * 1000)
  const uses = await db.selectFrom('asset_uses').selectAll().execute()
  assert.deepEqual(uses, [{ asset_id: asset.id, design_id: design.id }])
  const [event, ...others] = await db.selectFrom('events').selectAll().execute()
  assert.deepEqual([event?.type, event?.owner_id, others.length], ['design.finalized', design.ownerId, 0])
  assert.deepEqual(event?.data, toDesignBody(finalized, clock.now()))
})

test('files are drawn only with room on the disk for them', async (t) => {
  const shop = await openWithDesign(t)
  const { storage } = shop.deps
  const sizes: number[] = []
  let ended = 0
  const admit: typeof storage.admit = async ({ least }) => {
    sizes.push(least)
    return {
      cover: async () => {
        if (sizes.length === 1) throw storageUnavailable(new Error('the disk is full'))
      },
      end: () => {
        ended += 1
      },
    }
  }
  const deps = { ...shop.deps, storage: { ...storage, admit } }
  await assert.rejects(finalizeDesign(deps, requestOf(shop.design)), { code: 'storage_unavailable' })
  assert.equal((await shop.read(shop.design)).status, 'draft')
  assert.equal((await finalizeDesign(deps, requestOf(shop.design))).status, 'finalized')
  assert.deepEqual([sizes.length, ended], [2, 2])
  const { widthPx, heightPx, bytes } = shop.asset
  const withoutImages = 1024 * 1024
  assert.ok(Math.min(...sizes) >= withoutImages + 4 * widthPx * heightPx + bytes, 'with the decoded samples')
})

test('finalizing again returns the same finalization and draws nothing', async (t) => {
  const { deps, renderer, design } = await openWithDesign(t)
  const first = await finalizeDesign(deps, requestOf(design))
  assert.deepEqual(await finalizeDesign(deps, requestOf(design)), first)
  assert.equal(renderer.printCount(), 1)
})

test('the signing keys are read before each transaction that may sign, never within one', async (t) => {
  const { deps, db, clock, design } = await openWithDesign(t)
  let readings = 0
  const refreshSigningKeys = async (): Promise<void> => {
    readings += 1
    // A connection that the pool is opening has a transaction for a moment.
    await until('no open transaction', async () => {
      const { rows } = await sql<{ open: number }>`select count(*)::int as open from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
          and xact_start is not null`.execute(db)
      return rows[0]?.open === 0
    })
    await deps.refreshSigningKeys()
  }
  await finalizeDesign({ ...deps, refreshSigningKeys }, requestOf(design))
  assert.equal(readings, 2)
  clock.shift(30 * DAY)
  await finalizeDesignLater({ ...deps, refreshSigningKeys }, requestOf(design))
  assert.equal(readings, 3)
})

test('a design that fails preflight stays an unchanged draft', async (t) => {
  const { deps, read, renderer, design } = await openWithDesign(t, { text: 'Too long for its box. '.repeat(40) })
  const before = await read(design)
  await assert.rejects(
    finalizeDesign(deps, requestOf(design)),
    (problem: { code: string; extras: { errors: object[] } }) => {
      assert.equal(problem.code, 'preflight_failed')
      const [error] = problem.extras.errors as { code: string; pointer: string; severity: string }[]
      assert.deepEqual([error?.code, error?.severity], ['text_overflow', 'error'])
      assert.match(error?.pointer ?? '', /^\/placements\/0\/layers\/1/)
      return true
    },
  )
  assert.deepEqual(await read(design), before)
  assert.equal(renderer.printCount(), 0)
})

test('the same content gives the same hash and files for other accounts, products and ids', async (t) => {
  const { deps, addProduct, addAsset, addDesign, ownerId, product, asset } = await openWithDesign(t)
  const someone = newId('user')
  const areas = CARD.printAreas.map((area, index) => ({ ...area, id: `side-${index}`, name: `Side ${index}` }))
  const otherProduct = await addProduct({ name: 'Visitenkarte', printAreas: areas })
  const otherAsset = await addAsset(someone)
  const layers = (assetId: string, id: string) => [{ ...imageLayer(assetId), id }, textLayer('Same')]
  const one = await addDesign(product, ownerId, documentOf(layers(asset.id, 'a')))
  const two = await addDesign(otherProduct, someone, documentOf(layers(otherAsset.id, 'b'), 'side-0'))
  const three = await addDesign(product, ownerId, documentOf([textLayer('Other')]))
  const [first, second, third] = [
    await finalizeDesign(deps, requestOf(one)),
    await finalizeDesign(deps, requestOf(two)),
    await finalizeDesign(deps, requestOf(three)),
  ].map((design) => toDesignBody(design, deps.clock.now()).finalization)
  assert.equal(first?.contentHash, second?.contentHash)
  assert.deepEqual(
    first?.files.map(({ sha256 }) => sha256),
    second?.files.map(({ sha256 }) => sha256),
  )
  assert.notEqual(first?.contentHash, third?.contentHash)
})

test('after 30 days the price and the receipt are renewed, but never the files', async (t) => {
  const { deps, clock, renderer, inTransaction, design, ownerId, product } = await openWithDesign(t)
  const first = toDesignBody(await finalizeDesign(deps, requestOf(design)), clock.now()).finalization
  const dearer = product.variants.map((variant) => ({ ...variant, priceTiers: [{ minQuantity: 1, unitAmount: 99 }] }))
  await inTransaction((trx) => changeProduct(trx, product.id, { variants: dearer }, clock.now()))
  const orderability = () =>
    inTransaction((trx) => requireOrderable(trx, { designId: design.id, ownerId, now: clock.now() }))
  clock.shift(30 * DAY - 60)
  const early = toDesignBody(await finalizeDesign(deps, requestOf(design)), clock.now())
  assert.deepEqual(early.finalization, first)
  clock.shift(60)
  assert.deepEqual(await orderability(), { ok: false, reason: 'price_expired' })
  const renewed = toDesignBody(await finalizeDesign(deps, requestOf(design)), clock.now()).finalization
  assert.ok(first !== null && renewed !== null)
  const { price, receipt, ...rest } = renewed
  const { price: _, receipt: firstReceipt, ...firstRest } = first
  assert.deepEqual(rest, firstRest)
  assert.deepEqual(price.priceTiers, [{ minQuantity: 1, unitAmount: 99 }])
  assert.ok(Date.parse(price.validUntil) > clock.now().getTime())
  assert.notEqual(receipt, firstReceipt)
  assert.equal(renderer.printCount(), 1)
  const now = await orderability()
  assert.ok(now.ok && now.design.priceTiers[0]?.unitAmount === 99)
})

test('a price is not renewed for a product that is no longer sold', async (t) => {
  const { deps, clock, inTransaction, design, product } = await openWithDesign(t)
  await finalizeDesign(deps, requestOf(design))
  await inTransaction((trx) => changeProduct(trx, product.id, { status: 'archived' }, clock.now()))
  // Until the price lock expires, the design can be finalized again at the same price.
  assert.equal((await finalizeDesign(deps, requestOf(design))).status, 'finalized')
  clock.shift(30 * DAY)
  await assert.rejects(
    finalizeDesign(deps, requestOf(design)),
    (problem: { code: string; extras: { errors: object[] } }) => {
      const [error] = problem.extras.errors as { code: string }[]
      assert.deepEqual([problem.code, error?.code], ['preflight_failed', 'product_unavailable'])
      return true
    },
  )
})

const FAILURES = [
  [new RenderFailed('timeout', 'slow'), 'renderer_busy', 503],
  [new RenderFailed('unavailable', 'none'), 'renderer_busy', 503],
  [new RenderQueueFull(), 'renderer_busy', 503],
  [new RenderFailed('crash', 'gone'), 'render_failed', 422],
  [new RenderFailed('memory', 'large'), 'render_failed', 422],
] as const

for (const [failure, code, status] of FAILURES) {
  test(`when drawing ends with "${failure.message}" the draft is unchanged and can be finalized again`, async (t) => {
    const { deps, read, renderer, design } = await openWithDesign(t)
    const before = await read(design)
    const held = renderer.hold()
    const attempt = finalizeDesign(deps, requestOf(design))
    await held.entered
    held.letGo(failure)
    await assert.rejects(attempt, { code, status })
    assert.deepEqual(await read(design), before)
    assert.equal((await finalizeDesign(deps, requestOf(design))).status, 'finalized')
  })
}
