import type { Trx } from '../../platform/db/index.ts'
import { newId } from '../ids.ts'
import type { ActionContext } from '../order/change/action-context.ts'
import { requireLockedOrder } from '../order/change/change-order.ts'
import type { OrderKey, OrderNote } from '../order/store.ts'
import { orderProblems } from '../problems.ts'
import { insertNote, reviseOrder } from './store.ts'

/** Limits the size of an order, because responses contain all of its notes. */
const MAX_NOTES = 100

/**
 * Adds a note to an order. No event announces it, because customers receive the events of their orders.
 *
 * @throws `order_not_found`, `too_many_order_notes`
 */
export async function addNote(trx: Trx, context: ActionContext, key: OrderKey, text: string): Promise<OrderNote> {
  const { id, notes } = await requireLockedOrder(trx, key)
  if (notes.length >= MAX_NOTES) throw orderProblems.too_many_order_notes()
  const { now, actor } = context
  const note = { id: newId('note'), text, actorId: actor.userId, actorKeyId: actor.keyId ?? null, createdAt: now }
  await insertNote(trx, id, note)
  await reviseOrder(trx, id)
  return note
}
