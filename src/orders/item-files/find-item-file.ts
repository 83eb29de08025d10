import { type FinalizationFile, findFinalizations, toStoredFile } from '../../designs/index.ts'
import type { Db } from '../../platform/db/index.ts'
import type { Order } from '../order/store.ts'
import { orderProblems } from '../problems.ts'
import { findItemOfOrder, type ItemOfOrder, type ItemOrderKey } from './store.ts'

export interface ItemFileKey {
  itemId: string
  fileId: string
}

/**
 * Finds a file of an order item, in its design or among its own files. Reads only this item: an order may have a hundred,
 * and pages show a picture of each.
 *
 * @throws `order_not_found`, `file_not_found`, `item_files_not_ready`
 */
export async function findItemFile(
  db: Db,
  order: ItemOrderKey,
  { itemId, fileId }: ItemFileKey,
): Promise<ReturnType<typeof toStoredFile>> {
  const found = await findItemOfOrder(db, order, itemId)
  if (found === undefined) throw orderProblems.order_not_found()
  const { number, item } = found
  if (item === undefined) throw orderProblems.file_not_found()
  const file = (await filesOf(db, item)).find(({ id }) => id === fileId)
  if (file === undefined) throw orderProblems.file_not_found()
  return toStoredFile(file, `${number}-${item.position + 1}`)
}

/**
 * Finds the pictures that show items of an order, by the ids of the items. An item with texts shows its own preview
 * once its files are ready, and until then that of its design.
 */
export async function findItemPreviews(
  db: Db,
  { items }: Pick<Order, 'items'>,
): Promise<Map<string, Pick<FinalizationFile, 'sha256'>>> {
  const finalizations = await findFinalizations(db, items)
  const filesById = new Map(finalizations.map(({ id, files }) => [id, files]))
  return new Map(
    items.flatMap(({ id, finalizationId, personalization }) => {
      const files = personalization?.files ?? filesById.get(finalizationId) ?? []
      const preview = files.find(({ kind }) => kind === 'preview')
      return preview === undefined ? [] : [[id, preview] as const]
    }),
  )
}

async function filesOf(db: Db, item: ItemOfOrder): Promise<readonly FinalizationFile[]> {
  if (item.filesStatus !== null) {
    if (item.files !== null) return item.files
    throw orderProblems.item_files_not_ready({ members: { personalizationStatus: item.filesStatus } })
  }
  const [finalization] = await findFinalizations(db, [item])
  return finalization?.files ?? []
}
