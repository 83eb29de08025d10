import { sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/index.ts'

/** An API key whose current or previous secret was found in public. */
export interface LeakedKey {
  id: string
  ownerId: string
  /** Hash of the leaked secret: the current one or the previous one. */
  hash: string
}

/**
 * Finds the API keys whose current or previous secret has one of these hashes, even if the secret is no longer valid.
 * Older secrets of a key are not stored.
 */
export async function findKeysBySecrets(db: Db, hashes: readonly string[]): Promise<LeakedKey[]> {
  const { rows } = await sql<{ id: string; user_id: string; hash: string }>`
    select k.id, k.user_id, h.hash from unnest(${hashes}::text[]) as h (hash) join api_keys k on k.key_hash = h.hash
    union all
    select k.id, k.user_id, h.hash from unnest(${hashes}::text[]) as h (hash) join api_keys k on k.previous_key_hash = h.hash
  `.execute(db)
  return rows.map((row) => ({ id: row.id, ownerId: row.user_id, hash: row.hash }))
}

/**
 * Revokes a key if the given secret of the key is still valid.
 *
 * @returns whether the key was revoked
 */
export async function revokeIfUsable(trx: Trx, { id, hash }: LeakedKey, at: Date): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('api_keys')
    .set({ revoked_at: at })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', at)]))
    .where((eb) =>
      eb.or([
        eb('key_hash', '=', hash),
        eb.and([eb('previous_key_hash', '=', hash), eb('previous_expires_at', '>', at)]),
      ]),
    )
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
