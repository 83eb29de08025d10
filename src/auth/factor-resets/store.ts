import { type RawBuilder, sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/index.ts'
import type { PageQuery } from '../../platform/http/responses/pagination.ts'

export const FACTOR_RESET_STATUSES = ['waiting', 'completed', 'stopped'] as const
export type FactorResetStatus = (typeof FACTOR_RESET_STATUSES)[number]

/** A request of an administrator to remove the second factors of a user who has lost them. */
export interface FactorReset {
  id: string
  userId: string
  startedBy: string
  /** The other administrator; null while the request waits, and if the waiting time completed it. */
  confirmedBy: string | null
  startedAt: Date
  /** When the request is completed without a confirmation. */
  dueAt: Date
  completedAt: Date | null
  stoppedAt: Date | null
}

const COLUMNS = [
  'id',
  'user_id as userId',
  'started_by as startedBy',
  'confirmed_by as confirmedBy',
  'started_at as startedAt',
  'due_at as dueAt',
  'completed_at as completedAt',
  'stopped_at as stoppedAt',
] as const

export type NewFactorReset = Pick<FactorReset, 'id' | 'userId' | 'startedBy' | 'startedAt' | 'dueAt'> & {
  stopTokenHash: string
}

/** Adds a request. Returns undefined if one for the user is open. */
export async function insertFactorReset(trx: Trx, reset: NewFactorReset): Promise<FactorReset | undefined> {
  return trx
    .insertInto('factor_resets')
    .values({
      id: reset.id,
      user_id: reset.userId,
      stop_token_hash: reset.stopTokenHash,
      started_by: reset.startedBy,
      started_at: reset.startedAt,
      due_at: reset.dueAt,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning(COLUMNS)
    .executeTakeFirst()
}

export async function findFactorReset(db: Db | Trx, id: string): Promise<FactorReset | undefined> {
  return db.selectFrom('factor_resets').select(COLUMNS).where('id', '=', id).executeTakeFirst()
}

export async function findByStopToken(db: Db | Trx, stopTokenHash: string): Promise<FactorReset | undefined> {
  return db
    .selectFrom('factor_resets')
    .select(COLUMNS)
    .where('stop_token_hash', '=', stopTokenHash)
    .where('completed_at', 'is', null)
    .where('stopped_at', 'is', null)
    .executeTakeFirst()
}

/** Locks an open request. Lock its user first. Returns undefined if it has ended. */
export async function lockOpenReset(trx: Trx, id: string): Promise<FactorReset | undefined> {
  return trx
    .selectFrom('factor_resets')
    .select(COLUMNS)
    .where('id', '=', id)
    .where('completed_at', 'is', null)
    .where('stopped_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
}

/** Ends an open request. Give either `completedAt` or `stoppedAt`. */
export async function endReset(
  trx: Trx,
  id: string,
  end: { completedAt: Date; confirmedBy: string | null } | { stoppedAt: Date },
): Promise<FactorReset> {
  const values =
    'stoppedAt' in end
      ? { stopped_at: end.stoppedAt }
      : { completed_at: end.completedAt, confirmed_by: end.confirmedBy }
  return trx.updateTable('factor_resets').set(values).where('id', '=', id).returning(COLUMNS).executeTakeFirstOrThrow()
}

const CONDITIONS: Readonly<Record<FactorResetStatus, RawBuilder<boolean>>> = {
  waiting: sql`completed_at is null and stopped_at is null`,
  completed: sql`completed_at is not null`,
  stopped: sql`stopped_at is not null`,
}

/** Lists requests, newest first: one more than the limit if another page follows. */
export async function listFactorResets(
  db: Db,
  { status, userId }: { status?: FactorResetStatus | undefined; userId?: string | undefined },
  query: PageQuery,
  after: string | undefined,
): Promise<FactorReset[]> {
  return db
    .selectFrom('factor_resets')
    .select(COLUMNS)
    .$if(status !== undefined, (list) => list.where(CONDITIONS[status ?? 'waiting']))
    .$if(userId !== undefined, (list) => list.where('user_id', '=', userId ?? ''))
    .$if(after !== undefined, (list) => list.where('id', '<', after ?? ''))
    .orderBy('id', 'desc')
    .limit(query.limit + 1)
    .execute()
}

/** Removes every second factor of an account: apps, telephone numbers, passkeys and recovery codes. */
export async function deleteFactors(trx: Trx, userId: string): Promise<void> {
  for (const table of ['mfa_factors', 'passkeys', 'recovery_codes', 'auth_challenges'] as const)
    await trx.deleteFrom(table).where('user_id', '=', userId).execute()
}
