import type { Db, Trx } from '../../platform/db/index.ts'
import type { Role, StaffRole } from '../../platform/http/core/principal.ts'
import { forgetNewcomer } from '../../platform/newcomers.ts'

/** `customer` and `guest` have no account: they have no email address or password to sign in with. */
export type UserKind = 'account' | 'customer' | 'guest'

export interface User {
  id: string
  kind: UserKind
  /** Normalized; see `email-address.ts`. */
  email: string
  emailVerifiedAt: Date | null
  name: string | null
  /** Language of mails (BCP 47). */
  locale: string | null
  /** Id of the customer in the system of the shop. */
  externalId: string | null
  role: Role
  /** What restricts an operator to a part of the work. */
  staffRole: StaffRole | null
  /** The hash of the password in PHC string format. Null if the account has no password. */
  passwordHash: string | null
  disabledAt: Date | null
  /** The second factors of the account: `totp`, `sms`, `webauthn`. See `refreshMfaMethods`. */
  mfaMethods: string[]
  firstSignInAt: Date | null
  /** Device cookies that were made before this timestamp are invalid. */
  devicesSince: Date | null
  /** Whether the email address was registered with different passwords while it was unverified. */
  passwordContested: boolean
  /** When the user deleted the account. The row stays, because orders refer to it. */
  deletedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

export const USER_COLUMNS = [
  'id',
  'kind',
  'email',
  'email_verified_at as emailVerifiedAt',
  'name',
  'locale',
  'external_id as externalId',
  'role',
  'staff_role as staffRole',
  'password_hash as passwordHash',
  'disabled_at as disabledAt',
  'mfa_methods as mfaMethods',
  'first_sign_in_at as firstSignInAt',
  'devices_since as devicesSince',
  'password_contested as passwordContested',
  'deleted_at as deletedAt',
  'created_at as createdAt',
  'updated_at as updatedAt',
] as const

export const toUser = (
  row: Omit<User, 'role' | 'staffRole' | 'kind'> & { role: string; staffRole: string | null; kind: string },
): User => ({
  ...row,
  kind: row.kind as UserKind,
  role: row.role as Role,
  // A release that knows no staff roles keeps that of an operator whose role it changes.
  staffRole: row.role === 'operator' ? (row.staffRole as StaffRole | null) : null,
})

export async function findUser(db: Db | Trx, id: string): Promise<User | undefined> {
  const row = await db.selectFrom('users').select(USER_COLUMNS).where('id', '=', id).executeTakeFirst()
  return row && toUser(row)
}

export async function findUserByEmail(db: Db | Trx, email: string): Promise<User | undefined> {
  const row = await db.selectFrom('users').select(USER_COLUMNS).where('email', '=', email).executeTakeFirst()
  return row && toUser(row)
}

/**
 * Reads a user and locks the row until the transaction ends. The lock `update` does not lock the key of the row. Other
 * transactions can therefore still insert rows that refer to the user. With a stronger lock, the checks of their
 * foreign keys would wait and could deadlock.
 */
export async function lockUser(trx: Trx, id: string, strength: 'share' | 'update'): Promise<User | undefined> {
  const query = trx.selectFrom('users').select(USER_COLUMNS).where('id', '=', id)
  const row = await (strength === 'share' ? query.forShare() : query.forNoKeyUpdate()).executeTakeFirst()
  return row && toUser(row)
}

export async function lockUserByEmail(trx: Trx, email: string): Promise<User | undefined> {
  const row = await trx
    .selectFrom('users')
    .select(USER_COLUMNS)
    .where('email', '=', email)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row && toUser(row)
}

export interface NewUser {
  id: string
  email: string
  name: string | null
  role: Role
  staffRole?: StaffRole | null
  passwordHash: string | null
  emailVerifiedAt: Date | null
  at: Date
}

/**
 * Adds a user, unless an account has the email address.
 *
 * @returns whether the user was added
 */
export async function insertUser(trx: Trx, user: NewUser): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('users')
    .values({
      id: user.id,
      email: user.email,
      name: user.name,
      role: user.role,
      staff_role: user.staffRole ?? null,
      password_hash: user.passwordHash,
      email_verified_at: user.emailVerifiedAt,
      created_at: user.at,
      updated_at: user.at,
    })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

export interface UserChange {
  email?: string
  name?: string | null
  locale?: string | null
  passwordHash?: string | null
  passwordContested?: boolean
  emailVerifiedAt?: Date
}

/**
 * Changes a user. Returns undefined for an unknown account, and for a deleted account, because its erased data must not
 * be written again.
 */
export async function updateUser(trx: Trx | Db, id: string, change: UserChange, at: Date): Promise<User | undefined> {
  const row = await trx
    .updateTable('users')
    .set({
      updated_at: at,
      ...(change.email === undefined ? {} : { email: change.email }),
      ...(change.name === undefined ? {} : { name: change.name }),
      ...(change.locale === undefined ? {} : { locale: change.locale }),
      ...(change.passwordHash === undefined ? {} : { password_hash: change.passwordHash, devices_since: at }),
      ...(change.passwordContested === undefined ? {} : { password_contested: change.passwordContested }),
      ...(change.emailVerifiedAt === undefined ? {} : { email_verified_at: change.emailVerifiedAt }),
    })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returning(USER_COLUMNS)
    .executeTakeFirst()
  return row && toUser(row)
}

/** Deletes an account and all its data, if its email address was never verified. */
export async function deleteUnverifiedUser(trx: Trx, id: string): Promise<void> {
  await trx.deleteFrom('users').where('id', '=', id).where('email_verified_at', 'is', null).execute()
}

/** Records the first sign-in of a user. For later sign-ins on unknown devices, the user gets a mail. */
export async function noteFirstSignIn(trx: Trx, id: string, at: Date): Promise<void> {
  await trx.updateTable('users').set({ first_sign_in_at: at }).where('id', '=', id).execute()
}

/**
 * Replaces the hash of a password by a hash of the same password with another cost, unless the password was changed
 * since the hash was read.
 */
export async function replaceHash(trx: Trx, id: string, before: string, after: string): Promise<void> {
  await trx
    .updateTable('users')
    .set({ password_hash: after })
    .where('id', '=', id)
    .where('password_hash', '=', before)
    .execute()
}

/** Changes the role and the state of a user. The timestamp lets other nodes find the change. */
export async function updateAccess(
  trx: Trx,
  id: string,
  { role, staffRole, disabledAt }: Pick<User, 'role' | 'staffRole' | 'disabledAt'>,
  at: Date,
): Promise<User | undefined> {
  if (role !== 'customer') await forgetNewcomer(trx, id)
  const row = await trx
    .updateTable('users')
    .set({ role, staff_role: staffRole, disabled_at: disabledAt, access_changed_at: at, updated_at: at })
    .where('id', '=', id)
    .returning(USER_COLUMNS)
    .executeTakeFirst()
  return row && toUser(row)
}

export async function lockAdministrators(trx: Trx): Promise<string[]> {
  const rows = await trx
    .selectFrom('users')
    .select('id')
    .where('role', '=', 'admin')
    .where('disabled_at', 'is', null)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  return rows.map((row) => row.id)
}

export async function listAdministratorContacts(db: Db | Trx): Promise<{ id: string; email: string }[]> {
  return db
    .selectFrom('users')
    .select(['id', 'email'])
    .where('role', '=', 'admin')
    .where('disabled_at', 'is', null)
    .where('email_verified_at', 'is not', null)
    .orderBy('id')
    .execute()
}

export async function listKeyIds(trx: Trx, userId: string): Promise<string[]> {
  const rows = await trx
    .selectFrom('api_keys')
    .select('id')
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .orderBy('id')
    .execute()
  return rows.map((row) => row.id)
}

const SIGN_IN_METHOD_TABLES = [
  'email_tokens',
  'pending_sign_ins',
  'oauth_codes',
  'auth_challenges',
  'mfa_factors',
  'recovery_codes',
  'passkeys',
  'identities',
] as const

export async function deleteSignInMethods(trx: Trx, userId: string, at: Date): Promise<void> {
  for (const table of SIGN_IN_METHOD_TABLES) await trx.deleteFrom(table).where('user_id', '=', userId).execute()
  await trx.deleteFrom('oauth_flows').where('link_user_id', '=', userId).execute()
  await trx
    .updateTable('api_keys')
    .set({ revoked_at: at })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .execute()
  await trx
    .updateTable('users')
    .set({ name: null, password_hash: null, mfa_methods: [], password_contested: false, updated_at: at })
    .where('id', '=', userId)
    .execute()
}
