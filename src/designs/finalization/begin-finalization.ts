import type { Asset } from '../../assets/index.ts'
import { findColorProfile } from '../../color-profiles/index.ts'
import type { DesignDocument, PreflightReport } from '../../drawing/index.ts'
import type { Font } from '../../fonts/index.ts'
import { addSeconds, type Clock } from '../../platform/clock.ts'
import type { DatabasePool, Trx } from '../../platform/db/index.ts'
import type { Storage, StorageQuota, UnpaidBound } from '../../platform/storage/index.ts'
import type { Log } from '../../platform/telemetry/log.ts'
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
  quota: Pick<StorageQuota, 'unpaid'>
  renderer: Pick<Renderer, 'print'>
  /**
   * Loads the keys that sign receipts. Called before a transaction that signs, so that the transaction does not wait
   * for it.
   */
  refreshSigningKeys(): Promise<void>
}

export interface FinalizeRequest {
  key: DesignKey
  requester: Requester
  /** Throws if the request requires another version of the design (`If-Match`). */
  requireVersion(design: Design, now: Date): void
  /** Limits what the caller stores without paying. */
  unpaid: UnpaidBound
}

/** The right of one process to finalize a design. It expires if the process dies. */
export interface Lease {
  token: string
  seconds: number
  /**
   * Whether a job finalizes the design later. The job may use the lease even after it has expired, unless another
   * process has leased the design.
   */
  isForJob?: boolean
}

/**
 * All inputs of a finalization, in the state of one point in time. Later changes of product or images have no effect.
 */
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
  /** Output profile of the product. Default: sRGB. */
  outputProfile?: ContentByHash
  /** The uploaded fonts that the texts of the document can use, even after placeholders are filled. */
  ownFonts: readonly Font[]
  warnings: object[]
}

export type Begun =
  | { outcome: 'finalized'; design: Design }
  /** Another process holds the lease. */
  | { outcome: 'busy'; design: Design }
  | { outcome: 'leased'; plan: FinalizationPlan; design: Design }

/**
 * Runs the first of the two transactions of a finalization: checks the draft and takes the lease on it. A finalized
 * design is returned without a check; if its price lock has expired, the price is renewed.
 *
 * @param deps includes the reports that `withChecks` made before the transaction
 * @throws `design_not_found`, `design_archived`, `precondition_failed`, `preflight_failed`, `storage_quota_exceeded`,
 *   and the errors of `checkDesign`; in these cases nothing is changed
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
  // Reads the time again, because the checks may have taken longer than most of a short lease.
  const held = { token: lease.token, until: addSeconds(deps.clock.now(), lease.seconds) }
  await setDesignStatus(trx, { id: design.id, status: begun, lease: held })
  const bytes = sum(plan.assets.values()) + finalizedBytes(design)
  // The bytes for a waiting job count for a day, because it may draw its files after its lease has ended.
  const until = lease.isForJob === true ? {} : { until: held.until }
  await request.unpaid.charge(trx, { ownerId: design.ownerId, subject: held.token, bytes, now, ...until })
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
 * Checks a design and collects all inputs of its finalization.
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
 * Reads the inputs of the checks and the colour profile of the product. If the profile was deleted after the product
 * was read, the product names another profile by now, so everything is read again.
 *
 * @throws `renderer_busy` if the profile is missing in every attempt
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
    detail: 'Another request is changing the product of the design.',
    headers: { 'Retry-After': '2' },
  })
}
