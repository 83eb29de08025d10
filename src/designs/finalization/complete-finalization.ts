import { rm } from 'node:fs/promises'
import { markAssetsUsed, releaseAssets } from '../../assets/index.ts'
import { listPlaceholders } from '../../drawing/index.ts'
import type { Trx } from '../../platform/db/index.ts'
import { newId } from '../../platform/ids.ts'
import { emit } from '../../platform/outbox.ts'
import { contentHash, type RenderedFile } from '../../rendering/index.ts'
import { imagesOf, toRenderProblem } from '../files/render-input.ts'
import { toDesignBody } from '../schemas.ts'
import { nextStatus } from '../state.ts'
import { type Design, findDesign, lockDesign, setDesignStatus } from '../store.ts'
import type { FinalizationPlan, FinalizeDeps } from './begin-finalization.ts'
import { keepLease } from './lease.ts'
import { priceValidUntil } from './price.ts'
import { type Requester, signReceipt } from './receipt.ts'
import {
  type FinalizationFile,
  insertFinalization,
  insertPriceLock,
  type NewFinalization,
  releaseLease,
} from './store.ts'

/**
 * Draws the files of a design whose lease is held, outside any transaction, and records them in the second one.
 * Whatever goes wrong, the design is a draft again.
 *
 * @returns the finalized design; undefined when the plan no longer holds (the lease went to another process, or an
 *   image was deleted meanwhile), so that the caller looks again
 * @throws `render_failed`, `renderer_busy`
 */
export async function completeFinalization(
  deps: FinalizeDeps,
  plan: FinalizationPlan,
  requester: Requester,
): Promise<Design | undefined> {
  const stopKeeping = keepLease(deps, plan)
  try {
    const drawn = await drawFiles(deps, plan)
    await deps.refreshSigningKeys()
    return await deps.database.db.transaction().execute((trx) => record(trx, deps, { plan, requester, ...drawn }))
  } catch (error) {
    // Where even this fails, the lease runs out by itself.
    await releaseLease(deps.database.db, { id: plan.key.id, token: plan.lease.token }).catch((cause: unknown) =>
      deps.log.warn({ err: cause, designId: plan.key.id }, 'a finalization could not be given up'),
    )
    throw toRenderProblem(error)
  } finally {
    stopKeeping()
  }
}

interface Drawn {
  contentHash: string
  files: FinalizationFile[]
}

/** When this returns, the files survive a power cut: the rows that name them may be written. */
async function drawFiles({ renderer, storage, fonts }: FinalizeDeps, plan: FinalizationPlan): Promise<Drawn> {
  const { document, printAreas, assets } = plan
  const hash = contentHash({ document, printAreas, assets, fonts })
  const dir = await storage.createWorkDir()
  try {
    const images = await imagesOf(storage, assets)
    const rendered = await renderer.print({ document, printAreas, images, contentHash: hash }, dir)
    await Promise.all(rendered.map((file) => storage.adopt(file)))
    return { contentHash: hash, files: rendered.map(toFile) }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

function toFile({ path: _, ...file }: RenderedFile): FinalizationFile {
  // One print file, and one preview per print area: an id that says so, and is the same wherever the design is finalized.
  return { id: file.kind === 'print' ? 'print' : `preview-${file.printAreaId}`, ...file }
}

interface Outcome extends Drawn {
  plan: FinalizationPlan
  requester: Requester
}

async function record(trx: Trx, deps: FinalizeDeps, outcome: Outcome): Promise<Design | undefined> {
  const { plan } = outcome
  const design = await lockDesign(trx, plan.key)
  const status = design && nextStatus(design.status, 'finish')
  if (design?.leaseToken !== plan.lease.token || status === undefined) return undefined
  const missing = await markAssetsUsed(trx, design.id, [...plan.assets.keys()])
  if (missing.length > 0) {
    await releaseAssets(trx, design.id)
    await releaseLease(trx, { id: design.id, token: plan.lease.token })
    return undefined
  }
  const now = deps.clock.now()
  await insertLocked(trx, deps, outcome, now)
  await setDesignStatus(trx, { id: design.id, status, updatedAt: now })
  const finalized = (await findDesign(trx, plan.key)) ?? design
  await emit(trx, {
    type: 'design.finalized',
    subject: design.id,
    ownerId: design.ownerId,
    data: toDesignBody(finalized, now),
    at: now,
  })
  return finalized
}

async function insertLocked(trx: Trx, deps: FinalizeDeps, outcome: Outcome, now: Date): Promise<void> {
  const { plan, requester, contentHash, files } = outcome
  const finalization: NewFinalization = {
    id: newId('finalization'),
    designId: plan.key.id,
    revision: plan.revision,
    contentHash,
    productId: plan.productId,
    variantId: plan.variantId,
    weightGrams: plan.weightGrams,
    printAreasJson: JSON.stringify(plan.printAreas),
    files,
    warningsJson: JSON.stringify(plan.warnings),
    placeholders: listPlaceholders(plan.document),
    finalizedAt: now,
  }
  const { priceTiers, currency } = plan
  const price = { priceTiers, currency, validUntil: priceValidUntil(now) }
  const receipt = await signReceipt(deps.signStatement, {
    issuer: deps.config.origin,
    requester,
    design: { id: plan.key.id, revision: plan.revision },
    finalization,
    price,
    at: now,
  })
  await insertFinalization(trx, finalization)
  await insertPriceLock(trx, { finalizationId: finalization.id, number: 1, ...price, receipt, lockedAt: now })
}
