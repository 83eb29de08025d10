import { sql } from 'kysely'
import type { Trx } from '../platform/db/index.ts'
import { dropTakenReferences } from '../platform/records/external-reference.ts'
import type { EqualUpload } from '../platform/uploads/uses.ts'

/** A document may have a megabyte. */
const DOCUMENTS_AT_ONCE = 20

/** Revisions may be many and small. */
const REVISIONS_AT_ONCE = 500
const PAGE_BYTES = 8 * 1024 * 1024

/** The member of a layer in a stored document. In a text, its quotes would be escaped. */
const ASSET = /"assetId":"([^"\\]+)"/g

interface Move {
  from: string
  to: string
  /** Assets that both users have: documents get the id of the one that remains. */
  assets: readonly EqualUpload[]
}

/** Moves the designs of a user to another one. Returns how many there were. */
export async function moveDesigns(trx: Trx, { from, to, assets }: Move): Promise<number> {
  if (assets.length > 0) await renameAssets(trx, from, assets)
  await dropTakenReferences(trx, { table: 'designs', from, to })
  const moved = await trx.updateTable('designs').set({ owner_id: to }).where('owner_id', '=', from).executeTakeFirst()
  return Number(moved.numUpdatedRows)
}

type Rename = (document: string) => string

/** Renames assets in designs and in the revisions of designs. The ids have the same length, so no size changes. */
async function renameAssets(trx: Trx, ownerId: string, assets: readonly EqualUpload[]): Promise<void> {
  const names = new Map(assets.map(({ from, to }) => [from, to]))
  // One pass, because events of everyone wait for the oldest transaction, and there may be thousands of assets.
  const rename: Rename = (document) =>
    document.replaceAll(ASSET, (member, id: string) => (names.has(id) ? `"assetId":"${names.get(id)}"` : member))
  await renameInDesigns(trx, ownerId, rename)
  await renameInRevisions(trx, ownerId, rename)
}

/** A draft with another document gets a new revision, so that no client keeps the old document. */
async function renameInDesigns(trx: Trx, ownerId: string, rename: Rename): Promise<void> {
  for (let after = '', full = true; full; ) {
    const { rows } = await sql<{ id: string; document: string }>`
      select id, document::text as document from designs where owner_id = ${ownerId} and id > ${after}
      order by id limit ${DOCUMENTS_AT_ONCE}::int for update`.execute(trx)
    const renamed = renameAll(rows, rename)
    await sql`
      update designs d set document = r.document::json, revision = d.revision + (d.status = 'draft')::int
      from unnest(${renamed.map(({ id }) => id)}::text[], ${renamed.map(({ document }) => document)}::text[])
        as r (id, document)
      where d.id = r.id`.execute(trx)
    after = rows.at(-1)?.id ?? after
    full = rows.length === DOCUMENTS_AT_ONCE
  }
}

interface RevisionRow {
  designId: string
  revision: number
  document: string
}

async function renameInRevisions(trx: Trx, ownerId: string, rename: Rename): Promise<void> {
  for (let rows = await readRevisions(trx, ownerId); rows.length > 0; ) {
    const renamed = renameAll(rows, rename)
    await sql`
      update design_revisions d set document = r.document::json
      from unnest(
        ${renamed.map(({ designId }) => designId)}::text[], ${renamed.map(({ revision }) => revision)}::int[],
        ${renamed.map(({ document }) => document)}::text[]) as r (design_id, revision, document)
      where d.design_id = r.design_id and d.revision = r.revision`.execute(trx)
    rows = await readRevisions(trx, ownerId, rows.at(-1))
  }
}

/** Reads a page of revisions that is limited by number and size. */
async function readRevisions(trx: Trx, ownerId: string, after?: RevisionRow): Promise<RevisionRow[]> {
  const { designId = '', revision = 0 } = after ?? {}
  const { rows } = await sql<RevisionRow>`
    select d.design_id as "designId", d.revision, d.document::text as document
    from (
      select design_id, revision, sum(bytes) over (order by design_id, revision) - bytes as before
      from (
        select r.design_id, r.revision, r.bytes from designs d join design_revisions r on r.design_id = d.id
        where d.owner_id = ${ownerId} and (r.design_id, r.revision) > (${designId}, ${revision}::int)
        order by r.design_id, r.revision limit ${REVISIONS_AT_ONCE}::int
      ) listed
    ) page join design_revisions d on d.design_id = page.design_id and d.revision = page.revision
    where page.before < ${PAGE_BYTES}::int
    order by d.design_id, d.revision`.execute(trx)
  return rows
}

/** Returns the rows whose document names a renamed asset, with the new document. */
function renameAll<Row extends { document: string }>(rows: readonly Row[], rename: Rename): Row[] {
  return rows.flatMap((row) => {
    const document = rename(row.document)
    return document === row.document ? [] : [{ ...row, document }]
  })
}
