import type { Asset } from '../../assets/index.ts'
import { findColorProfile } from '../../color-profiles/index.ts'
import type { DesignDocument, PreflightReport } from '../../drawing/index.ts'
import type { Font } from '../../fonts/index.ts'
import { addSeconds, type Clock } from '../../platform/clock.ts'
import type { DatabasePool, Trx } from '../../platform/db/index.ts'
import type { Log } from '../../platform/log.ts'
import type { Storage, UnpaidBound } from '../../platform/storage/index.ts'
import type { PriceTiers, PrintArea } from '../../products/index.ts'
import type { Renderer } from '../../rendering/index.ts'
import { type CheckDeps, type CheckInputs, type DesignContent, findCheckInputs } from '../checking/check-inputs.ts'
import type { Checks } from '../checking/with-checks.ts'
import type { ContentByHash } from '../files/render-input.ts'
import { selectUsed } from '../fonts/design-fonts.ts'
import { designProblems } from '../problems.ts'
import { contentOf } from '../save-design.ts'
import { nextStatus, statusAt } from '../state.ts'
import { type Design, type DesignKey, finalizedBytes, lockDesign, setDesignStatus } from '../store.ts'
import { type PriceDeps, renewPrice } from './price.ts'
import type { Requester } from './receipt.ts'

export interface FinalizeDeps extends CheckDeps, PriceDeps {
  database: DatabasePool
  clock: Clock
  log: Log
  storage: Storage
  renderer: Pick<Renderer, 'print'>
  /** To be called before a transaction in which something is signed. */
  refreshSigningKeys(): Promise<void>
}

export interface FinalizeRequest {
  key: DesignKey
  requester: Requester
  /** Refuses when the caller means another version of the design. */
  requireVersion(design: Design, now: Date): void
  /** Of what the caller adds without paying for it. */
  unpaid: UnpaidBound
}

/** Holding it, one process at a time finalizes a design. It ends by itself when its holder is gone. */
export interface Lease {
  token: string
  seconds: number
}

/** Everything that decides the outcome, as it was at one moment: later changes of product or images do not mix in. */
export interface FinalizationPlan {
  key: DesignKey
  lease: Lease
  revision: number
  document: DesignDocument
  productId: string
  variantId: string
  weightGrams: number
  printAreas: PrintArea[]
  priceTiers: PriceTiers
  currency: string
  assets: ReadonlyMap<string, Asset>
  /** The condition that the product's print files are made for; none for sRGB. */
  outputProfile?: ContentByHash
  /** Those of the owner's fonts that its texts can be set in, also when placeholders are filled. */
  ownFonts: readonly Font[]
  warnings: object[]
}

export type Begun =
  | { outcome: 'finalized'; design: Design }
  /** Somebody else holds the lease. */
  | { outcome: 'busy'; design: Design }
  | { outcome: 'leased'; plan: FinalizationPlan; design: Design }

/**
 * The first of the two transactions of a finalization: checks the draft and takes the lease on it.
 * A finalized design is answered as it is, with its price renewed where that has run out.
 *
 * @param deps with the reports of `withChecks`, around the transaction
 * @throws `design_not_found`, `design_archived`, `precondition_failed`, `preflight_failed`, `storage_quota_exceeded`, what
 *   `checkDesign` throws; nothing is changed then
 */
export async function beginFinalization(
  trx: Trx,
  deps: FinalizeDeps & Checks,
  request: FinalizeRequest,
  lease: Lease,
): Promise<Begun> {
  const design = await lockDesign(trx, request.key)
  if (design === undefined) throw designProblems.design_not_found()
  const now = deps.clock.now()
  const status = statusAt(design, now)
  if (status === 'archived') throw designProblems.design_archived()
  request.requireVersion(design, now)
  if (design.finalization !== null) {
    const { finalization } = design
    if (now < finalization.price.validUntil) return { outcome: 'finalized', design }
    const { requester } = request
    return { outcome: 'finalized', design: await renewPrice(trx, deps, { design, finalization, requester, now }) }
  }
  const begun = nextStatus(status, 'begin_finalizing')
  if (begun === undefined) return { outcome: 'busy', design }
  const plan = await planFinalization(trx, deps, design, lease)
  // From now on: the checks may have taken a good part of a short lease.
  const held = { token: lease.token, until: addSeconds(deps.clock.now(), lease.seconds) }
  await setDesignStatus(trx, { id: design.id, status: begun, lease: held })
  const bytes = sum(plan.assets.values()) + finalizedBytes(design)
  await request.unpaid.charge(trx, { ownerId: design.ownerId, subject: held.token, bytes, now, until: held.until })
  return {
    outcome: 'leased',
    plan,
    design: {
      ...design,
      status: begun,
      leaseToken: held.token,
      leaseUntil: held.until,
      lastFinalizationErrorJson: null,
    },
  }
}

function sum(files: Iterable<{ bytes: number }>): number {
  return Array.from(files).reduce((total, { bytes }) => total + bytes, 0)
}

/**
 * Checks a design and gathers all that finalizing it needs.
 *
 * @throws `preflight_failed`
 */
export async function planFinalization(
  trx: Trx,
  deps: FinalizeDeps & Checks,
  design: Design,
  lease: Lease,
): Promise<FinalizationPlan> {
  const content = contentOf(design)
  const { document } = content
  const { product, variant, assets, ownFonts, outputProfile, ...inputs } = await findWithProfile(trx, content)
  const report = JSON.parse(deps.reportOf({ product, variant, assets, ownFonts, ...inputs })) as PreflightReport
  const errors = report.issues.filter(({ severity }) => severity === 'error')
  if (errors.length > 0 || variant === undefined) {
    throw designProblems.preflight_failed({ errors: errors.map((issue) => ({ ...issue, detail: issue.message })) })
  }
  return {
    key: { id: design.id, ownerId: design.ownerId },
    lease,
    revision: design.revision,
    document,
    productId: product.id,
    variantId: variant.id,
    weightGrams: variant.weightGrams,
    printAreas: product.printAreas,
    priceTiers: variant.priceTiers,
    currency: product.currency,
    assets,
    ...(outputProfile === undefined ? {} : { outputProfile: { sha256: outputProfile.sha256 } }),
    ownFonts: selectUsed(deps, document, ownFonts),
    warnings: report.issues,
  }
}

const PROFILE_ATTEMPTS = 5

/**
 * Reads what a design is checked against, and the profile of its product. One that is gone was deleted after the product,
 * given another one, was read: then all is read again.
 *
 * @throws `renderer_busy` when it is gone each time
 */
async function findWithProfile(
  trx: Trx,
  content: DesignContent,
): Promise<CheckInputs & { outputProfile: ContentByHash | undefined }> {
  for (let attempt = 1; attempt <= PROFILE_ATTEMPTS; attempt++) {
    const inputs = await findCheckInputs(trx, content)
    const { outputProfileId } = inputs.product
    const outputProfile = outputProfileId && (await findColorProfile(trx, outputProfileId))
    if (outputProfile) return { ...inputs, outputProfile }
    if (outputProfileId === undefined) return { ...inputs, outputProfile: undefined }
  }
  throw designProblems.renderer_busy({
    detail: 'Another request is changing the product.',
    headers: { 'Retry-After': '2' },
  })
}
