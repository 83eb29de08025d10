import { type FinalizationFile, findFinalizations, toStoredFile } from '../../designs/index.ts'
import type { Db } from '../../platform/db/index.ts'
import type { Order, OrderItem } from '../order/store.ts'
import { orderProblems } from '../problems.ts'

/**
 * Finds a file of an order item, in its design or among its own files.
 *
 * @throws `file_not_found`, `item_files_not_ready`
 */
export async function findItemFile(
  db: Db,
  order: Order,
  { itemId, fileId }: { itemId: string; fileId: string },
): Promise<ReturnType<typeof toStoredFile>> {
  const position = order.items.findIndex((one) => one.id === itemId)
  const file = (await filesOf(db, order.items[position])).find((one) => one.id === fileId)
  if (file === undefined) throw orderProblems.file_not_found()
  return toStoredFile(file, `${order.number}-${position + 1}`)
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

async function filesOf(db: Db, item: OrderItem | undefined): Promise<readonly FinalizationFile[]> {
  if (item === undefined) return []
  if (item.personalization !== null) {
    if (item.personalization.files !== null) return item.personalization.files
    throw orderProblems.item_files_not_ready({ members: { personalizationStatus: item.personalization.status } })
  }
  const [finalization] = await findFinalizations(db, [item])
  return finalization?.files ?? []
}
