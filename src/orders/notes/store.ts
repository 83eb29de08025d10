import type { Trx } from '../../platform/db/index.ts'
import type { OrderNote } from '../order/store.ts'

export async function insertNote(trx: Trx, orderId: string, note: OrderNote): Promise<void> {
  const { id, text, actorId, actorKeyId, createdAt } = note
  const row = { id, order_id: orderId, author_id: actorId, author_key_id: actorKeyId, text, created_at: createdAt }
  await trx.insertInto('order_notes').values(row).execute()
}

export async function deleteNote(trx: Trx, id: string): Promise<void> {
  await trx.deleteFrom('order_notes').where('id', '=', id).execute()
}

/**
 * Increases the revision of an order, so that operators who have not seen the change of its notes are told (`If-Match`). The time of
 * the last change stays, because customers see it.
 */
export async function reviseOrder(trx: Trx, orderId: string): Promise<void> {
  // The trigger of the table sets the new revision.
  await trx
    .updateTable('orders')
    .set(({ ref }) => ({ revision: ref('revision') }))
    .where('id', '=', orderId)
    .execute()
}

export async function deleteNotes(trx: Trx, orderId: string): Promise<void> {
  await trx.deleteFrom('order_notes').where('order_id', '=', orderId).execute()
}
