import { type RawBuilder, sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/index.ts'
import { httpProblems } from '../../platform/http/core/problems.ts'
import type { Problem } from '../../platform/problem.ts'

/**
 * Limits of the operations of an account that add rows or send mails. All credentials of the account and all processes
 * count together.
 */
export const OPERATION_LIMITS = {
  /**
   * Payment attempts that took no money. Each adds an event with the whole order, and a card that is declined more often
   * is probably being tested.
   */
  attempt_payment: { max: 20, seconds: 3600 },
  /**
   * The same for all guests of one network together, because a client may open any number of guests. Many customers can
   * have one IP address.
   */
  attempt_payment_of_guests: { max: 600, seconds: 3600 },
  /** Changes of the password, second factors, passkeys and linked identities. */
  change_credentials: { max: 60, seconds: 3600 },
  /** Attempts to change the password, each of which hashes two. Wrong passwords block the account earlier. */
  change_password: { max: 20, seconds: 60 },
  /** Claims of guests, also refused ones. Each may read and move hundreds of records. */
  claim_guest: { max: 60, seconds: 3600 },
  confirm: { max: 10, seconds: 60 },
  /**
   * Requests to continue a payment that waits for its customer. Each asks the payment provider, which limits the requests
   * of all customers of the shop together.
   */
  continue_payment: { max: 60, seconds: 600 },
  export: { max: 10, seconds: 3600 },
  /** Invitations, and requests to remove the second factors of users. */
  invite: { max: 200, seconds: 3600 },
  /** Test mails that administrators send to themselves. */
  send_test_mail: { max: 20, seconds: 3600 },
  reset_factors: { max: 20, seconds: 3600 },
  issue_api_key: { max: 20, seconds: 3600 },
  /** API keys of operators and administrators, whose programs may replace many keys. */
  issue_staff_api_key: { max: 200, seconds: 3600 },
  /**
   * Refreshes of customers, each of which adds a token and a security event. A browser refreshes when it loads a page,
   * so this is a page every five seconds. Refreshes of operators and administrators are not limited.
   */
  refresh: { max: 120, seconds: 600 },
  /** Sign-ins of customers. Sign-ins of operators and administrators are not limited. */
  sign_in: { max: 300, seconds: 3600 },
  /** Test events of webhook endpoints. Each adds a delivery, and a request that may take 15 seconds. */
  test_webhook: { max: 60, seconds: 3600 },
  test_staff_webhook: { max: 600, seconds: 3600 },
  /** Replays of webhook endpoints, each of which adds up to 10,000 deliveries in one transaction. */
  replay_webhook: { max: 60, seconds: 3600 },
  replay_staff_webhook: { max: 600, seconds: 3600 },
} as const

const LONGEST_SECONDS = 3600

export type LimitedOperation = keyof typeof OPERATION_LIMITS

interface OfAccount {
  userId: string
  operation: LimitedOperation
}

/**
 * Counts an operation of an account. If the transaction is rolled back, the operation does not count.
 *
 * @throws `rate_limited` with the number of seconds until the next operation is possible
 */
export async function limitOperation(db: Db | Trx, { userId, operation }: OfAccount, now: Date): Promise<void> {
  const { rows } = await countOperation(operation, sql`(select ${userId}::text as user_id) as caller`, now).execute(db)
  if (rows.length === 0) throw await operationLimited(db, { userId, operation }, now)
}

/**
 * SQL that counts an operation in a statement that also does it. It returns a row if the limit allows the operation.
 *
 * @param caller follows `from`, and has the column `user_id` of one row, or of none if nothing is to be counted
 */
export function countOperation(
  operation: LimitedOperation,
  caller: RawBuilder<unknown>,
  now: Date,
): RawBuilder<{ user_id: string }> {
  const { max, seconds } = OPERATION_LIMITS[operation]
  return sql`
    insert into account_operations as o (user_id, operation, performed_at)
    select user_id, ${operation}::text, array[${now}::timestamptz] from ${caller}
    on conflict (user_id, operation) do update set
      performed_at = (excluded.performed_at || o.performed_at)[1:${sql.lit(max)}]
    where o.performed_at[${sql.lit(max)}] is null
      or o.performed_at[${sql.lit(max)}] <= ${new Date(now.getTime() - seconds * 1000)}::timestamptz
    returning o.user_id`
}

/** Returns the error for an operation that `countOperation` has not counted. */
export async function operationLimited(db: Db | Trx, { userId, operation }: OfAccount, now: Date): Promise<Problem> {
  const { seconds, max } = OPERATION_LIMITS[operation]
  const present = await sql<{ oldest: Date | null }>`
    select performed_at[${sql.lit(max)}] as oldest from account_operations
    where user_id = ${userId} and operation = ${operation}`.execute(db)
  const untilMs = (present.rows[0]?.oldest ?? now).getTime() + seconds * 1000
  const retryAfter = Math.max(1, Math.ceil((untilMs - now.getTime()) / 1000))
  return httpProblems.rate_limited({ headers: { 'Retry-After': String(retryAfter) } })
}

/** Stops counting an operation of an account, if it was counted at this time. */
export async function uncountOperation(trx: Trx, { userId, operation }: OfAccount, at: Date): Promise<void> {
  await sql`
    update account_operations set performed_at = array_remove(performed_at, ${at}::timestamptz)
    where user_id = ${userId} and operation = ${operation}`.execute(trx)
}

export async function dropOperations(trx: Trx, userId: string): Promise<void> {
  await trx.deleteFrom('account_operations').where('user_id', '=', userId).execute()
}

export async function pruneOperations(db: Db, now: Date): Promise<void> {
  const before = new Date(now.getTime() - LONGEST_SECONDS * 1000)
  // The array is empty if its last operation no longer counts.
  await sql`delete from account_operations where coalesce(performed_at[1] < ${before}, true)`.execute(db)
}
