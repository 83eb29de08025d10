import { collectSources, sourceHashes } from '../../designs/index.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import { enqueue } from '../../platform/jobs.ts'
import type { ActionContext, OrderDeps } from '../context.ts'
import type { Order } from '../order/store.ts'
import { countUnpaid, insertItemFiles, type NewItemFiles, scheduleItemFiles } from './store.ts'

export const DRAW_JOB = 'orders.draw-item-files'

/**
 * Files of so many items are drawn for a person before they pay. Those of further orders are drawn when they are paid
 * for: files that nobody may ever pay for must not fill the storage.
 */
const UNPAID_ITEMS = 200

export type PreparingContext = Pick<ActionContext, 'now'> & Pick<OrderDeps, 'storage'>
type PreparedOrder = Pick<Order, 'id' | 'ownerId'> & { items: readonly { id: string; finalizationId: string }[] }

/**
 * Has the print files drawn of those items of a new order that fill placeholders. What they are made from is kept with
 * the order: whatever happens to the design and its images, the order can be made.
 *
 * @throws `storage_unavailable`
 */
export async function prepareItemFiles(trx: Trx, context: PreparingContext, order: PreparedOrder): Promise<void> {
  const files = await planItemFiles(trx, context, order)
  if (files.length === 0) return
  const isDue = (await countUnpaid(trx, order.ownerId)) + files.length <= UNPAID_ITEMS
  await insertItemFiles(trx, order.id, files, isDue ? context.now : undefined)
  if (isDue) await wakeDrawer(trx)
}

/** Makes the print files due of items of a locked order that an older version of the service took without. */
export async function catchUpItemFiles(trx: Trx, context: PreparingContext, order: PreparedOrder): Promise<void> {
  const files = await planItemFiles(trx, context, order)
  if (files.length > 0) await insertItemFiles(trx, order.id, files, context.now)
}

async function planItemFiles(
  trx: Trx,
  { storage }: PreparingContext,
  { items }: PreparedOrder,
): Promise<NewItemFiles[]> {
  const sources = await collectSources(
    trx,
    items.map(({ finalizationId }) => finalizationId),
  )
  if (sources.size === 0) return []
  await storage.hold(trx, [...new Set([...sources.values()].flatMap(sourceHashes))])
  return items.flatMap(({ id: itemId, finalizationId }): NewItemFiles[] => {
    const found = sources.get(finalizationId)
    return found === undefined ? [] : [{ itemId, sources: found, sha256s: sourceHashes(found) }]
  })
}

/** Has those files of an order drawn that were left until it is paid for. */
export async function drawWhenPaid(trx: Trx, orderId: string, now: Date): Promise<void> {
  if ((await scheduleItemFiles(trx, orderId, now)) > 0) await wakeDrawer(trx)
}

/** The job takes whatever is due, so that it needs no more than to be told that something is. */
export async function wakeDrawer(db: Db | Trx): Promise<void> {
  await enqueue(db, DRAW_JOB, {}, { maxAttempts: 3 })
}
