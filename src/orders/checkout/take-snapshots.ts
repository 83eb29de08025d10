import type { OrderableDesign } from '../../designs/index.ts'
import type { Trx } from '../../platform/db/index.ts'
import { findVariantLabels } from '../../products/index.ts'
import type { ItemSnapshot } from '../order/store.ts'

/** Records the names of what is ordered, which its owner and the shop may change later. */
export async function takeSnapshots(
  trx: Trx,
  designs: ReadonlyMap<string, OrderableDesign>,
): Promise<Map<string, ItemSnapshot>> {
  const labels = await findVariantLabels(trx, [...designs.values()])
  const byVariant = new Map(labels.map((label) => [label.variantId, label]))
  return new Map(
    Array.from(designs, ([designId, { productId, variantId, name, files }]) => {
      const { productName = null, sku = null, options = null } = byVariant.get(variantId) ?? {}
      const previewFileId = files.find(({ kind }) => kind === 'preview')?.id ?? null
      return [designId, { productId, productName, sku, options, designName: name, previewFileId }]
    }),
  )
}
