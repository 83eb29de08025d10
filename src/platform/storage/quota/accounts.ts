import { sql } from 'kysely'
import type { Db, Trx } from '../../db/index.ts'
import type { StorageUse } from './storage-use.ts'
import { findUsage, recordUsage } from './store.ts'

/** The storage of one account. */
export interface StorageAccount extends StorageUse {
  ownerId: string
  /** The own limit of the account. Null: the default. */
  ownQuota: number | null
}

/** A place in the list: the last account of the page before, with the bytes by which the list is sorted. */
export interface UsagePlace {
  ownerId: string
  bytes: number
}

export interface ListedAccount extends StorageAccount {
  place: UsagePlace
}

/** What administrators see of the storage of all accounts. */
export interface StorageAccounts {
  /** The limit of accounts without their own. Null: no limit. */
  defaultQuota: number | null
  find(ownerId: string): Promise<StorageAccount>
  /** Lists accounts that have stored something, those that store the most first. */
  list(limit: number, after: UsagePlace | undefined): Promise<ListedAccount[]>
  /** Sums what all accounts store, without uploads in progress. Reads the counter of every account. */
  sum(): Promise<number>
}

interface Deps {
  db: Db
  quotaBytes: number | undefined
  read(ownerId: string): Promise<StorageUse>
}

export function createStorageAccounts({ db, quotaBytes, read }: Deps): StorageAccounts {
  const defaultQuota = quotaBytes ?? null
  return {
    defaultQuota,
    find: async (ownerId) => ({ ownerId, ...(await read(ownerId)), ownQuota: await findOwnQuota(db, ownerId) }),
    list: async (limit, after) => {
      const accounts: ListedAccount[] = []
      for (const { ownerId, bytes, reserved, isReconciled, ownQuota } of await listUsage(db, limit, after)) {
        // Only accounts from before the counters existed, or whose records were moved, are counted again.
        const used = isReconciled ? Math.max(0, bytes + reserved) : (await read(ownerId)).used
        accounts.push({ ownerId, used, quota: ownQuota ?? defaultQuota, ownQuota, place: { ownerId, bytes } })
      }
      return accounts
    },
    sum: async () => {
      const { rows } = await sql<{ bytes: number }>`
        select greatest(0, coalesce(sum(bytes), 0))::bigint as bytes from storage_usage`.execute(db)
      return rows[0]?.bytes ?? 0
    },
  }
}

interface UsageRow {
  ownerId: string
  bytes: number
  /** Bytes of uploads in progress. */
  reserved: number
  isReconciled: boolean
  ownQuota: number | null
}

/** Leaves out deleted and merged accounts that store nothing. They have a row until their last request has ended. */
async function listUsage(db: Db, limit: number, after: UsagePlace | undefined): Promise<UsageRow[]> {
  const isLater =
    after === undefined ? sql`true` : sql`(u.bytes, u.owner_id) < (${after.bytes}::bigint, ${after.ownerId})`
  const { rows } = await sql<UsageRow>`
    select u.owner_id as "ownerId", u.bytes, u.reconciled_at is not null as "isReconciled", u.quota_bytes as "ownQuota",
      (select coalesce(sum(r.bytes), 0)::bigint from storage_reservations r
       where r.owner_id = u.owner_id and r.expires_at > clock_timestamp()) as reserved
    from storage_usage u
    where ${isLater} and (u.bytes > 0 or not exists (
      select from users where users.id = u.owner_id and users.deleted_at is not null))
    order by u.bytes desc, u.owner_id desc limit ${limit}`.execute(db)
  return rows
}

/** Returns the own limit of an account, or null if it has the default. */
export async function findOwnQuota(db: Db | Trx, ownerId: string): Promise<number | null> {
  return (await findUsage(db, ownerId))?.quotaBytes ?? null
}

/**
 * Gives an account a limit of its own, or the default again. An account that stores more than its limit keeps what it
 * has. The usage row stays locked until the transaction ends, so take this lock last.
 */
export async function changeOwnQuota(trx: Trx, ownerId: string, quotaBytes: number | null): Promise<void> {
  await recordUsage(trx, ownerId, 0)
  await sql`update storage_usage set quota_bytes = ${quotaBytes} where owner_id = ${ownerId}`.execute(trx)
}
