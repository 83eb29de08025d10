import { type ChangeType, type Editor, type RecordedMembers, recordChange } from '../../change-records/index.ts'
import type { Trx } from '../../platform/db/index.ts'
import type { StoredShippingMethod } from './store.ts'

/** Zones have no ids, so their position names them. */
const MEMBERS: RecordedMembers<StoredShippingMethod> = {
  values: ['name', 'estimatedDays', 'active', 'position'],
  lists: { zones: (_zone, index) => String(index) },
}

interface MethodChange {
  before: StoredShippingMethod | undefined
  after: StoredShippingMethod | undefined
  type: ChangeType
  editor: Editor
  now: Date
}

/** Records who changed which members of a shipping method, in the transaction of the change. */
export async function recordMethod(trx: Trx, { before, after, type, editor, now }: MethodChange): Promise<void> {
  const method = after ?? before
  if (method === undefined) return
  const subject = { kind: 'shipping_method', id: method.id, name: method.name } as const
  await recordChange(trx, { subject, members: MEMBERS, before, after, type, editor, now })
}
