import { type FinalizationFile, findFinalizations } from '../../designs/index.ts'
import type { Db } from '../../platform/db/index.ts'
import type { Order, OrderItem } from '../order/store.ts'
import { orderProblems } from '../problems.ts'

/**
 * Finds a file of an order item, in the design or among the item's own, and the first part of its name for downloads.
 *
 * @throws `file_not_found`, `item_files_not_ready`
 */
export async function findItemFile(
  db: Db,
  order: Order,
  { itemId, fileId }: { itemId: string; fileId: string },
): Promise<{ file: FinalizationFile; baseName: string }> {
  const position = order.items.findIndex((one) => one.id === itemId)
  const item = order.items[position]
  const file = (await filesOf(db, item)).find((one) => one.id === fileId)
  if (file === undefined) throw orderProblems.file_not_found()
  return { file, baseName: `${order.number}-${position + 1}` }
}

async function filesOf(db: Db, item: OrderItem | undefined): Promise<readonly FinalizationFile[]> {
  if (item === undefined) return []
  if (item.personalization !== null) {
    if (item.personalization.files !== null) return item.personalization.files
    throw orderProblems.item_files_not_ready({ members: { personalizationStatus: item.personalization.status } })
  }
  const [finalization] = await findFinalizations(db, [item])
  return finalization?.files ?? []
}
