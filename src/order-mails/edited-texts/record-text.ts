import { type Editor, type RecordedMembers, recordChange } from '../../change-records/index.ts'
import type { Trx } from '../../platform/db/index.ts'
import type { EditedText } from './edited-text.ts'
import type { StoredText, TextKey } from './store.ts'

const MEMBERS: RecordedMembers<EditedText> = { values: ['subject', 'body'] }

interface TextChange {
  before: StoredText
  after: StoredText & { updatedAt: Date }
  editor: Editor
}

/** Records who changed the text of a mail, in the transaction of the change. */
export function recordText(
  trx: Trx,
  { kind, language }: TextKey,
  { before, after, editor }: TextChange,
): Promise<void> {
  const subject = { kind: 'mail_text', id: `${kind}/${language}`, revision: after.revision } as const
  const versions = { before: before.text, after: after.text }
  return recordChange(trx, { subject, members: MEMBERS, ...versions, type: 'changed', editor, now: after.updatedAt })
}
