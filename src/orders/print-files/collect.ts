import { type FinalizationFile, findPrintFiles } from '../../designs/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { isErased } from '../order/postal-address.ts'
import type { OrderStatus } from '../order/state.ts'
import { createFaults, type FaultCode } from './faults.ts'
import { printFileProblems } from './problems.ts'
import {
  findOrdersToPrint,
  type ItemToPrint,
  listItemsToPrint,
  measurePrintFiles,
  type OrderToPrint,
  type PrintFilesSize,
} from './store.ts'

export interface PrintFile {
  orderId: string
  orderNumber: string
  itemId: string
  /** Position of the item in the order, from 1. */
  position: number
  quantity: number
  sku: string | null
  file: FinalizationFile
}

/** Orders that are read at once, so that no query returns the items of all. */
const ORDERS_AT_ONCE = 20

/** Statuses of orders that are not produced. A page in a print run cannot say so, as a pick list does. */
const NOT_PRODUCED: readonly OrderStatus[] = ['awaiting_payment', 'on_hold', 'cancelled']

/**
 * Finds the print files of orders, in the order of the ids and of the items.
 *
 * @param requireSize refuses orders by the size of their print files, before any is read
 * @throws `print_files_unavailable` if one is missing, naming every order and item at fault
 */
export async function collectPrintFiles(
  db: Db,
  orderIds: readonly string[],
  requireSize?: (size: PrintFilesSize) => void,
): Promise<PrintFile[]> {
  const orders = await findOrdersToPrint(db, orderIds)
  const faults = createFaults(orderIds)
  const wanted = orderIds.flatMap((orderId) => {
    const order = orders.get(orderId)
    const code = faultOf(order)
    if (code !== undefined) faults.add({ code, orderId, orderNumber: order?.number })
    return order === undefined || code !== undefined ? [] : [order]
  })
  if (requireSize !== undefined) {
    const ids = wanted.map(({ id }) => id)
    requireSize(await measurePrintFiles(db, ids))
  }
  const files: PrintFile[] = []
  for (let from = 0; from < wanted.length; from += ORDERS_AT_ONCE) {
    const found = await filesOfOrders(db, wanted.slice(from, from + ORDERS_AT_ONCE))
    for (const { order, item, files: own } of found) {
      const { id: orderId, number: orderNumber } = order
      if (typeof own === 'string') faults.add({ code: own, orderId, orderNumber, itemId: item.id })
      else files.push(...own.map((file) => toPrintFile(order, item, file)))
    }
  }
  const errors = faults.toErrors()
  if (errors.length > 0) throw printFileProblems.print_files_unavailable({ errors })
  return files
}

function faultOf(order: OrderToPrint | undefined): FaultCode | undefined {
  if (order === undefined) return 'order_not_found'
  if (isErased(order.shippingAddress)) return 'order_erased'
  return NOT_PRODUCED.includes(order.status) ? 'order_not_produced' : undefined
}

interface FoundItem {
  order: OrderToPrint
  item: ItemToPrint
  files: FinalizationFile[] | FaultCode
}

async function filesOfOrders(db: Db, orders: readonly OrderToPrint[]): Promise<FoundItem[]> {
  const ids = orders.map(({ id }) => id)
  const items = await listItemsToPrint(db, ids)
  const ofDesigns = await findPrintFiles(
    db,
    items.map(({ finalizationId }) => finalizationId),
  )
  const itemsOf = Map.groupBy(items, ({ orderId }) => orderId)
  return orders.flatMap((order) =>
    (itemsOf.get(order.id) ?? []).map((item) => ({ order, item, files: filesOf(item, ofDesigns) })),
  )
}

function filesOf(
  item: ItemToPrint,
  ofDesigns: ReadonlyMap<string, FinalizationFile[]>,
): FinalizationFile[] | FaultCode {
  const { filesStatus, files, hasTexts, finalizationId } = item
  if (filesStatus === 'pending') return 'item_files_pending'
  if (filesStatus === 'failed') return 'item_files_failed'
  // An item with texts must not be printed without them, so the files of its design are no substitute.
  const found = filesStatus === 'ready' || hasTexts ? files : ofDesigns.get(finalizationId)
  return found == null || found.length === 0 ? 'item_files_missing' : found
}

function toPrintFile(order: OrderToPrint, item: ItemToPrint, file: FinalizationFile): PrintFile {
  const { id: itemId, position, quantity, sku } = item
  return { orderId: order.id, orderNumber: order.number, itemId, position: position + 1, quantity, sku, file }
}
