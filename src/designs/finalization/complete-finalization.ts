import { randomUUID } from 'node:crypto'
import { assetUses } from '../../assets/index.ts'
import { listPlaceholders } from '../../drawing/index.ts'
import { fontUses } from '../../fonts/index.ts'
import { runUndo } from '../../platform/concurrency/request-context.ts'
import type { Trx } from '../../platform/db/index.ts'
import { isShareOfVisitors } from '../../platform/fair-share.ts'
import { findShare } from '../../platform/newcomers.ts'
import { recordUsage, settleUnpaid } from '../../platform/storage/index.ts'
import { keepAcceptedIssues } from '../accepted-issues/store.ts'
import { toCheckProblem } from '../checking/to-check-problem.ts'
import { emitDesignEvent } from '../events.ts'
import { planFiles } from '../files/draw-files.ts'
import { toRenderProblem } from '../files/render-input.ts'
import type { FinalizationFile } from '../files/stored-file.ts'
import { newId } from '../ids.ts'
import { toDesignBody } from '../schemas.ts'
import { nextStatus } from '../state.ts'
import { type Design, draftBytes, finalizedBytes, findDesign, lockDesign, setDesignStatus } from '../store.ts'
import type { FinalizationPlan, FinalizeDeps } from './begin-finalization.ts'
import { keepFinalizing } from './lease.ts'
import { priceValidUntil } from './price.ts'
import { type Requester, signReceipt } from './receipt.ts'
import { insertFinalization, insertPriceLock, type NewFinalization, releaseLease } from './store.ts'

export interface Attempt {
  plan: FinalizationPlan
  requester: Requester
  /**
   * Whether the lease remains after a failure, so that the caller can end it. By default the design becomes a draft
   * again.
   */
  keepsLease?: boolean
}

/**
 * Draws the files of a leased design outside of any transaction, and records them in the second transaction. If
 * anything fails, the design becomes a draft again, unless the caller keeps the lease.
 *
 * @returns the finalized design; undefined if the plan is no longer valid, because another process has the lease or an
 *   image or font was deleted; the caller then starts again
 * @throws `render_failed`, `renderer_busy`, `storage_quota_exceeded`
 */
export async function completeFinalization(
  deps: FinalizeDeps,
  { plan, requester, keepsLease = false }: Attempt,
): Promise<Design | undefined> {
  const stopKeeping = keepFinalizing(deps, plan)
  try {
    const drawn = await drawFiles(deps, plan)
    await deps.refreshSigningKeys()
    return await deps.database.db
      .transaction()
      .execute((trx) => record(trx, deps, { plan, requester, keepsLease, ...drawn }))
  } catch (cause) {
    const error = toRenderProblem(toCheckProblem(cause, plan.document))
    if (keepsLease) throw error
    // If the release fails as well, the lease expires without it.
    const held = { id: plan.key.id, token: plan.lease.token }
    await runUndo(() => releaseLease(deps.database.db, held)).catch((failure: unknown) =>
      deps.log.warn(
        { err: failure, designId: plan.key.id },
        'the lease of a failed finalization could not be released',
      ),
    )
    throw error
  } finally {
    stopKeeping()
  }
}

interface Drawn {
  contentHash: string
  files: FinalizationFile[]
}

async function drawFiles(deps: FinalizeDeps, plan: FinalizationPlan): Promise<Drawn> {
  const content = { ...plan, ownerId: plan.key.ownerId, fonts: plan.ownFonts }
  const { contentHash, draw } = await planFiles(deps, content)
  return { contentHash, files: await draw(() => requireRoom(deps, plan)) }
}

/**
 * Requires room for the files right before they are drawn. They were counted by the size of the images, and can be far
 * larger. Therefore an account exceeds its limit only by what is drawn for it at the same time, however many of its
 * designs wait. Files of visitors leave the last free disk space to customers who have paid.
 */
async function requireRoom({ database: { db }, quota, storage, clock }: FinalizeDeps, plan: FinalizationPlan) {
  const { ownerId } = plan.key
  await quota.unpaid.requireRoomFor(db, { ownerId, subject: plan.lease.token, now: clock.now() })
  await storage.requireFree({ isVisitor: async () => isShareOfVisitors(await findShare(db, ownerId)) })
}

interface Outcome extends Drawn {
  plan: FinalizationPlan
  requester: Requester
  keepsLease: boolean
}

async function record(trx: Trx, deps: FinalizeDeps, outcome: Outcome): Promise<Design | undefined> {
  const { plan } = outcome
  const design = await lockDesign(trx, plan.key)
  const status = design && nextStatus(design.status, 'finish')
  // The design was moved to another owner. A job starts again for this owner.
  if (design === undefined) return abandonDrawn(trx, deps, outcome)
  if (design.leaseToken !== plan.lease.token || status === undefined) return undefined
  const missingAssets = await assetUses.mark(trx, design.id, [...plan.assets.keys()])
  const fontIds = plan.ownFonts.map(({ id }) => id)
  const missingFonts = await fontUses.mark(trx, design.id, fontIds)
  if (missingAssets.length + missingFonts.length > 0) {
    await assetUses.release(trx, design.id)
    await fontUses.release(trx, design.id)
    return abandonDrawn(trx, deps, outcome)
  }
  const now = deps.clock.now()
  await deps.storage.retain(trx, needed(outcome))
  await insertLocked(trx, deps, outcome, now)
  await setDesignStatus(trx, { id: design.id, status, updatedAt: now })
  const finalized = (await findDesign(trx, plan.key)) ?? design
  await emitDesignEvent(trx, {
    type: 'design.finalized',
    subject: design.id,
    ownerId: design.ownerId,
    data: toDesignBody(finalized, now),
    at: now,
  })
  const bytes = bytesOf(outcome) + finalizedBytes(design)
  await settleUnpaid(trx, plan.lease.token, { subject: design.id, bytes, now })
  // A finalized design no longer counts as a draft. The usage row of an account is always locked last, so that
  // transactions cannot deadlock.
  await recordUsage(trx, design.ownerId, -draftBytes(design))
  return finalized
}

/**
 * Ends an attempt whose files are not needed, unless the caller keeps the lease. The files occupy the disk until the
 * storage collects garbage, so they still count as unpaid.
 */
async function abandonDrawn(trx: Trx, deps: FinalizeDeps, outcome: Outcome): Promise<undefined> {
  const { plan, keepsLease } = outcome
  if (keepsLease) return
  const addition = { subject: randomUUID(), bytes: bytesOf(outcome), now: deps.clock.now() }
  await settleUnpaid(trx, plan.lease.token, addition)
  await releaseLease(trx, { id: plan.key.id, token: plan.lease.token })
}

function bytesOf({ files }: Pick<Outcome, 'files'>): number {
  return files.reduce((total, { bytes }) => total + bytes, 0)
}

/** Lists the stored files that the new row refers to. */
function needed({ files, plan: { outputProfile } }: Outcome): string[] {
  return [...files, ...(outputProfile === undefined ? [] : [outputProfile])].map(({ sha256 }) => sha256)
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
    ...(plan.outputProfile === undefined ? {} : { outputProfileSha256: plan.outputProfile.sha256 }),
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
  if (plan.warnings.length > 0) await keepAcceptedIssues(trx, finalization.id)
  await insertPriceLock(trx, { finalizationId: finalization.id, number: 1, ...price, receipt, lockedAt: now })
}
