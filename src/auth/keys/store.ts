import { sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/index.ts'
import { AUTH_LOCKS } from '../locks.ts'

export const KEY_PURPOSES = ['access_token', 'statement'] as const
export type KeyPurpose = (typeof KEY_PURPOSES)[number]
export type KeyState = 'next' | 'current' | 'retired'

export interface PublicJwk {
  kty: string
  crv: string
  x: string
}

export interface SigningKeyRow {
  kid: string
  purpose: KeyPurpose
  state: KeyState
  publicJwk: PublicJwk
  /** Null if the key is retired. */
  privateKeyEncrypted: Buffer | null
  createdAt: Date
  retiredAt: Date | null
}

export async function lockKeyCreation(trx: Trx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${AUTH_LOCKS.signingKeys})`.execute(trx)
}

/**
 * Lists the keys that are in use or whose signatures are accepted, oldest first. These are all keys except revoked ones
 * and access token keys that were retired before `retiredSince`. Retired statement keys are included, because
 * statements are verified years later.
 */
export async function listSigningKeys(db: Db | Trx, retiredSince: Date): Promise<SigningKeyRow[]> {
  const rows = await db
    .selectFrom('signing_keys')
    .select(['kid', 'purpose', 'state', 'public_jwk', 'private_key_encrypted', 'created_at', 'retired_at'])
    .where('revoked_at', 'is', null)
    .where((eb) =>
      eb.or([eb('purpose', '=', 'statement'), eb('retired_at', 'is', null), eb('retired_at', '>', retiredSince)]),
    )
    .orderBy('created_at')
    .orderBy('kid')
    .execute()
  return rows.map((row) => ({
    kid: row.kid,
    purpose: row.purpose as KeyPurpose,
    state: row.state as KeyState,
    publicJwk: row.public_jwk as unknown as PublicJwk,
    privateKeyEncrypted: row.private_key_encrypted,
    createdAt: row.created_at,
    retiredAt: row.retired_at,
  }))
}

export async function insertSigningKey(
  trx: Trx,
  key: Omit<SigningKeyRow, 'createdAt' | 'retiredAt'>,
  at: Date,
): Promise<void> {
  await trx
    .insertInto('signing_keys')
    .values({
      kid: key.kid,
      purpose: key.purpose,
      state: key.state,
      public_jwk: JSON.stringify(key.publicJwk),
      private_key_encrypted: key.privateKeyEncrypted,
      created_at: at,
    })
    .execute()
}

export async function setPrivateKey(trx: Trx, kid: string, privateKeyEncrypted: Buffer): Promise<void> {
  await trx
    .updateTable('signing_keys')
    .set({ private_key_encrypted: privateKeyEncrypted })
    .where('kid', '=', kid)
    .execute()
}

export async function promoteNextKey(trx: Trx, purpose: KeyPurpose, at: Date): Promise<void> {
  await trx
    .updateTable('signing_keys')
    .set({ state: 'retired', retired_at: at, private_key_encrypted: null })
    .where('purpose', '=', purpose)
    .where('state', '=', 'current')
    .execute()
  await trx
    .updateTable('signing_keys')
    .set({ state: 'current' })
    .where('purpose', '=', purpose)
    .where('state', '=', 'next')
    .execute()
}

/**
 * Revokes the current and the next key of a purpose, and returns the names of the revoked keys. For access tokens it
 * revokes the retired keys, too. Retired statement keys stay valid, because receipts need them and their private halves
 * were deleted.
 */
export async function revokeSigningKeys(trx: Trx, purpose: KeyPurpose, at: Date): Promise<string[]> {
  const rows = await trx
    .updateTable('signing_keys')
    .set((eb) => ({
      state: 'retired',
      retired_at: eb.fn.coalesce('retired_at', eb.val(at)),
      revoked_at: at,
      private_key_encrypted: null,
    }))
    .where('purpose', '=', purpose)
    .where('revoked_at', 'is', null)
    .$if(purpose === 'statement', (query) => query.where('state', '!=', 'retired'))
    .returning('kid')
    .execute()
  return rows.map((row) => row.kid)
}
