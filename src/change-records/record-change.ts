import type { Trx } from '../platform/db/index.ts'
import { changedFields, type RecordedMembers } from './changed-fields.ts'
import type { Editor } from './editor.ts'
import { type ChangeType, insertChange, type Subject } from './store.ts'

interface Change<Version> {
  subject: { kind: Subject; id: string; name?: string | null; revision?: number }
  members: RecordedMembers<Version>
  /** Undefined for a new record. */
  before: Version | undefined
  /** Undefined for a deleted record. */
  after: Version | undefined
  type: ChangeType
  /** Undefined for the service itself. */
  editor: Editor | undefined
  now: Date
}

/**
 * Records who changed which fields, in the transaction of the change, which holds the lock of what it changes. A change
 * of nothing is left out.
 */
export async function recordChange<Version extends object>(
  trx: Trx,
  { subject, members, before, after, type, editor, now }: Change<Version>,
): Promise<void> {
  if (editor === undefined) return
  const fields = changedFields(members, before, after)
  if (fields.length === 0) return
  await insertChange(trx, {
    subject: subject.kind,
    subjectId: subject.id,
    subjectName: subject.name ?? null,
    revision: subject.revision ?? null,
    type,
    actorId: editor.userId,
    actorKeyId: editor.keyId,
    fields,
    createdAt: now,
  })
}
