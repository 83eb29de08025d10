import { sql } from 'kysely'
import type { Pool } from 'pg'
import { addSeconds } from '../../platform/clock.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import type { Role, StaffRole } from '../../platform/http/core/principal.ts'
import type { PageQuery } from '../../platform/http/responses/pagination.ts'

export interface ApiKey {
  id: string
  name: string
  permissions: string[]
  /** The first characters of the key, by which its owner recognizes it. */
  start: string
  last4: string
  createdAt: Date
  expiresAt: Date | null
  lastUsedAt: Date | null
}

export interface KeyRef {
  id: string
  ownerId: string
}

export interface StoredSecret {
  hash: string
  start: string
  last4: string
}

const COLUMNS = [
  'id',
  'name',
  'permissions',
  'start',
  'last4',
  'created_at as createdAt',
  'expires_at as expiresAt',
  'last_used_at as lastUsedAt',
] as const

export interface NewApiKey extends KeyRef {
  name: string
  permissions: string[]
  secret: StoredSecret
  expiresAt: Date | null
  at: Date
}

export async function insertApiKey(trx: Trx, key: NewApiKey): Promise<ApiKey> {
  return trx
    .insertInto('api_keys')
    .values({
      id: key.id,
      user_id: key.ownerId,
      name: key.name,
      permissions: key.permissions,
      key_hash: key.secret.hash,
      start: key.secret.start,
      last4: key.secret.last4,
      created_at: key.at,
      expires_at: key.expiresAt,
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
}

export async function countUsableKeys(trx: Trx, ownerId: string, at: Date): Promise<number> {
  const { count } = await trx
    .selectFrom('api_keys')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', ownerId)
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', at)]))
    .executeTakeFirstOrThrow()
  return count
}

export async function findApiKey(db: Db, { id, ownerId }: KeyRef): Promise<ApiKey | undefined> {
  return db
    .selectFrom('api_keys')
    .select(COLUMNS)
    .where('id', '=', id)
    .where('user_id', '=', ownerId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
}

/** Reads a key and locks it against rotation and revocation until the transaction ends. */
export async function lockApiKey(trx: Trx, { id, ownerId }: KeyRef): Promise<ApiKey | undefined> {
  return trx
    .selectFrom('api_keys')
    .select(COLUMNS)
    .where('id', '=', id)
    .where('user_id', '=', ownerId)
    .where('revoked_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
}

/** Lists the keys of an owner, newest first. It returns one key more than the limit if another page follows. */
export async function listApiKeys(
  db: Db,
  ownerId: string,
  query: PageQuery,
  after: string | undefined,
): Promise<ApiKey[]> {
  return db
    .selectFrom('api_keys')
    .select(COLUMNS)
    .where('user_id', '=', ownerId)
    .where('revoked_at', 'is', null)
    .$if(after !== undefined, (list) => list.where('id', '<', after ?? ''))
    .orderBy('id', 'desc')
    .limit(query.limit + 1)
    .execute()
}

/**
 * Gives a key a new secret. The current secret stays valid until `previousUntil`; a secret before that one becomes
 * invalid.
 */
export async function replaceSecret(trx: Trx, id: string, secret: StoredSecret, previousUntil: Date): Promise<ApiKey> {
  return trx
    .updateTable('api_keys')
    .set((eb) => ({
      previous_key_hash: eb.ref('key_hash'),
      previous_expires_at: previousUntil,
      key_hash: secret.hash,
      start: secret.start,
      last4: secret.last4,
    }))
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
}

/** Revokes a key and returns it. Returns undefined if the owner has no such key. */
export async function setRevoked(trx: Trx, { id, ownerId }: KeyRef, at: Date): Promise<ApiKey | undefined> {
  return trx
    .updateTable('api_keys')
    .set({ revoked_at: at })
    .where('id', '=', id)
    .where('user_id', '=', ownerId)
    .where('revoked_at', 'is', null)
    .returning(COLUMNS)
    .executeTakeFirst()
}

export async function pruneRevokedKeys(db: Db, revokedBefore: Date): Promise<void> {
  await db.deleteFrom('api_keys').where('revoked_at', '<', revokedBefore).execute()
}

export interface KnownKey {
  id: string
  userId: string
  role: Role
  staffRole: StaffRole | null
  grants: string[]
  /** When the secret that was looked up expires; null if it never expires. */
  expiresAt: Date | null
  isRevoked: boolean
  isOwnerDisabled: boolean
}

/** Finds the key that has this secret, even if the key is revoked or expired. */
export async function findKeyBySecret(pool: Pool, keyHash: string): Promise<KnownKey | undefined> {
  const { rows } = await pool.query<{
    id: string
    user_id: string
    role: Role
    staff_role: StaffRole | null
    permissions: string[]
    expires_at: Date | null
    is_revoked: boolean
    is_owner_disabled: boolean
  }>({
    name: 'key_by_secret',
    text: `select k.id, k.user_id, u.role, u.staff_role, k.permissions,
             case when k.key_hash = $1 then k.expires_at else least(k.previous_expires_at, k.expires_at) end as expires_at,
             k.revoked_at is not null as is_revoked, u.disabled_at is not null as is_owner_disabled
           from api_keys k join users u on u.id = k.user_id
           where k.key_hash = $1 or k.previous_key_hash = $1`,
    values: [keyHash],
  })
  const row = rows[0]
  if (row === undefined) return undefined
  return {
    id: row.id,
    userId: row.user_id,
    role: row.role,
    staffRole: row.staff_role,
    grants: row.permissions,
    expiresAt: row.expires_at,
    isRevoked: row.is_revoked,
    isOwnerDisabled: row.is_owner_disabled,
  }
}

/**
 * Notes that a key was used after its revocation or expiry, at most once an hour on all nodes together.
 *
 * @returns whether the caller must record the use as a security event
 */
export async function noteMisuse(trx: Trx, keyId: string, at: Date): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('api_keys')
    .set({ misuse_recorded_at: at })
    .where('id', '=', keyId)
    .where((eb) => eb.or([eb('misuse_recorded_at', 'is', null), eb('misuse_recorded_at', '<=', addSeconds(at, -3600))]))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Records the use of a key, at most once a minute. */
export async function touchKey(db: Db, keyId: string, at: Date): Promise<void> {
  await sql`
    update api_keys set last_used_at = ${at}
    where id = ${keyId} and (last_used_at is null or last_used_at <= ${at}::timestamptz - interval '1 minute')`.execute(
    db,
  )
}
