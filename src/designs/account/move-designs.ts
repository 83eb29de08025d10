import { sql } from 'kysely'
import type { Trx } from '../../platform/db/index.ts'
import { moveSomeRecords } from '../../platform/records/move-records.ts'
import { compareUsageSoon } from '../../platform/storage/index.ts'
import type { EqualUpload } from '../../platform/uploads/uses.ts'

/**
 * Limits of the documents that are rewritten. Readers of events wait for the oldest transaction, so it must be short.
 * Other documents and the revisions keep former ids of assets, which remain valid.
 */
const MOST_DOCUMENTS = 20
const MOST_STORED_BYTES = 32 * 1024

/** The member of a layer in a stored document. In a text, its quotes would be escaped. */
const ASSET = /"assetId":"([^"\\]+)"/g

interface Move {
  from: string
  to: string
  /** Assets that both users have. Documents get the id of the one that remains. */
  assets: readonly EqualUpload[]
}

/**
 * Moves the newest designs of a user to another one, but not the archived ones, which can be many. Returns how many were
 * moved. `moveSomeDesigns` moves the others.
 */
export async function moveDesigns(trx: Trx, { from, to, assets }: Move): Promise<number> {
  if (assets.length > 0) await renameAssets(trx, from, assets)
  return moveSomeRecords(trx, 'designs', { from, to }, sql`status <> 'archived'`)
}

/** Moves designs of a user to another one, in any status, up to `MOVED_AT_ONCE`. Returns how many were moved. */
export async function moveSomeDesigns(trx: Trx, { from, to }: Omit<Move, 'assets'>): Promise<number> {
  const moved = await moveSomeRecords(trx, 'designs', { from, to })
  if (moved > 0) await compareUsageSoon(trx, to)
  return moved
}

/**
 * Renames assets in the newest designs. A draft with another document gets a new revision, so that no client keeps the
 * old document. The ids have the same length, so no size changes.
 */
async function renameAssets(trx: Trx, ownerId: string, assets: readonly EqualUpload[]): Promise<void> {
  const names = new Map(assets.map(({ from, to }) => [from, to]))
  const rename = (document: string) =>
    document.replaceAll(ASSET, (member, id: string) => (names.has(id) ? `"assetId":"${names.get(id)}"` : member))
  const { rows } = await sql<{ id: string; document: string }>`
    select id, document::text as document from designs
    where owner_id = ${ownerId} and status <> 'archived' and pg_column_size(document) <= ${MOST_STORED_BYTES}::int
    order by id desc limit ${MOST_DOCUMENTS}::int for update`.execute(trx)
  const renamed = rows.flatMap(({ id, document }) => {
    const changed = rename(document)
    return changed === document ? [] : [{ id, document: changed }]
  })
  await sql`
    update designs d set document = r.document::json, revision = d.revision + (d.status = 'draft')::int
    from unnest(${renamed.map(({ id }) => id)}::text[], ${renamed.map(({ document }) => document)}::text[])
      as r (id, document)
    where d.id = r.id`.execute(trx)
}
