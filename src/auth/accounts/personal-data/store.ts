import { type RawBuilder, sql } from 'kysely'
import type { Db, Trx } from '../../../platform/db/index.ts'
import { forgetNewcomer } from '../../../platform/newcomers.ts'
import { keepFormerUseForNetwork } from '../../../platform/storage/index.ts'

interface RecordsOfTable {
  columns: RawBuilder<unknown>
  table: string
  /** Column that the export returns as `id`. */
  id: string
}

/**
 * Tables with records of a user, by the names that the records have in the export. None of the selected columns is a
 * credential.
 */
const OWN_RECORDS = {
  sessions: {
    table: 'sessions',
    id: 'id',
    columns: sql`id, ip_address as "ipAddress", user_agent as "userAgent", created_at as "createdAt",
      authenticated_at as "authenticatedAt", authentication_methods as "authenticationMethods",
      last_seen_at as "lastSeenAt", expires_at as "expiresAt", ended_at as "endedAt", end_reason as "endReason"`,
  },
  apiKeys: {
    table: 'api_keys',
    id: 'id',
    columns: sql`id, name, permissions, start, last4, created_at as "createdAt", expires_at as "expiresAt",
      last_used_at as "lastUsedAt", revoked_at as "revokedAt"`,
  },
  factors: {
    table: 'mfa_factors',
    id: 'id',
    columns: sql`id, method, phone_number as "phoneNumber", created_at as "createdAt", confirmed_at as "confirmedAt",
      last_used_at as "lastUsedAt"`,
  },
  passkeys: {
    table: 'passkeys',
    id: 'id',
    columns: sql`id, name, encode(credential_id, 'base64') as "credentialId", transports, device_type as "deviceType",
      backed_up as "backedUp", created_at as "createdAt", last_used_at as "lastUsedAt"`,
  },
  identities: {
    table: 'identities',
    id: 'provider',
    columns: sql`provider as id, provider, subject, label, created_at as "createdAt", last_used_at as "lastUsedAt"`,
  },
} as const satisfies Record<string, RecordsOfTable>
export type OwnRecords = keyof typeof OWN_RECORDS
export const OWN_RECORDS_NAMES = Object.keys(OWN_RECORDS) as OwnRecords[]

/** Lists a page of a user's records of one kind in the order of ids, starting after the id `after`. */
export async function listOwnRecords(
  db: Db,
  kind: OwnRecords,
  { userId, after = '', limit }: { userId: string; after: string | undefined; limit: number },
): Promise<{ id: string }[]> {
  const { columns, table, id } = OWN_RECORDS[kind]
  const { rows } = await sql<{ id: string }>`
    select ${columns} from ${sql.table(table)} where user_id = ${userId} and ${sql.ref(id)} > ${after}
    order by ${sql.ref(id)} limit ${limit}`.execute(db)
  return rows
}

export async function listPhoneNumbers(trx: Trx, userId: string): Promise<string[]> {
  const rows = await trx
    .selectFrom('mfa_factors')
    .select('phone_number')
    .where('user_id', '=', userId)
    .where('phone_number', 'is not', null)
    .execute()
  return rows.flatMap(({ phone_number }) => (phone_number === null ? [] : [phone_number]))
}

/**
 * Deletes the API keys, the network and the passkey handle of an account whose credentials were removed, and deletes its IP
 * addresses, user agents and id from other rows, with the invitations that it accepted. The rows of its sessions stay until they are pruned, because a request
 * to refresh a session may be waiting for one.
 */
export async function deleteTraces(trx: Trx, userId: string): Promise<void> {
  await trx.updateTable('sessions').set({ ip_address: '', user_agent: '' }).where('user_id', '=', userId).execute()
  await trx.deleteFrom('api_keys').where('user_id', '=', userId).execute()
  await keepFormerUseForNetwork(trx, userId)
  await forgetNewcomer(trx, userId)
  await trx.deleteFrom('passkey_handles').where('user_id', '=', userId).execute()
  await trx.deleteFrom('invitations').where('accepted_by', '=', userId).execute()
  await trx.deleteFrom('factor_resets').where('user_id', '=', userId).execute()
  await trx.updateTable('sms_history').set({ user_id: null }).where('user_id', '=', userId).execute()
}

const EVENTS_AT_ONCE = 500

/**
 * Removes the personal part from all security events that the user caused or that concern the user. The events and the
 * digests of the personal parts stay.
 */
export async function erasePersonalParts(db: Db | Trx, userId: string): Promise<void> {
  for (const isTheirs of [sql`user_id = ${userId}`, sql`actor = ${userId} and actor <> user_id`]) {
    for (let erased = EVENTS_AT_ONCE; erased === EVENTS_AT_ONCE; ) {
      const { numAffectedRows } = await sql`
        update security_events set personal = null, personal_salt = null
        where id in (
          select id from security_events where ${isTheirs} and personal is not null limit ${EVENTS_AT_ONCE}::int
        )`.execute(db)
      erased = Number(numAffectedRows)
    }
  }
}

/**
 * Removes everything from the row of a user but the id, to which orders refer. The email address can then be registered
 * again.
 */
export async function anonymizeUser(trx: Trx, userId: string, at: Date): Promise<void> {
  await trx
    .updateTable('users')
    .set({
      // Not a valid email address, so it cannot be registered.
      email: `deleted:${userId}`,
      name: null,
      external_id: null,
      contact_email: null,
      locale: null,
      metadata: null,
      role: 'customer',
      first_sign_in_at: null,
      disabled_at: at,
      deleted_at: at,
      access_changed_at: at,
      updated_at: at,
    })
    .where('id', '=', userId)
    .execute()
}

/** Records who got the records of a closed user. */
export async function setHeir(trx: Trx, userId: string, heirId: string): Promise<void> {
  await trx.updateTable('users').set({ merged_into: heirId }).where('id', '=', userId).execute()
}

/**
 * Finds the user that has the records of a closed one, after any number of merges. Undefined if the records went to no
 * other user, or if that user was deleted.
 */
export async function findHeir(trx: Trx, userId: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    with recursive heirs (id, merged_into, deleted_at) as (
      select id, merged_into, deleted_at from users where id = ${userId}
      union
      select u.id, u.merged_into, u.deleted_at from users u join heirs h on u.id = h.merged_into
    )
    select id from heirs where deleted_at is null`.execute(trx)
  return rows[0]?.id
}

/** Lists the users that were deleted before a timestamp and may still have data to erase. */
export async function listErasable(db: Db, deletedBefore: Date, after: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('users')
    .select('id')
    .where('deleted_at', '<', deletedBefore)
    .where('erased_at', 'is', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

export async function markErased(trx: Trx, userId: string, at: Date): Promise<void> {
  await trx.updateTable('users').set({ erased_at: at }).where('id', '=', userId).execute()
}
