import { type RawBuilder, sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/index.ts'
import { isId } from '../ids.ts'
import type { Design, DesignKey } from '../store.ts'

/** How many revisions a design has at most, with the present one. */
export const MAX_REVISIONS = 100

export interface RevisionSummary {
  revision: number
  name: string
  createdAt: Date
}

/** The content of a design at one revision. Members named `...Json` hold JSON text as it is stored and sent. */
export interface Revision extends RevisionSummary {
  variantId: string
  documentJson: string
  metadataJson: string
}

/** Bytes of a row without document and metadata. */
const ROW_BYTES = 512

/**
 * Keeps the present content of a design, which a change is about to replace, and deletes the revision that then exceeds
 * the limit. The content is copied within the database.
 *
 * @returns how many bytes the revisions of the design have grown by
 */
export async function keepRevision(trx: Trx, design: Design): Promise<number> {
  const bytes = ROW_BYTES + Buffer.byteLength(design.documentJson) + Buffer.byteLength(design.metadataJson)
  const { rows } = await sql<{ bytes: number }>`
    with kept as (
      insert into design_revisions (design_id, revision, name, variant_id, document, metadata, bytes, created_at)
      select id, revision, name, variant_id, document, metadata, ${bytes}, coalesce(revised_at, updated_at)
      from designs where id = ${design.id}
      on conflict do nothing returning bytes
    ), pruned as (
      delete from design_revisions
      where design_id = ${design.id} and revision <= ${design.revision + 1 - MAX_REVISIONS} returning bytes
    )
    select coalesce((select sum(bytes) from kept), 0)::int - coalesce((select sum(bytes) from pruned), 0)::int as bytes`.execute(
    trx,
  )
  return rows[0]?.bytes ?? 0
}

/** Deletes the oldest revisions of a design until this many bytes are free. Returns the bytes of those deleted. */
export async function dropOldest(trx: Trx, designId: string, bytes: number): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    delete from design_revisions r using (
      select revision, sum(bytes) over (order by revision) - bytes as older
      from design_revisions where design_id = ${designId}
    ) sums
    where r.design_id = ${designId} and r.revision = sums.revision and sums.older < ${bytes}
    returning r.bytes`.execute(trx)
  return rows.reduce((sum, row) => sum + row.bytes, 0)
}

/** Lists the revisions of a design, the present one first. A design of another account has none. */
export async function listRevisions(db: Db, { id, ownerId }: DesignKey): Promise<RevisionSummary[]> {
  if (!isId('design', id)) return []
  const { rows } = await sql<RevisionSummary>`
    with design as (
      select id, revision, name, coalesce(revised_at, updated_at) as created_at from designs
      where id = ${id} and owner_id = ${ownerId}
    )
    select revision, name, created_at as "createdAt" from design
    union all
    select r.revision, r.name, r.created_at from design join design_revisions r on r.design_id = design.id
    order by revision desc`.execute(db)
  return rows
}

export async function findRevision(
  db: Db,
  { id, ownerId }: DesignKey,
  revision: number,
): Promise<Revision | undefined> {
  const { rows } = await sql<Revision>`
    with found as (
      select revision, name, variant_id, document, metadata, coalesce(revised_at, updated_at) as created_at
      from designs where id = ${id} and owner_id = ${ownerId} and revision = ${revision}
      union all
      select r.revision, r.name, r.variant_id, r.document, r.metadata, r.created_at
      from designs d join design_revisions r on r.design_id = d.id
      where d.id = ${id} and d.owner_id = ${ownerId} and r.revision = ${revision}
    )
    select revision, name, variant_id as "variantId", document::text as "documentJson", metadata::text as "metadataJson",
      created_at as "createdAt"
    from found limit 1`.execute(db)
  return rows[0]
}

/** The bytes of all earlier revisions of an account, for its quota. */
export function storedRevisionBytes(ownerId: string): RawBuilder<{ bytes: number }> {
  return sql`
    select coalesce(sum(r.bytes), 0)::bigint as bytes
    from designs d join design_revisions r on r.design_id = d.id where d.owner_id = ${ownerId}`
}

export interface OwnRevision extends Revision {
  designId: string
}

/** About as many bytes as one page of a list. */
const EXPORT_BYTES = 2 * 1024 * 1024

/** Lists the earlier revisions of an account after another one, limited by number and size. */
export async function listOwnRevisions(
  db: Db,
  ownerId: string,
  after: Pick<OwnRevision, 'designId' | 'revision'> | undefined,
): Promise<OwnRevision[]> {
  const { rows } = await sql<OwnRevision>`
    select design_id as "designId", revision, name, variant_id as "variantId", document::text as "documentJson",
      metadata::text as "metadataJson", created_at as "createdAt"
    from (
      select page.design_id, page.revision, page.name, page.variant_id, page.document, page.metadata, page.created_at,
        sum(page.bytes) over (order by page.design_id, page.revision) - page.bytes as before
      from (
        select r.design_id, r.revision, r.name, r.variant_id, r.document, r.metadata, r.created_at, r.bytes
        from designs d join design_revisions r on r.design_id = d.id
        where d.owner_id = ${ownerId} and (r.design_id, r.revision) > (${after?.designId ?? ''}, ${after?.revision ?? 0})
        order by r.design_id, r.revision limit 50
      ) page
    ) sums
    where before < ${EXPORT_BYTES} order by design_id, revision`.execute(db)
  return rows
}

/** @returns the deleted revisions: fewer than the limit if no more are left */
export async function deleteSomeRevisionsOf(trx: Trx, ownerId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    delete from design_revisions where (design_id, revision) in (
      select r.design_id, r.revision from designs d join design_revisions r on r.design_id = d.id
      where d.owner_id = ${ownerId} limit ${limit}::int
    ) returning design_id || '/' || revision as name`.execute(trx)
  return rows.map(({ name }) => name)
}
