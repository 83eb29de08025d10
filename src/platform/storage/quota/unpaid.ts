import { sql } from 'kysely'
import { addSeconds } from '../../clock.ts'
import type { Db, Trx } from '../../db/index.ts'
import { storageProblems } from '../objects/problems.ts'
import { recordUsage } from './store.ts'

const UNPAID_SECONDS = 24 * 3600

/** Something that an account adds before it pays for it. */
export interface UnpaidAddition {
  ownerId: string
  /** Id of what is paid for later, or the token of the lease under which it is made. Repeated charges add up. */
  subject: string
  /** Of files and of rows in the database, also of those that are added later. May be an estimate. */
  bytes: number
  now: Date
  /** Default: 24 hours from `now`. */
  until?: Date
}

/** Bounds what an account adds within 24 hours without paying for it. This is counted apart from what it stores. */
export interface UnpaidBound {
  /** @throws `storage_quota_exceeded` */
  charge(trx: Trx, addition: UnpaidAddition): Promise<void>
  /** Charges an addition if there is room for it, and tells whether there was. */
  tryCharge(trx: Trx, addition: UnpaidAddition): Promise<boolean>
}

export const UNBOUNDED: UnpaidBound = { charge: async () => undefined, tryCharge: async () => true }

/**
 * @param quotaBytes what an account may add. Undefined: any amount
 */
export function createUnpaidBound(quotaBytes: number | undefined): UnpaidBound {
  if (quotaBytes === undefined) return UNBOUNDED
  return {
    charge: async (trx, addition) => {
      const { isAdmitted, used } = await admit(trx, addition, quotaBytes)
      if (isAdmitted) return insertUnpaid(trx, addition)
      throw storageProblems.storage_quota_exceeded({
        members: { used, quota: quotaBytes },
        detail:
          'Finalized designs, quotes and orders that were not paid for count for 24 hours. Pay for an order, or try again later.',
      })
    },
    tryCharge: async (trx, addition) => {
      const { isAdmitted } = await admit(trx, addition, quotaBytes)
      if (isAdmitted) await insertUnpaid(trx, addition)
      return isAdmitted
    },
  }
}

/** The bound for a caller. Operators and administrators order for others: they have none. */
export function unpaidBoundFor({ role }: { role: string }, { unpaid }: { unpaid: UnpaidBound }): UnpaidBound {
  return role === 'customer' ? unpaid : UNBOUNDED
}

/** The total of an account does not fall when something is paid for or stops counting, until it is counted again. */
const RECOUNT_SECONDS = 3600

interface Admission {
  isAdmitted: boolean
  /** Exact if the addition is not admitted. */
  used: number
}

/**
 * Adds an addition to the total of its account if there is room for it. The total is an upper bound: only an addition
 * that does not fit counts all rows. Locks the row of the account until the transaction ends, so that two additions at
 * once are checked one after the other.
 */
async function admit(trx: Trx, { ownerId, bytes, now }: UnpaidAddition, quotaBytes: number): Promise<Admission> {
  const { rows } = await sql<{ total: number }>`
    update storage_usage set unpaid_bytes = unpaid_bytes + ${bytes}
    where owner_id = ${ownerId} and unpaid_bytes + ${bytes} <= ${quotaBytes}
      and unpaid_counted_at > ${addSeconds(now, -RECOUNT_SECONDS)}
    returning unpaid_bytes as total`.execute(trx)
  if (rows[0] !== undefined) return { isAdmitted: true, used: rows[0].total - bytes }
  const used = await countUnpaid(trx, { ownerId, now })
  const isAdmitted = used + bytes <= quotaBytes
  await sql`
    update storage_usage set unpaid_bytes = ${isAdmitted ? used + bytes : used}, unpaid_counted_at = ${now}
    where owner_id = ${ownerId}`.execute(trx)
  return { isAdmitted, used }
}

async function countUnpaid(trx: Trx, { ownerId, now }: Pick<UnpaidAddition, 'ownerId' | 'now'>): Promise<number> {
  // A statement of its own: one that waits for the row would show the other table as it was before the wait.
  await recordUsage(trx, ownerId, 0)
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(bytes), 0)::bigint as bytes from storage_unpaid
    where owner_id = ${ownerId} and counts_until > ${now}`.execute(trx)
  return rows[0]?.bytes ?? 0
}

async function insertUnpaid(trx: Trx, { ownerId, subject, bytes, now, until }: UnpaidAddition): Promise<void> {
  await sql`
    insert into storage_unpaid as u (subject, owner_id, bytes, counts_until)
    values (${subject}, ${ownerId}, ${bytes}, ${until ?? addSeconds(now, UNPAID_SECONDS)})
    on conflict (subject) do update set bytes = u.bytes + excluded.bytes, counts_until = excluded.counts_until`.execute(
    trx,
  )
}

/** Has an addition count longer, where there is one. */
export async function extendUnpaid(db: Db | Trx, subject: string, until: Date): Promise<void> {
  await sql`update storage_unpaid set counts_until = ${until} where subject = ${subject}`.execute(db)
}

/**
 * Replaces an estimate, where there is one, by what was added in the end. It counts for 24 hours from now. Locks the row
 * of the account.
 */
export async function settleUnpaid(
  trx: Trx,
  estimated: string,
  { subject, bytes, now }: Omit<UnpaidAddition, 'ownerId'>,
): Promise<void> {
  // The total includes the estimate unless that has expired, so it stays an upper bound.
  await sql`
    with settled as (
      update storage_unpaid set subject = ${subject}, bytes = ${bytes}, counts_until = ${addSeconds(now, UNPAID_SECONDS)}
      where subject = ${estimated} returning owner_id
    )
    update storage_usage u set unpaid_bytes = u.unpaid_bytes + ${bytes} from settled where u.owner_id = settled.owner_id`.execute(
    trx,
  )
}

/** Stops counting what was paid for or given up. */
export async function forgetUnpaid(db: Db | Trx, subjects: readonly string[]): Promise<void> {
  // In one order everywhere: two orders of the same designs may be paid for at the same moment.
  await sql`
    delete from storage_unpaid where subject in (
      select subject from storage_unpaid where subject = any(${[...subjects]}) order by subject for update)`.execute(db)
}

/** Deletes what has not counted for a day: until then, a job may continue under a lease that ended. */
export async function deleteExpiredUnpaid(db: Db): Promise<void> {
  await sql`delete from storage_unpaid where counts_until < now() - interval '1 day'`.execute(db)
}
