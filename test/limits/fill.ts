import { sql } from 'kysely'
import type { Db } from '../../src/platform/db/index.ts'
import { newId } from '../ids.ts'

interface FilledDesigns {
  ownerId: string
  count: number
  documentJson: string
  productId?: string
  variantId?: string
}

/**
 * Inserts drafts with the same document. Creating them through the API would take minutes. Returns the ids of the
 * drafts.
 */
export async function fillDesigns(
  db: Db,
  { ownerId, count, documentJson, productId = newId('product'), variantId = newId('variant') }: FilledDesigns,
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId('design'))
  await sql`
    insert into designs (
      id, owner_id, status, revision, name, product_id, variant_id, document, preflight, metadata, created_at, updated_at
    )
    select id, ${ownerId}, 'draft', 1, 'Large', ${productId}, ${variantId}, ${documentJson}::json,
      '{"ok":true,"issues":[]}', '{}', now(), now()
    from unnest(${ids}::text[]) as made (id)`.execute(db)
  return ids
}

/** Inserts events with the same data. Each event has its own subject. */
export async function fillEvents(
  db: Db,
  { ownerId, count, dataJson }: { ownerId: string; count: number; dataJson: string },
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId('event'))
  const subjects = ids.map(() => newId('order'))
  await sql`
    insert into events (id, type, subject, owner_id, sequence, data, created_at)
    select id, 'order.created', subject, ${ownerId}, 1, ${dataJson}::json, now()
    from unnest(${ids}::text[], ${subjects}::text[]) as made (id, subject)`.execute(db)
  return ids
}
