import { type ChangeType, type Editor, type RecordedMembers, recordChange } from '../change-records/index.ts'
import type { Trx } from '../platform/db/index.ts'
import type { TemplateSummary } from './store.ts'

/** The document of a template never changes. */
const MEMBERS: RecordedMembers<TemplateSummary> = { values: ['name', 'productId', 'status', 'categories'] }

interface TemplateChange {
  before: TemplateSummary | undefined
  after: TemplateSummary
  type: ChangeType
  editor: Editor
}

/** Records who changed which members of a template, in the transaction of the change. */
export function recordTemplate(trx: Trx, { before, after, type, editor }: TemplateChange): Promise<void> {
  const { id, name, updatedAt } = after
  const subject = { kind: 'template', id, name } as const
  return recordChange(trx, { subject, members: MEMBERS, before, after, type, editor, now: updatedAt })
}
