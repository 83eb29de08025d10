import { type FinalizationFile, findFinalizations } from '../../designs/index.ts'
import type { Db } from '../../platform/db/index.ts'
import type { Order } from '../order/store.ts'
import { orderProblems } from '../problems.ts'

/**
 * A file of an order item, whoever's design it is, and how its name in the printer's folder begins.
 *
 * @throws `file_not_found`
 */
export async function findItemFile(
  db: Db,
  order: Order,
  { itemId, fileId }: { itemId: string; fileId: string },
): Promise<{ file: FinalizationFile; baseName: string }> {
  const position = order.items.findIndex((one) => one.id === itemId)
  const item = order.items[position]
  const [finalization] = await findFinalizations(db, item === undefined ? [] : [item])
  const file = finalization?.files.find((one) => one.id === fileId)
  if (file === undefined) throw orderProblems.file_not_found()
  return { file, baseName: `${order.number}-${position + 1}` }
}
