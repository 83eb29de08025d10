import type { Trx } from '../../platform/db/index.ts'
import type { PriceTiers } from '../../products/index.ts'
import type { FinalizationFile } from '../files/stored-file.ts'
import { lockForOrder, type OrderableRow } from './store.ts'

/** All that an order takes from a finalized design. Only the label changes when the product changes. */
export interface OrderableDesign {
  designId: string
  /** Name of the design. */
  name: string
  finalizationId: string
  productId: string
  variantId: string
  /** The present names of the variant and its product. Null if they no longer exist. */
  label: { productName: string | null; sku: string | null; options: Record<string, string> | null }
  /** Number of the valid price lock. An order refers to it together with `finalizationId`. */
  priceLock: number
  /** Locked together with the files. Amounts are in minor units of `currency`. */
  priceTiers: PriceTiers
  currency: string
  validUntil: Date
  /** Names of the placeholders. An order item has a text for each. */
  placeholders: string[]
  /** Weight of one piece. */
  weightGrams: number
  files: FinalizationFile[]
}

/** Reasons why a design cannot be ordered. The values are wire codes. */
export type OrderRefusal = 'design_not_found' | 'design_not_finalized' | 'design_archived' | 'price_expired'

export type Orderability = { ok: true; design: OrderableDesign } | { ok: false; reason: OrderRefusal }

/**
 * Checks whether a customer can order these designs now, and at which prices. Until the transaction ends, the designs
 * can neither be archived nor have their prices renewed, so the result is valid for an order in the same transaction.
 *
 * @returns the result for each design by its id
 */
export async function requireOrderables(
  trx: Trx,
  { designIds, ownerId, now }: { designIds: readonly string[]; ownerId: string; now: Date },
): Promise<Map<string, Orderability>> {
  const read = async () => new Map((await lockForOrder(trx, designIds, ownerId)).map((row) => [row.design_id, row]))
  const judgeAll = (rows: Map<string, OrderableRow>) => designIds.map((id) => [id, judge(rows.get(id), now)] as const)
  const results = judgeAll(await read())
  if (results.every(([, { ok }]) => ok)) return new Map(results)
  // A design that could not be ordered may have changed while this transaction waited for its lock. It is locked now,
  // so a second read is final.
  return new Map(judgeAll(await read()))
}

function judge(row: OrderableRow | undefined, now: Date): Orderability {
  const reason = refusalOf(row, now)
  if (reason !== undefined) return { ok: false, reason }
  // The row shows the state before the wait for the lock, in which the design was not finalized yet.
  if (row?.finalization_id == null || row.valid_until === null) return { ok: false, reason: 'design_not_finalized' }
  return {
    ok: true,
    design: {
      designId: row.design_id,
      name: row.name,
      finalizationId: row.finalization_id,
      productId: row.product_id,
      variantId: row.variant_id,
      label: { productName: row.product_name, sku: row.sku, options: row.options },
      priceLock: row.price_number,
      priceTiers: row.price_tiers,
      currency: row.currency,
      validUntil: row.valid_until,
      placeholders: row.placeholders,
      weightGrams: row.weight_grams,
      files: row.files,
    },
  }
}

function refusalOf(row: OrderableRow | undefined, now: Date): OrderRefusal | undefined {
  if (row === undefined) return 'design_not_found'
  if (row.status === 'archived') return 'design_archived'
  if (row.status !== 'finalized') return 'design_not_finalized'
  return row.valid_until !== null && row.valid_until <= now ? 'price_expired' : undefined
}
