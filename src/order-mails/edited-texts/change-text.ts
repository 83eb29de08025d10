import type { Editor } from '../../change-records/index.ts'
import type { Trx } from '../../platform/db/index.ts'
import type { OrderMailKind } from '../kinds.ts'
import { orderMailProblems } from '../problems.ts'
import type { EditedText } from './edited-text.ts'
import { findFaults, placeholdersOf } from './placeholders.ts'
import { recordText } from './record-text.ts'
import { lockText, type StoredText, saveText, type TextKey } from './store.ts'

interface Change {
  /** Undefined: the text of the service applies again. */
  text: EditedText | undefined
  editor: Editor
  now: Date
  /** Throws if the locked text is not the version that the administrator has seen. */
  requireVersion(text: StoredText): void
}

/**
 * Replaces the text of a mail in one language, and records who did.
 *
 * @throws `mail_text_invalid`, and what `requireVersion` throws
 */
export async function changeText(
  trx: Trx,
  key: TextKey,
  { text, editor, now, requireVersion }: Change,
): Promise<StoredText> {
  const before = await lockText(trx, key, now)
  requireVersion(before)
  if (text !== undefined) requireFillable(key.kind, text)
  const after = { revision: before.revision + 1, text, updatedAt: now }
  await saveText(trx, key, after)
  await recordText(trx, key, { before, after, editor })
  return after
}

/** @throws `mail_text_invalid` if a text has placeholders that the mail does not */
export function requireFillable(kind: OrderMailKind, text: EditedText): void {
  const known = placeholdersOf(kind)
    .map((one) => `{{${one}}}`)
    .join(', ')
  const errors = (['subject', 'body'] as const).flatMap((field) =>
    findFaults(kind, text[field]).map(({ code, placeholder }) => ({
      code,
      pointer: `/${field}`,
      placeholder,
      detail:
        code === 'placeholder_unknown'
          ? `{{${placeholder}}} is no placeholder of this mail. It has ${known}.`
          : `${placeholder} belongs to no placeholder. Write a placeholder as {{number}}.`,
    })),
  )
  if (errors.length > 0) throw orderMailProblems.mail_text_invalid({ errors })
}
