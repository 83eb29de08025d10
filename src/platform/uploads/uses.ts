import { type RawBuilder, sql } from 'kysely'
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
  /**
   * The table of former ids, with the columns `id` and `key`. Undefined for uploads whose ids documents do not contain.
   */
  aliases?: string
}

/** Prevents the deletion of an upload while a design needs it. */
export interface Uses {
  /**
   * Locks an upload of this owner, so that other transactions can neither use nor delete it until the transaction ends.
   *
   * @param upload may have a former id
   * @returns the id of the upload; undefined if it does not exist
   */
  lock(trx: Trx, upload: { id: string; ownerId: string }): Promise<string | undefined>
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
  /** Lists the uploads of an account whose bytes another account has uploaded too, each with the id there. */
  listEqual(trx: Trx, from: string, to: string): Promise<EqualUpload[]>
  /**
   * Moves the uploads of an account to another one. If both have the same bytes, only the upload of the second one
   * remains, and the id of the other becomes a former id of it. Returns how many uploads the first one had.
   */
  move(trx: Trx, from: string, to: string): Promise<number>
}

/** The ids of two uploads of the same bytes. */
export interface EqualUpload {
  from: string
  to: string
}

/**
 * Defines the functions for one kind of upload. Marking and deleting wait for each other with a lock on the row of the
 * upload.
 */
export function usesOf({ isId, table, uses, key, aliases }: UsesTables): Uses {
  const uploads = sql.table(table)
  const used = sql.table(uses)
  const uploadId = sql.ref(key)
  /** Replaces former ids. `id` is an expression of SQL. */
  const presentId = (id: RawBuilder<string>): RawBuilder<string> =>
    aliases === undefined
      ? id
      : sql`coalesce((select ${uploadId} from ${sql.table(aliases)} a where a.id = ${id}), ${id})`
  const listEqual: Uses['listEqual'] = async (trx, from, to) => {
    const { rows } = await sql<EqualUpload>`
      select f.id as from, t.id as to from ${uploads} f join ${uploads} t on t.sha256 = f.sha256
      where f.owner_id = ${from} and t.owner_id = ${to} order by f.id for update`.execute(trx)
    return rows
  }
  return {
    listEqual,
    move: async (trx, from, to) => {
      const equal = await listEqual(trx, from, to)
      const left = equal.map((one) => one.from)
      const pairs = sql`unnest(${left}::text[], ${equal.map((one) => one.to)}::text[]) as e (id, kept)`
      await sql`
        insert into ${used} (${uploadId}, design_id)
        select e.kept, u.design_id from ${used} u join ${pairs} on e.id = u.${uploadId}
        on conflict do nothing`.execute(trx)
      if (aliases !== undefined) await renameIn(trx, { aliases: sql.table(aliases), uploadId, pairs })
      await sql`delete from ${used} where ${uploadId} = any(${left}::text[])`.execute(trx)
      await sql`delete from ${uploads} where id = any(${left}::text[])`.execute(trx)
      const moved = await sql`update ${uploads} set owner_id = ${to} where owner_id = ${from}`.execute(trx)
      return equal.length + Number(moved.numAffectedRows ?? 0n)
    },
    lock: async (trx, { id, ownerId }) => {
      if (!isId(id)) return undefined
      const { rows } = await sql<{ id: string }>`
        select id from ${uploads} where id = ${presentId(sql`${id}::text`)} and owner_id = ${ownerId} for update`.execute(
        trx,
      )
      return rows[0]?.id
    },
    isUsed: async (trx, id) => {
      const { rows } = await sql`select from ${used} where ${uploadId} = ${id} limit 1`.execute(trx)
      return rows.length > 0
    },
    mark: async (trx, designId, ids) => {
      if (ids.length === 0) return []
      // Rows are locked in the same order everywhere, so that two finalizations cannot deadlock.
      const { rows } = await sql<{ id: string; wanted: string }>`
        select u.id, w.id as wanted
        from (select w.id, ${presentId(sql`w.id`)} as present from unnest(${[...ids]}::text[]) as w (id)) w
        join ${uploads} u on u.id = w.present order by u.id for key share of u`.execute(trx)
      await sql`
        insert into ${used} (${uploadId}, design_id)
        select id, ${designId} from unnest(${rows.map(({ id }) => id)}::text[]) as found (id)
        on conflict do nothing`.execute(trx)
      const there = new Set(rows.map(({ wanted }) => wanted))
      return [...new Set(ids)].filter((id) => !there.has(id))
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

interface Renaming {
  aliases: RawBuilder<unknown>
  uploadId: RawBuilder<unknown>
  /** Rows (id, kept), named `e`: uploads that end, and those that remain instead. */
  pairs: RawBuilder<unknown>
}

async function renameIn(trx: Trx, { aliases, uploadId, pairs }: Renaming): Promise<void> {
  await sql`update ${aliases} a set ${uploadId} = e.kept from ${pairs} where a.${uploadId} = e.id`.execute(trx)
  await sql`insert into ${aliases} (id, ${uploadId}) select e.id, e.kept from ${pairs}`.execute(trx)
}
