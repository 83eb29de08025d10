import type { Trx } from '../../platform/db/index.ts'
import type { ActionContext } from '../order/change/action-context.ts'
import { actionRefused, requireLockedOrder, requireOrder } from '../order/change/change-order.ts'
import { hasEnded, lacksItemFiles, nextItemFilesStatus } from '../order/state.ts'
import { type Order, type OrderKey, touchOrder } from '../order/store.ts'
import { orderProblems } from '../problems.ts'
import { addMissingItemFiles, enqueueDrawing, type PreparingContext } from './prepare-item-files.ts'
import { retryFailedItemFiles } from './store.ts'

/**
 * Renders the failed files of an item again. Has no effect if the files are pending already.
 *
 * @throws `order_not_found`, `order_item_not_found`, `item_files_not_failed`, `order_action_refused`,
 *   `storage_unavailable`
 */
export async function retryItemFiles(
  trx: Trx,
  context: ActionContext & PreparingContext,
  { itemId, ...key }: OrderKey & { itemId: string },
): Promise<Order> {
  const order = await requireLockedOrder(trx, key)
  const { now } = context
  const item = order.items.find(({ id }) => id === itemId)
  if (item === undefined) throw orderProblems.order_item_not_found()
  const isMissing = lacksItemFiles(item)
  if (!isMissing && nextItemFilesStatus(item, 'retry') === undefined) throw orderProblems.item_files_not_failed()
  if (hasEnded(order.status)) throw actionRefused(order, `The order is ${order.status}.`)
  if (isMissing) await addMissingItemFiles(trx, context, { ...order, items: [item] })
  else await retryFailedItemFiles(trx, itemId, now)
  await touchOrder(trx, order.id, now)
  await enqueueDrawing(trx)
  return requireOrder(trx, key)
}
