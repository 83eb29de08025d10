import type { Trx } from '../../platform/db/index.ts'
import type { PriceTiers } from '../../products/index.ts'
import { type FinalizationFile, type OrderableRow, readForOrder } from './store.ts'

/** All that an order takes from a finalized design. None of it changes with the product. */
export interface OrderableDesign {
  designId: string
  finalizationId: string
  revision: number
  contentHash: string
  productId: string
  variantId: string
  /** Number of the price lock that holds: with `finalizationId`, what the order refers to. */
  priceLock: number
  /** Locked with the files; amounts in minor units of `currency`. */
  priceTiers: PriceTiers
  currency: string
  validUntil: Date
  /** Names; an order item gives each a value. */
  placeholders: string[]
  /** Of one piece. */
  weightGrams: number
  files: FinalizationFile[]
  receipt: string
}

/** Why a design cannot be ordered; the values are wire codes. */
export type OrderRefusal = 'design_not_found' | 'design_not_finalized' | 'design_archived' | 'price_expired'

export type Orderability = { ok: true; design: OrderableDesign } | { ok: false; reason: OrderRefusal }

/**
 * Whether a person can order one of their designs at this moment, and on what terms.
 * The design can be neither archived nor renewed by others until the transaction ends, so the answer holds for the order made in it.
 * A transaction that asks about several designs asks in ascending order of their ids.
 */
export async function requireOrderable(
  trx: Trx,
  { designId, ownerId, now }: { designId: string; ownerId: string; now: Date },
): Promise<Orderability> {
  const row = await readForOrder(trx, designId, ownerId)
  const reason = refusalOf(row, now)
  if (reason !== undefined) return { ok: false, reason }
  if (row?.finalization_id == null) throw new Error(`Design ${designId} is finalized without a finalization`)
  return {
    ok: true,
    design: {
      designId,
      finalizationId: row.finalization_id,
      revision: row.revision,
      contentHash: row.content_hash,
      productId: row.product_id,
      variantId: row.variant_id,
      priceLock: row.price_number,
      priceTiers: row.price_tiers,
      currency: row.currency,
      validUntil: row.valid_until,
      placeholders: row.placeholders,
      weightGrams: row.weight_grams,
      files: row.files,
      receipt: row.receipt,
    },
  }
}

function refusalOf(row: OrderableRow | undefined, now: Date): OrderRefusal | undefined {
  if (row === undefined) return 'design_not_found'
  if (row.status === 'archived') return 'design_archived'
  if (row.status !== 'finalized') return 'design_not_finalized'
  return row.valid_until <= now ? 'price_expired' : undefined
}
