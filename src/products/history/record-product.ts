import { type ChangeType, type Editor, type RecordedMembers, recordChange } from '../../change-records/index.ts'
import type { Trx } from '../../platform/db/index.ts'
import type { Product } from '../schemas.ts'

const MEMBERS: RecordedMembers<Product> = {
  values: [
    'name',
    'description',
    'status',
    'currency',
    'outputProfileId',
    'options',
    'categories',
    'descriptionMarkdown',
    'sort',
  ],
  lists: { printAreas: ({ id }) => id, variants: ({ id }) => id, images: ({ id }) => id },
}

interface ProductChange {
  before: Product | undefined
  after: Product
  type: ChangeType
  /** Undefined for the service itself. */
  editor: Editor | undefined
}

/** Records who changed which fields of a product, in the transaction of the change. */
export function recordProduct(trx: Trx, { before, after, type, editor }: ProductChange): Promise<void> {
  const { id, name, revision, updatedAt } = after
  const subject = { kind: 'product', id, name, revision } as const
  return recordChange(trx, { subject, members: MEMBERS, before, after, type, editor, now: updatedAt })
}
