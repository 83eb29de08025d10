import { type RawBuilder, sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/index.ts'
import { lockName } from '../../platform/db/locking/locks.ts'
import type { PageQuery } from '../../platform/http/responses/pagination.ts'
import type { UserKind } from '../users/store.ts'

export type Metadata = Record<string, string | number | boolean>

/** A user in the role `customer`, with or without an account. */
export interface Customer {
  userId: string
  kind: UserKind
  externalId: string | null
  /** The email address of the account, or the one that the shop entered. */
  email: string | null
  name: string | null
  locale: string | null
  metadata: Metadata | null
  createdAt: Date
  updatedAt: Date
}

const COLUMNS = sql`
  id as "userId", kind, external_id as "externalId", case kind when 'account' then email else contact_email end as email,
  name, locale, metadata, created_at as "createdAt", updated_at as "updatedAt"`

const IS_CUSTOMER = sql`role = 'customer' and deleted_at is null`

export async function findCustomer(db: Db | Trx, userId: string): Promise<Customer | undefined> {
  const { rows } = await sql<Customer>`
    select ${COLUMNS} from users where id = ${userId} and ${IS_CUSTOMER}`.execute(db)
  return rows[0]
}

export async function findCustomerByExternalId(db: Db | Trx, externalId: string): Promise<Customer | undefined> {
  const { rows } = await sql<Customer>`
    select ${COLUMNS} from users where external_id = ${externalId} and ${IS_CUSTOMER}`.execute(db)
  return rows[0]
}

/** Reads and locks a customer until the transaction ends. */
export async function lockCustomer(trx: Trx, userId: string): Promise<Customer | undefined> {
  const { rows } = await sql<Customer>`
    select ${COLUMNS} from users where id = ${userId} and ${IS_CUSTOMER} for no key update`.execute(trx)
  return rows[0]
}

/** Finds when an API key expires. Null for a key that never does, and for a session, whose end is announced. */
export async function findCredentialExpiry(db: Db, credentialId: string): Promise<Date | null> {
  const row = await db
    .selectFrom('api_keys')
    .select('expires_at as expiresAt')
    .where('id', '=', credentialId)
    .executeTakeFirst()
  return row?.expiresAt ?? null
}

export interface CustomerContent {
  externalId: string | null
  email: string | null
  name: string | null
  locale: string | null
  metadata: Metadata | null
}

/**
 * Reserves an external id until the transaction ends. Requests for the same one wait for each other, so that the later
 * one sees the customer of the earlier one.
 */
async function lockExternalId(trx: Trx, externalId: string | null): Promise<void> {
  if (externalId === null) return
  await lockName(trx, `customer ${externalId}`)
}

/** Adds a customer without an account unless the external id is taken. Returns whether it was added. */
export async function insertCustomer(
  trx: Trx,
  { userId, kind, ...content }: CustomerContent & { userId: string; kind: UserKind },
  at: Date,
): Promise<boolean> {
  await lockExternalId(trx, content.externalId)
  const { rows } = await sql`
    insert into users (id, kind, email, role, external_id, contact_email, name, locale, metadata, created_at, updated_at)
    values (${userId}, ${kind}, ${placeholderEmail(userId)}, 'customer', ${content.externalId}, ${content.email},
      ${content.name}, ${content.locale}, ${metadataJson(content)}::jsonb, ${at}, ${at})
    on conflict (external_id) where external_id is not null do nothing
    returning id`.execute(trx)
  return rows.length > 0
}

/** Changes a customer. Returns false if another customer has the external id. */
export async function updateCustomer(
  trx: Trx,
  { userId, kind, ...content }: Pick<Customer, 'userId' | 'kind'> & CustomerContent,
  at: Date,
): Promise<boolean> {
  await lockExternalId(trx, content.externalId)
  const { rows } = await sql`
    update users set external_id = ${content.externalId}, name = ${content.name}, locale = ${content.locale},
      contact_email = ${kind === 'account' ? null : content.email}, metadata = ${metadataJson(content)}::jsonb,
      updated_at = ${at}
    where id = ${userId} and not exists (
      select from users other where other.external_id = ${content.externalId} and other.id <> ${userId})
    returning id`.execute(trx)
  return rows.length > 0
}

/** Not a valid email address, so it can neither be registered nor used to sign in. */
function placeholderEmail(userId: string): string {
  return `customer:${userId}`
}

function metadataJson({ metadata }: Pick<CustomerContent, 'metadata'>): string | null {
  return metadata === null ? null : JSON.stringify(metadata)
}

export interface CustomerFilter {
  externalId?: string | undefined
  /** Normalized. */
  email?: string | undefined
  /** Words of external id, name or email address; each word matches as a prefix. */
  words?: string | undefined
}

/** Lists customers, newest first: one more than the limit, which shows whether another page follows. */
export async function listCustomers(
  db: Db,
  filter: CustomerFilter,
  query: PageQuery,
  after: string | undefined,
): Promise<Customer[]> {
  const conditions: RawBuilder<unknown>[] = [IS_CUSTOMER]
  if (after !== undefined) conditions.push(sql`id < ${after}`)
  if (filter.externalId !== undefined) conditions.push(sql`external_id = ${filter.externalId}`)
  if (filter.email !== undefined) {
    const isAccount = sql`(email = ${filter.email} and kind = 'account')`
    conditions.push(sql`(${isAccount} or (contact_email = ${filter.email} and kind <> 'account'))`)
  }
  if (filter.words !== undefined) conditions.push(matchesWords(filter.words))
  const { rows } = await sql<Customer>`
    select ${COLUMNS} from users where ${sql.join(conditions, sql` and `)}
    order by id desc limit ${query.limit + 1}`.execute(db)
  return rows
}

/** Reads the matching ids from the index first. Otherwise the planner may scan all customers for an early match. */
function matchesWords(words: string): RawBuilder<unknown> {
  return sql`id = any (array(
    select id from users
    where customer_search(external_id, name, case kind when 'account' then email else contact_email end)
      @@ search_query(${words}) and ${IS_CUSTOMER}))`
}
