import type { Trx } from '../../platform/db/index.ts'
import type { ActionContext } from '../order/change/action-context.ts'
import { requireLockedOrder } from '../order/change/change-order.ts'
import type { OrderKey } from '../order/store.ts'
import { orderProblems } from '../problems.ts'
import { deleteNote, reviseOrder } from './store.ts'

/**
 * Deletes a note that the acting user has written.
 *
 * @throws `order_not_found`, `order_note_not_found`, `order_note_of_another_author`
 */
export async function deleteOwnNote(
  trx: Trx,
  { actor }: Pick<ActionContext, 'actor'>,
  { noteId, ...key }: OrderKey & { noteId: string },
): Promise<void> {
  const { id, notes } = await requireLockedOrder(trx, key)
  const note = notes.find((one) => one.id === noteId)
  if (note === undefined) throw orderProblems.order_note_not_found()
  if (note.actorId !== actor.userId) throw orderProblems.order_note_of_another_author()
  await deleteNote(trx, noteId)
  await reviseOrder(trx, id)
}
