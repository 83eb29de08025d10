import { sql } from 'kysely'
import type { Trx } from '../db/index.ts'
import { releaseUpload } from '../storage/index.ts'

/** The tables of one kind of upload and of its uses by designs. */
interface UsesTables {
  isId(value: string): boolean
  /** The table of uploads, with the columns `id`, `owner_id`, `sha256`, `bytes`. */
  table: string
  /** The table of uses, with the column `design_id` and the column `key`, which contains the id of the upload. */
  uses: string
  key: string
}

/** Prevents the deletion of an upload while a design needs it. */
export interface Uses {
  /**
   * Locks an upload of this owner, so that other transactions can neither use nor delete it until the transaction ends.
   * Returns false if the upload does not exist.
   */
  lock(trx: Trx, upload: { id: string; ownerId: string }): Promise<boolean>
  isUsed(trx: Trx, id: string): Promise<boolean>
  /**
   * Records that a design needs these uploads. They cannot be deleted until `release`. Waits for concurrent deletions.
   * Marking twice has no further effect.
   *
   * @returns the ids of uploads that no longer exist; the others are marked
   */
  mark(trx: Trx, designId: string, ids: readonly string[]): Promise<string[]>
  /** Ends all uses of uploads by the design. */
  release(trx: Trx, designId: string): Promise<void>
  /** Deletes an upload. Its bytes count towards the quota of the owner until they are collected. */
  delete(trx: Trx, id: string): Promise<void>
  /**
   * Deletes up to `limit` uploads of an account that is erased, including uploads that its designs still use. Designs
   * of other accounts cannot use them.
   *
   * @returns the ids of the deleted uploads; fewer than `limit` if none is left
   */
  deleteSomeOf(trx: Trx, ownerId: string, limit: number): Promise<string[]>
}

/**
 * Defines the functions for one kind of upload. Marking and deleting wait for each other with a lock on the row of the
 * upload.
 */
export function usesOf({ isId, table, uses, key }: UsesTables): Uses {
  const uploads = sql.table(table)
  const used = sql.table(uses)
  const uploadId = sql.ref(key)
  return {
    lock: async (trx, { id, ownerId }) => {
      if (!isId(id)) return false
      const { rows } = await sql`
        select from ${uploads} where id = ${id} and owner_id = ${ownerId} for update`.execute(trx)
      return rows.length > 0
    },
    isUsed: async (trx, id) => {
      const { rows } = await sql`select from ${used} where ${uploadId} = ${id} limit 1`.execute(trx)
      return rows.length > 0
    },
    mark: async (trx, designId, ids) => {
      if (ids.length === 0) return []
      // Rows are locked in the same order everywhere, so that two finalizations cannot deadlock.
      const { rows } = await sql<{ id: string }>`
        select id from ${uploads} where id = any(${[...ids]}) order by id for key share`.execute(trx)
      const there = rows.map(({ id }) => id)
      await sql`
        insert into ${used} (${uploadId}, design_id)
        select id, ${designId} from unnest(${there}::text[]) as found (id)
        on conflict do nothing`.execute(trx)
      return [...new Set(ids)].filter((id) => !there.includes(id))
    },
    release: async (trx, designId) => {
      await sql`delete from ${used} where design_id = ${designId}`.execute(trx)
    },
    delete: async (trx, id) => {
      const { rows } = await sql<{ ownerId: string; sha256: string; bytes: number }>`
        delete from ${uploads} where id = ${id} returning owner_id as "ownerId", sha256, bytes`.execute(trx)
      for (const upload of rows) await releaseUpload(trx, upload)
    },
    deleteSomeOf: async (trx, ownerId, limit) => {
      const { rows } = await sql<{ id: string }>`
        select id from ${uploads} where owner_id = ${ownerId} order by id limit ${limit}::int for update`.execute(trx)
      const ids = rows.map(({ id }) => id)
      await sql`delete from ${used} where ${uploadId} = any(${ids}::text[])`.execute(trx)
      await sql`delete from ${uploads} where id = any(${ids}::text[])`.execute(trx)
      return ids
    },
  }
}
