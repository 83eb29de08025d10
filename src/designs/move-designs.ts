import { sql } from 'kysely'
import type { Trx } from '../platform/db/index.ts'
import { dropTakenReferences } from '../platform/records/external-reference.ts'
import type { EqualUpload } from '../platform/uploads/uses.ts'

/** A document may have a megabyte. */
const DOCUMENTS_AT_ONCE = 20

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
    for (const { id, document } of rows) {
      const renamed = rename(document)
      if (renamed === document) continue
      await sql`
        update designs set document = ${renamed}::json, revision = revision + (status = 'draft')::int
        where id = ${id}`.execute(trx)
    }
    after = rows.at(-1)?.id ?? after
    full = rows.length === DOCUMENTS_AT_ONCE
  }
}

async function renameInRevisions(trx: Trx, ownerId: string, rename: Rename): Promise<void> {
  let last = { designId: '', revision: 0 }
  for (let full = true; full; ) {
    const { rows } = await sql<{ designId: string; revision: number; document: string }>`
      select r.design_id as "designId", r.revision, r.document::text as document
      from designs d join design_revisions r on r.design_id = d.id
      where d.owner_id = ${ownerId} and (r.design_id, r.revision) > (${last.designId}, ${last.revision}::int)
      order by r.design_id, r.revision limit ${DOCUMENTS_AT_ONCE}::int`.execute(trx)
    for (const { designId, revision, document } of rows) {
      const renamed = rename(document)
      if (renamed === document) continue
      await sql`
        update design_revisions set document = ${renamed}::json
        where design_id = ${designId} and revision = ${revision}::int`.execute(trx)
    }
    last = rows.at(-1) ?? last
    full = rows.length === DOCUMENTS_AT_ONCE
  }
}
