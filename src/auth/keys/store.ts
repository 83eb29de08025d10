import { sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/index.ts'

export type KeyPurpose = 'access_token' | 'statement'
export type KeyState = 'next' | 'current' | 'retired'

export interface SigningKeyRow {
  kid: string
  purpose: KeyPurpose
  state: KeyState
  publicJwk: { kty: string; crv: string; x: string }
  privateKeyEncrypted: Buffer
}

/** Any constant: it only has to be the same in every process. */
const CREATION_LOCK = 7_305_417

/** Lets one process after the other look for keys and make missing ones. */
export async function lockKeyCreation(trx: Trx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${CREATION_LOCK})`.execute(trx)
}

/**
 * The keys that can still matter: all but access token keys retired before a moment.
 * Statement keys always matter: what they signed is checked years later.
 */
export async function listSigningKeys(db: Db | Trx, retiredSince: Date): Promise<SigningKeyRow[]> {
  const rows = await db
    .selectFrom('signing_keys')
    .selectAll()
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
    publicJwk: row.public_jwk as unknown as SigningKeyRow['publicJwk'],
    privateKeyEncrypted: row.private_key_encrypted,
  }))
}

export async function insertSigningKey(trx: Trx, key: SigningKeyRow, at: Date): Promise<void> {
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
