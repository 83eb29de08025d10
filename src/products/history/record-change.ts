import type { Trx } from '../../platform/db/index.ts'
import type { Product } from '../schemas.ts'
import { changedFields } from './changed-fields.ts'
import { type ChangeType, insertChange } from './store.ts'

interface Change {
  before: Product | undefined
  after: Product
  type: ChangeType
  /** Undefined for the service itself. */
  editor: { userId: string; keyId: string | null } | undefined
}

/** Records who changed which fields of a product, in the transaction of the change. A change of nothing is left out. */
export async function recordChange(trx: Trx, { before, after, type, editor }: Change): Promise<void> {
  if (editor === undefined) return
  const fields = changedFields(before, after)
  if (fields.length === 0) return
  await insertChange(trx, after.id, {
    revision: after.revision,
    type,
    actorId: editor.userId,
    actorKeyId: editor.keyId,
    fields,
    createdAt: after.updatedAt,
  })
}
