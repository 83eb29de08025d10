import type { Db, Trx } from '../../platform/db/index.ts'
import type { ProblemDetail } from '../../platform/problem.ts'
import { newId } from '../ids.ts'
import type { OrderStatus } from '../order/state.ts'
import { batchProblems, type Refusal, refusalText } from './problems.ts'
import {
  type Batch,
  type Candidate,
  deleteMember,
  findBatch,
  findCandidates,
  insertBatch,
  insertMembers,
  listMembers,
  lockBatch,
  markClosed,
} from './store.ts'

/** As many as one request can change, or download. */
export const MAX_BATCH_ORDERS = 200

/** Statuses in which an order can be added: it is paid, and something is left to do. */
const PRODUCIBLE: readonly OrderStatus[] = ['confirmed', 'in_production', 'partially_shipped', 'on_hold']

/** @throws `batch_not_found` */
export async function requireBatch(db: Db | Trx, id: string): Promise<Batch> {
  const batch = await findBatch(db, id)
  if (batch === undefined) throw batchProblems.batch_not_found()
  return batch
}

/** @throws `batch_orders_refused` */
export async function createBatch(
  trx: Trx,
  { name, orderIds, now }: { name: string | null; orderIds: readonly string[]; now: Date },
): Promise<Batch> {
  const id = newId('batch')
  await insertBatch(trx, { id, name, createdAt: now })
  await addMembers(trx, id, { orderIds, now })
  return requireBatch(trx, id)
}

/**
 * Adds orders to an open batch. Orders that it has stay where they are, so that a request can be repeated.
 *
 * @throws `batch_not_found`, `batch_closed`, `batch_full`, `batch_orders_refused`
 */
export async function addToBatch(
  trx: Trx,
  id: string,
  { orderIds, now }: { orderIds: readonly string[]; now: Date },
): Promise<Batch> {
  await requireOpenBatch(trx, id)
  await addMembers(trx, id, { orderIds, now })
  return requireBatch(trx, id)
}

/**
 * Removes an order from an open batch. Has no effect if the batch does not have it.
 *
 * @throws `batch_not_found`, `batch_closed`
 */
export async function removeFromBatch(trx: Trx, id: string, orderId: string): Promise<void> {
  await requireOpenBatch(trx, id)
  await deleteMember(trx, id, orderId)
}

/**
 * Closes a batch. Has no effect if it is closed.
 *
 * @throws `batch_not_found`
 */
export async function closeBatch(trx: Trx, id: string, now: Date): Promise<Batch> {
  const batch = await lockBatch(trx, id)
  if (batch === undefined) throw batchProblems.batch_not_found()
  if (batch.closedAt === null) await markClosed(trx, id, now)
  return requireBatch(trx, id)
}

async function requireOpenBatch(trx: Trx, id: string): Promise<void> {
  const batch = await lockBatch(trx, id)
  if (batch === undefined) throw batchProblems.batch_not_found()
  if (batch.closedAt !== null) throw batchProblems.batch_closed()
}

async function addMembers(
  trx: Trx,
  batchId: string,
  { orderIds, now: at }: { orderIds: readonly string[]; now: Date },
): Promise<void> {
  const present = await listMembers(trx, batchId)
  const ids = orderIds.filter((id) => !present.has(id))
  if (present.size + ids.length > MAX_BATCH_ORDERS) throw batchProblems.batch_full()
  const found = await findCandidates(trx, ids)
  refuse(orderIds, found, (id) => {
    const order = found.get(id)
    if (order === undefined) return present.has(id) ? undefined : { code: 'order_not_found' }
    return PRODUCIBLE.includes(order.status)
      ? undefined
      : { code: 'order_not_producible', members: { orderStatus: order.status } }
  })
  const elsewhere = new Map((await insertMembers(trx, batchId, { ids, at })).map((one) => [one.orderId, one]))
  refuse(orderIds, found, (id) => {
    const other = elsewhere.get(id)
    if (other === undefined) return undefined
    return { code: 'order_in_other_batch', members: { batchId: other.batchId, batchName: other.batchName } }
  })
}

/** @throws `batch_orders_refused` with each order that has a fault */
function refuse(
  orderIds: readonly string[],
  found: ReadonlyMap<string, Candidate>,
  faultOf: (id: string) => { code: Refusal; members?: object } | undefined,
): void {
  const errors = orderIds.flatMap((orderId, index): ProblemDetail[] => {
    const fault = faultOf(orderId)
    if (fault === undefined) return []
    const { code, members } = fault
    const place = { code, pointer: `/orderIds/${index}`, detail: refusalText(code) }
    return [{ ...place, orderId, orderNumber: found.get(orderId)?.number ?? null, ...members }]
  })
  if (errors.length > 0) throw batchProblems.batch_orders_refused({ errors })
}
