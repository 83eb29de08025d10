import type { Db, Trx } from '../../platform/db/index.ts'
import type { Language } from '../../platform/languages.ts'
import type { OrderMailKind } from '../kinds.ts'
import type { EditedText } from './edited-text.ts'

export interface TextKey {
  kind: OrderMailKind
  language: Language
}

export interface StoredText {
  /** Counts the changes; 0 before the first one. */
  revision: number
  /** Undefined: that of the service applies. */
  text: EditedText | undefined
  updatedAt: Date | null
}

const COLUMNS = ['revision', 'subject', 'body', 'updated_at as updatedAt'] as const

interface Row {
  revision: number
  subject: string | null
  body: string | null
  updatedAt: Date
}

const textOf = ({ subject, body }: Pick<Row, 'subject' | 'body'>): EditedText | undefined =>
  subject === null || body === null ? undefined : { subject, body }

const storedOf = (row: Row | undefined): StoredText =>
  row === undefined
    ? { revision: 0, text: undefined, updatedAt: null }
    : { revision: row.revision, text: textOf(row), updatedAt: row.updatedAt }

export async function findText(db: Db | Trx, { kind, language }: TextKey): Promise<StoredText> {
  const row = await db
    .selectFrom('mail_texts')
    .select(COLUMNS)
    .where('kind', '=', kind)
    .where('language', '=', language)
    .executeTakeFirst()
  return storedOf(row)
}

/** Finds the edited texts of a mail, by language. */
export async function findEditedTexts(db: Db | Trx, kind: OrderMailKind): Promise<ReadonlyMap<string, EditedText>> {
  const rows = await db
    .selectFrom('mail_texts')
    .select(['language', 'subject', 'body'])
    .where('kind', '=', kind)
    .execute()
  return new Map(
    rows.flatMap((row) => {
      const text = textOf(row)
      return text === undefined ? [] : [[row.language, text] as const]
    }),
  )
}

/** Locks the text until the end of the transaction, also before it is edited for the first time. */
export async function lockText(trx: Trx, { kind, language }: TextKey, now: Date): Promise<StoredText> {
  await trx
    .insertInto('mail_texts')
    .values({ kind, language, revision: 0, updated_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const row = await trx
    .selectFrom('mail_texts')
    .select(COLUMNS)
    .where('kind', '=', kind)
    .where('language', '=', language)
    .forUpdate()
    .executeTakeFirstOrThrow()
  return storedOf(row)
}

/** Saves a locked text. */
export async function saveText(
  trx: Trx,
  { kind, language }: TextKey,
  { revision, text, updatedAt }: StoredText & { updatedAt: Date },
): Promise<void> {
  await trx
    .updateTable('mail_texts')
    .set({ revision, subject: text?.subject ?? null, body: text?.body ?? null, updated_at: updatedAt })
    .where('kind', '=', kind)
    .where('language', '=', language)
    .execute()
}
