import { type RawBuilder, sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/index.ts'
import { type CutRows, readCutRows } from '../../platform/db/size-cut.ts'
import { newId } from '../ids.ts'
import type { ChangedField } from './changed-fields.ts'

export const CHANGE_TYPES = ['created', 'changed', 'archived', 'restored', 'imported'] as const
export type ChangeType = (typeof CHANGE_TYPES)[number]

export interface ProductChange {
  id: string
  /** The revision of the product that the change made. */
  revision: number
  type: ChangeType
  actorId: string
  actorKeyId: string | null
  fields: ChangedField[]
  createdAt: Date
}

export async function insertChange(
  trx: Trx,
  productId: string,
  { revision, type, actorId, actorKeyId, fields, createdAt }: Omit<ProductChange, 'id'>,
): Promise<void> {
  await trx
    .insertInto('product_changes')
    .values({
      id: newId('productChange'),
      product_id: productId,
      revision,
      type,
      actor_id: actorId,
      actor_key_id: actorKeyId,
      fields: JSON.stringify(fields),
      created_at: createdAt,
    })
    .execute()
}

/** Lists the recorded changes of a product, newest first, up to a limit of number and size. */
export function listChanges(
  db: Db,
  { productId, after, limit }: { productId: string; after: string | undefined; limit: number },
): Promise<CutRows<ProductChange>> {
  const ids = sql`
    select id from product_changes
    where product_id = ${productId}
      ${after === undefined ? sql`` : sql`and revision < (select revision from product_changes where id = ${after})`}
    order by revision desc limit ${limit + 1}::int`
  const bytesOf = (id: RawBuilder<string>) => sql`
    select 500 + octet_length(fields::text) from product_changes where id = ${id}`
  return readCutRows(db, { ids, bytesOf, limit }, async (page) => {
    const rows = await db
      .selectFrom('product_changes')
      .select(['id', 'revision', 'type', 'actor_id', 'actor_key_id', 'fields', 'created_at'])
      .where('id', '=', sql<string>`any(${page}::text[])`)
      .orderBy('revision', 'desc')
      .execute()
    return rows.map((row) => ({
      id: row.id,
      revision: row.revision,
      type: row.type as ChangeType,
      actorId: row.actor_id,
      actorKeyId: row.actor_key_id,
      fields: row.fields as unknown as ChangedField[],
      createdAt: row.created_at,
    }))
  })
}
