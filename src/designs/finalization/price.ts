import { addSeconds } from '../../platform/clock.ts'
import type { Trx } from '../../platform/db/index.ts'
import { findOffer } from '../checking/check-inputs.ts'
import type { FinalizationFile } from '../files/stored-file.ts'
import { designProblems } from '../problems.ts'
import { type Design, type Finalization, findDesign, setDesignStatus } from '../store.ts'
import { type Requester, type SignStatement, signReceipt } from './receipt.ts'
import { insertPriceLock } from './store.ts'

const PRICE_LOCK_DAYS = 30

export function priceValidUntil(now: Date): Date {
  return addSeconds(now, PRICE_LOCK_DAYS * 24 * 3600)
}

export interface PriceDeps {
  signStatement: SignStatement
  config: { origin: string }
}

/**
 * Locks the current price of a finalized design whose price lock has expired, and issues a new receipt. The files stay
 * the same. The caller must have locked the design.
 *
 * @throws `preflight_failed` with `product_unavailable` if the product is no longer for sale
 */
export async function renewPrice(
  trx: Trx,
  deps: PriceDeps,
  {
    design,
    finalization,
    requester,
    now,
  }: { design: Design; finalization: Finalization; requester: Requester; now: Date },
): Promise<Design> {
  const { product, variant, available } = await findOffer(trx, design)
  if (variant === undefined || !available) throw productUnavailable()
  const price = { priceTiers: variant.priceTiers, currency: product.currency, validUntil: priceValidUntil(now) }
  const files = JSON.parse(finalization.filesJson) as FinalizationFile[]
  const receipt = await signReceipt(deps.signStatement, {
    issuer: deps.config.origin,
    requester,
    design: { id: design.id, revision: finalization.revision },
    finalization: { ...finalization, files },
    price,
    at: now,
  })
  const number = finalization.price.number + 1
  await insertPriceLock(trx, { finalizationId: finalization.id, number, ...price, receipt, lockedAt: now })
  await setDesignStatus(trx, { id: design.id, status: design.status, updatedAt: now })
  return (await findDesign(trx, design)) ?? design
}

function productUnavailable() {
  const detail = 'The product or this variant of it is currently not available.'
  return designProblems.preflight_failed({
    errors: [{ code: 'product_unavailable', severity: 'error', pointer: '', detail, message: detail }],
  })
}
