import type { OrderableDesign } from '../../designs/index.ts'
import type { ItemSnapshot } from '../order/store.ts'

/** Records the names of what is ordered, which its owner and the shop may change later. */
export function takeSnapshot({ productId, label, name: designName, files }: OrderableDesign): ItemSnapshot {
  const previewFileId = files.find(({ kind }) => kind === 'preview')?.id ?? null
  return { productId, ...label, designName, previewFileId }
}
