import { type RawBuilder, sql } from 'kysely'
import type { Db, Trx } from '../platform/db/index.ts'
import { type CutRows, readCutRows } from '../platform/db/reading/size-cut.ts'
import type { ChangedField } from './changed-fields.ts'
import { newId } from './ids.ts'

export const CHANGE_TYPES = ['created', 'changed', 'archived', 'restored', 'imported', 'deleted'] as const
export type ChangeType = (typeof CHANGE_TYPES)[number]

export const SUBJECTS = [
  ...(['product', 'template', 'color_profile', 'shipping_method'] as const),
  ...(['tax_settings', 'shop', 'mail_text'] as const),
] as const
export type Subject = (typeof SUBJECTS)[number]

export interface ChangeRecord {
  id: string
  subject: Subject
  subjectId: string
  /** The name after the change, or before the deletion. */
  subjectName: string | null
  /** The version that the change made. Null if the subject counts no versions. */
  revision: number | null
  type: ChangeType
  actorId: string
  actorKeyId: string | null
  fields: ChangedField[]
  createdAt: Date
}

export async function insertChange(trx: Trx, change: Omit<ChangeRecord, 'id'>): Promise<void> {
  await trx
    .insertInto('change_records')
    .values({
      id: newId('changeRecord'),
      subject: change.subject,
      subject_id: change.subjectId,
      subject_name: change.subjectName,
      revision: change.revision,
      type: change.type,
      actor_id: change.actorId,
      actor_key_id: change.actorKeyId,
      fields: JSON.stringify(change.fields),
      created_at: change.createdAt,
    })
    .execute()
}

export interface ChangeFilter {
  subject: Subject
  subjectId: string | undefined
  /** The last record of the previous page. */
  after: string | undefined
  limit: number
}

/** Lists recorded changes, newest first, up to a limit of number and size. */
export function listChanges(db: Db, filter: ChangeFilter): Promise<CutRows<ChangeRecord>> {
  const { subject, subjectId, after, limit } = filter
  const ids = sql`
    select id from change_records
    where subject = ${subject} ${subjectId === undefined ? sql`` : sql`and subject_id = ${subjectId}`}
      ${after === undefined ? sql`` : sql`and number < (select number from change_records where id = ${after})`}
    order by number desc limit ${limit + 1}::int`
  const bytesOf = (id: RawBuilder<string>) => sql`
    select 500 + octet_length(fields::text) from change_records where id = ${id}`
  return readCutRows(db, { ids, bytesOf, limit }, async (page) => {
    const rows = await db
      .selectFrom('change_records')
      .select([
        ...(['id', 'subject', 'subject_id as subjectId', 'subject_name as subjectName', 'revision'] as const),
        ...(['type', 'actor_id as actorId', 'actor_key_id as actorKeyId', 'fields'] as const),
        'created_at as createdAt',
      ])
      .where('id', '=', sql<string>`any(${page}::text[])`)
      .orderBy('number', 'desc')
      .execute()
    return rows as unknown as ChangeRecord[]
  })
}
