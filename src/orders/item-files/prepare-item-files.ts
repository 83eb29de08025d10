import { collectSources, fileBytesOf, sourceHashes } from '../../designs/index.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import { defineJob } from '../../platform/jobs/jobs.ts'
import type { Storage, UnpaidBound } from '../../platform/storage/index.ts'
import type { ActionContext } from '../order/change/action-context.ts'
import type { Order } from '../order/store.ts'
import { countUnpaid, insertItemFiles, type NewItemFiles, scheduleItemFiles } from './store.ts'

/**
 * A negative priority lets this job run before the jobs of finalizations, because missing print files of paid orders
 * delay production. `DRAWING_RUNS` bounds how many of them run at once.
 */
export const DRAW_JOB = { maxAttempts: 3, priority: -1 }

export const drawJob = defineJob('orders.draw_item_files', ['orders.draw-item-files'])

/**
 * Before payment, the service renders print files for at most this number of items per customer, and only while their
 * bytes fit into the limit on what an account stores without paying (`UnpaidBound`). Guests of one network have this
 * number together. The service renders the others after payment, so that unpaid orders cannot fill the storage.
 */
const UNPAID_ITEMS = 200

export type PreparingContext = Pick<ActionContext, 'now'> & { storage: Storage }
type PreparedOrder = Pick<Order, 'id' | 'ownerId'> & { items: readonly { id: string; finalizationId: string }[] }

/**
 * Plans the print files of items with texts of their own, and counts the bytes of the order towards the limit on what
 * its owner stores without paying. The order retains the document, images and fonts from which the files are rendered,
 * so that later changes of the design do not matter.
 *
 * @param order the order; `bytes` is its size without print files
 * @throws `storage_unavailable`, `storage_quota_exceeded`
 */
export async function prepareItemFiles(
  trx: Trx,
  context: PreparingContext & { unpaid: UnpaidBound },
  order: PreparedOrder & { bytes: number },
): Promise<void> {
  const files = await planItemFiles(trx, context, order)
  const isDue = await chargeOrder(trx, context, order, files)
  if (files.length === 0) return
  await insertItemFiles(trx, order.id, files, isDue ? context.now : undefined)
  if (isDue) await enqueueDrawing(trx)
}

/**
 * Counts an order towards the limit on what its owner stores without paying. The bytes of its print files are included
 * if the service may render them before payment.
 *
 * @returns whether the files are rendered before payment
 */
async function chargeOrder(
  trx: Trx,
  { unpaid, now }: Pick<ActionContext, 'now'> & { unpaid: UnpaidBound },
  { id: subject, ownerId, bytes, items }: PreparedOrder & { bytes: number },
  files: readonly NewItemFiles[],
): Promise<boolean> {
  const rows = { ownerId, subject, now, bytes: files.reduce((total, file) => total + rowBytes(file), bytes) }
  const mayDraw = files.length > 0 && (await countUnpaid(trx, ownerId)) + files.length <= UNPAID_ITEMS
  if (mayDraw) {
    const drawn = new Set(files.map(({ itemId }) => itemId))
    const ids = items.flatMap((item) => (drawn.has(item.id) ? [item.finalizationId] : []))
    const bytesOf = await fileBytesOf(trx, ids)
    const fileBytes = ids.reduce((total, id) => total + (bytesOf.get(id) ?? 0), 0)
    if (await unpaid.tryCharge(trx, { ...rows, bytes: rows.bytes + fileBytes })) return true
  }
  await unpaid.charge(trx, rows)
  return false
}

function rowBytes({ sources, sha256s }: NewItemFiles): number {
  return 1024 + 100 * sha256s.length + JSON.stringify(sources).length
}

/** Plans the files of items that an older version of the service created without print files. */
export async function addMissingItemFiles(trx: Trx, context: PreparingContext, order: PreparedOrder): Promise<void> {
  const files = await planItemFiles(trx, context, order)
  if (files.length > 0) await insertItemFiles(trx, order.id, files, context.now)
}

async function planItemFiles(
  trx: Trx,
  { storage }: PreparingContext,
  { items }: PreparedOrder,
): Promise<NewItemFiles[]> {
  if (items.length === 0) return []
  const sources = await collectSources(
    trx,
    items.map(({ finalizationId }) => finalizationId),
  )
  if (sources.size === 0) return []
  await storage.retain(trx, [...new Set([...sources.values()].flatMap(sourceHashes))])
  return items.flatMap(({ id: itemId, finalizationId }): NewItemFiles[] => {
    const found = sources.get(finalizationId)
    return found === undefined ? [] : [{ itemId, sources: found, sha256s: sourceHashes(found) }]
  })
}

/** Makes those files of an order due that were waiting for its payment. */
export async function drawWhenPaid(trx: Trx, orderId: string, now: Date): Promise<void> {
  if ((await scheduleItemFiles(trx, orderId, now)) > 0) await enqueueDrawing(trx)
}

/** Enqueues the rendering job. The job has no payload, because it renders all files that are due. */
export async function enqueueDrawing(db: Db | Trx): Promise<void> {
  await drawJob.enqueue(db, {}, DRAW_JOB)
}
