import type { Db, Trx } from '../../../platform/db/index.ts'
import type { PageQuery } from '../../../platform/http/responses/pagination.ts'

export interface Passkey {
  id: string
  userId: string
  credentialId: Buffer
  /** The public key as a COSE_Key (RFC 9052). */
  publicKey: Buffer
  transports: string[]
  name: string
  createdAt: Date
  lastUsedAt: Date | null
}

const COLUMNS = [
  'passkeys.id',
  'passkeys.user_id as userId',
  'passkeys.credential_id as credentialId',
  'passkeys.public_key as publicKey',
  'passkeys.transports',
  'passkeys.name',
  'passkeys.created_at as createdAt',
  'passkeys.last_used_at as lastUsedAt',
] as const

export interface NewPasskey {
  id: string
  userId: string
  credentialId: Buffer
  publicKey: Buffer
  counter: number
  transports: string[]
  deviceType: string
  isBackedUp: boolean
  name: string
  at: Date
}

/** Adds a passkey. Returns undefined if the credential is already registered for an account. */
export async function insertPasskey(trx: Trx, passkey: NewPasskey): Promise<Passkey | undefined> {
  return trx
    .insertInto('passkeys')
    .values({
      id: passkey.id,
      user_id: passkey.userId,
      credential_id: passkey.credentialId,
      public_key: passkey.publicKey,
      counter: passkey.counter,
      transports: passkey.transports,
      device_type: passkey.deviceType,
      backed_up: passkey.isBackedUp,
      name: passkey.name,
      created_at: passkey.at,
    })
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .returning(COLUMNS)
    .executeTakeFirst()
}

export async function listAllPasskeys(db: Db | Trx, userId: string): Promise<Passkey[]> {
  return db.selectFrom('passkeys').select(COLUMNS).where('user_id', '=', userId).orderBy('id').execute()
}

/** Lists the passkeys of a user, newest first. It returns one passkey more than the limit if another page follows. */
export async function listPasskeys(
  db: Db,
  userId: string,
  query: PageQuery,
  after: string | undefined,
): Promise<Passkey[]> {
  return db
    .selectFrom('passkeys')
    .select(COLUMNS)
    .where('user_id', '=', userId)
    .$if(after !== undefined, (list) => list.where('id', '<', after ?? ''))
    .orderBy('id', 'desc')
    .limit(query.limit + 1)
    .execute()
}

/** Finds a passkey by the id of its credential, together with the user handle of its account. */
export async function findCredential(
  db: Db | Trx,
  credentialId: Buffer,
): Promise<(Passkey & { handle: Buffer }) | undefined> {
  return db
    .selectFrom('passkeys')
    .innerJoin('passkey_handles', 'passkey_handles.user_id', 'passkeys.user_id')
    .select(COLUMNS)
    .select('passkey_handles.handle')
    .where('passkeys.credential_id', '=', credentialId)
    .executeTakeFirst()
}

/**
 * Records a use of a passkey, unless its counter did not increase, which shows that the passkey was copied. A counter
 * that is always zero shows nothing, because the authenticator does not count (Web Authentication Level 3, section 7.2,
 * step 22).
 *
 * @returns whether the use was recorded
 */
export async function noteUse(
  trx: Trx,
  id: string,
  { counter, isBackedUp }: { counter: number; isBackedUp: boolean },
  at: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('passkeys')
    .set({ counter, backed_up: isBackedUp, last_used_at: at })
    .where('id', '=', id)
    .where((eb) => (counter === 0 ? eb('counter', '=', 0) : eb('counter', '<', counter)))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Renames a passkey of a user. Returns undefined if the user has no such passkey. */
export async function renamePasskey(
  db: Db,
  { id, userId }: { id: string; userId: string },
  name: string,
): Promise<Passkey | undefined> {
  return db
    .updateTable('passkeys')
    .set({ name })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returning(COLUMNS)
    .executeTakeFirst()
}

/** Deletes a passkey of a user. @returns false if the user has no such passkey */
export async function deletePasskey(trx: Trx, { id, userId }: { id: string; userId: string }): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('passkeys')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Returns the user handle of an account. If the account has none yet, stores `fresh` as its handle. */
export async function handleOf(trx: Trx, userId: string, fresh: Buffer): Promise<Buffer> {
  await trx
    .insertInto('passkey_handles')
    .values({ user_id: userId, handle: fresh })
    .onConflict((conflict) => conflict.column('user_id').doNothing())
    .execute()
  const { handle } = await trx
    .selectFrom('passkey_handles')
    .select('handle')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return handle
}

/** What a challenge is valid for. */
export interface ChallengeKey {
  id: string
  purpose: 'enroll' | 'sign_in' | 'second_factor' | 'step_up'
  /** Null for a sign-in, which names no account. */
  userId: string | null
  /** Id of the session, or hash of the token of the pending sign-in. */
  boundTo: string | null
}

export async function insertChallenge(
  db: Db | Trx,
  { id, purpose, userId, boundTo }: ChallengeKey,
  { expected, createdAt, expiresAt }: { expected: Buffer; createdAt: Date; expiresAt: Date },
): Promise<void> {
  await db
    .insertInto('auth_challenges')
    .values({
      id,
      kind: 'webauthn',
      purpose,
      user_id: userId,
      bound_to: boundTo,
      expected,
      created_at: createdAt,
      expires_at: expiresAt,
    })
    .execute()
}

/**
 * Consumes a challenge and returns its random bytes. Returns undefined if no challenge that is still valid has these
 * values.
 */
export async function useChallenge(db: Db | Trx, key: ChallengeKey, now: Date): Promise<Buffer | undefined> {
  const row = await db
    .deleteFrom('auth_challenges')
    .where('id', '=', key.id)
    .where('kind', '=', 'webauthn')
    .where('purpose', '=', key.purpose)
    .where('user_id', 'is not distinct from', key.userId)
    .where('bound_to', 'is not distinct from', key.boundTo)
    .where('expires_at', '>', now)
    .returning('expected')
    .executeTakeFirst()
  return row?.expected
}

export async function pruneChallenges(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('auth_challenges').where('kind', '=', 'webauthn').where('expires_at', '<', now).execute()
}
