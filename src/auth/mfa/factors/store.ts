import type { Db, Trx } from '../../../platform/db/index.ts'

export type FactorMethod = 'totp' | 'sms'

export interface Factor {
  id: string
  method: FactorMethod
  /** The encrypted secret that an authenticator app shares with the service. Null for the method `sms`. */
  secretEncrypted: Buffer | null
  /** The telephone number in E.164 form. Null for the method `totp`. */
  phoneNumber: string | null
  createdAt: Date
  confirmedAt: Date | null
  pendingUntil: Date
  lastUsedAt: Date | null
}

const COLUMNS = [
  'id',
  'method',
  'secret_encrypted as secretEncrypted',
  'phone_number as phoneNumber',
  'created_at as createdAt',
  'confirmed_at as confirmedAt',
  'pending_until as pendingUntil',
  'last_used_at as lastUsedAt',
] as const

const toFactor = (row: Omit<Factor, 'method'> & { method: string }): Factor => ({
  ...row,
  method: row.method as FactorMethod,
})

export interface NewFactor {
  id: string
  userId: string
  method: FactorMethod
  secretEncrypted: Buffer | null
  phoneNumber: string | null
  at: Date
  pendingUntil: Date
}

/** Adds an unconfirmed factor. It replaces an unconfirmed factor of the same method. */
export async function replacePendingFactor(trx: Trx, factor: NewFactor): Promise<void> {
  await trx
    .deleteFrom('mfa_factors')
    .where('user_id', '=', factor.userId)
    .where('method', '=', factor.method)
    .where('confirmed_at', 'is', null)
    .execute()
  await trx
    .insertInto('mfa_factors')
    .values({
      id: factor.id,
      user_id: factor.userId,
      method: factor.method,
      secret_encrypted: factor.secretEncrypted,
      phone_number: factor.phoneNumber,
      created_at: factor.at,
      pending_until: factor.pendingUntil,
    })
    .execute()
}

export async function findFactor(
  db: Db | Trx,
  { id, userId }: { id: string; userId: string },
): Promise<Factor | undefined> {
  const row = await db
    .selectFrom('mfa_factors')
    .select(COLUMNS)
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row && toFactor(row)
}

export async function findEnabledFactor(
  db: Db | Trx,
  { userId, method }: { userId: string; method: FactorMethod },
): Promise<Factor | undefined> {
  const row = await db
    .selectFrom('mfa_factors')
    .select(COLUMNS)
    .where('user_id', '=', userId)
    .where('method', '=', method)
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst()
  return row && toFactor(row)
}

/** Lists the factors of a user that are enabled or await confirmation. Each method has at most one of either kind. */
export async function listFactors(db: Db | Trx, userId: string, now: Date): Promise<Factor[]> {
  const rows = await db
    .selectFrom('mfa_factors')
    .select(COLUMNS)
    .where('user_id', '=', userId)
    .where((eb) => eb.or([eb('confirmed_at', 'is not', null), eb('pending_until', '>', now)]))
    .orderBy('id', 'desc')
    .execute()
  return rows.map(toFactor)
}

/**
 * Enables an unconfirmed factor.
 *
 * @returns false if the factor has expired or was already confirmed
 */
export async function setConfirmed(
  trx: Trx,
  { id, userId, step }: { id: string; userId: string; step: number | null },
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('mfa_factors')
    .set({ confirmed_at: now, last_step: step, last_used_at: now })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('confirmed_at', 'is', null)
    .where('pending_until', '>', now)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Consumes a time step of an authenticator app and all earlier steps (RFC 6238, section 5.2).
 *
 * @param step seconds since 1970, divided by 30
 * @returns false if this step or a later one was already consumed
 */
export async function claimStep(trx: Trx, { id, step }: { id: string; step: number }, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('mfa_factors')
    .set({ last_step: step, last_used_at: now })
    .where('id', '=', id)
    .where('confirmed_at', 'is not', null)
    .where((eb) => eb.or([eb('last_step', 'is', null), eb('last_step', '<', step)]))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function noteFactorUse(trx: Trx, id: string, now: Date): Promise<void> {
  await trx.updateTable('mfa_factors').set({ last_used_at: now }).where('id', '=', id).execute()
}

export async function deleteFactor(trx: Trx, { id, userId }: { id: string; userId: string }): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('mfa_factors')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function pruneFactors(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('mfa_factors').where('confirmed_at', 'is', null).where('pending_until', '<', now).execute()
}

export async function insertRecoveryCodes(trx: Trx, userId: string, hashes: readonly string[]): Promise<void> {
  await trx
    .insertInto('recovery_codes')
    .values(hashes.map((hash) => ({ user_id: userId, code_hash: hash })))
    .execute()
}

export async function removeRecoveryCodes(trx: Trx, userId: string): Promise<void> {
  await trx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
}

/** Returns whether the account has recovery codes, used or not. */
export async function hasRecoveryCodes(trx: Trx, userId: string): Promise<boolean> {
  const row = await trx
    .selectFrom('recovery_codes')
    .select('user_id')
    .where('user_id', '=', userId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export async function countUnusedCodes(db: Db | Trx, userId: string): Promise<number> {
  const { count } = await db
    .selectFrom('recovery_codes')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

/**
 * Consumes a recovery code.
 *
 * @returns false if the code does not exist or was already used
 */
export async function useRecoveryCode(trx: Trx, userId: string, hash: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('recovery_codes')
    .set({ used_at: now })
    .where('user_id', '=', userId)
    .where('code_hash', '=', hash)
    .where('used_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
