import { sql } from 'kysely'
import type { Trx } from '../db/index.ts'
import { releaseUpload } from '../storage/index.ts'

/** Uploads that designs need, and the table of which design needs which. */
interface UsesTables {
  isId(value: string): boolean
  /** Of the uploads: columns `id`, `owner_id`, `sha256`, `bytes`. */
  table: string
  /** Columns `design_id` and the one that names the upload. */
  uses: string
  key: string
}

/** What keeps an upload from being deleted while a design needs it. */
export interface Uses {
  /** Keeps an upload of this owner from being used or deleted by others until the transaction ends. */
  lock(trx: Trx, upload: { id: string; ownerId: string }): Promise<boolean>
  isUsed(trx: Trx, id: string): Promise<boolean>
  /**
   * Records that a design needs these uploads: they cannot be deleted until `release`.
   * A deletion in flight is waited for. Marking twice is the same as once.
   *
   * @returns the ids among them that are no longer there; the others are marked
   */
  mark(trx: Trx, designId: string, ids: readonly string[]): Promise<string[]>
  /** Ends what `mark` began: the design no longer needs any. */
  release(trx: Trx, designId: string): Promise<void>
  /** Deletes an upload. Its bytes stay charged to its owner until they are collected. */
  delete(trx: Trx, id: string): Promise<void>
  /**
   * Deletes some uploads of a person, also those that designs still use: theirs alone do.
   *
   * @returns their ids: fewer than the limit if no more are left
   */
  deleteSomeOf(trx: Trx, ownerId: string, limit: number): Promise<string[]>
}

/** The one protocol by which marking and deleting wait for each other, on the row of the upload. */
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
      // In one order everywhere, so that two finalizations cannot wait for each other.
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
