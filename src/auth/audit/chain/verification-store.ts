import { sql } from 'kysely'
import type { Db, Trx } from '../../../platform/db/index.ts'
import type { ChainPoint } from './store.ts'
import type { Fault, RecordVerdict } from './verify.ts'

/** What is known about the chain since its last verification. */
export interface AuditVerification {
  /** When a verification was requested that has not ended. */
  requestedAt: Date | null
  /** When the last verification ended. Null before the first one. */
  verifiedAt: Date | null
  /** Number of events that it verified, up to the first fault. */
  entries: number
  fault: { kind: Fault; sequence: number; eventId: string | null } | null
}

export async function readVerification(db: Db | Trx): Promise<AuditVerification> {
  const row = await db
    .selectFrom('security_chain_verification')
    .select(['requested_at', 'verified_at', 'entries', 'fault', 'fault_sequence', 'fault_event_id'])
    .executeTakeFirst()
  const { requested_at, verified_at, entries, fault, fault_sequence, fault_event_id } = row ?? {}
  return {
    requestedAt: requested_at ?? null,
    verifiedAt: verified_at ?? null,
    entries: entries ?? 0,
    fault:
      fault == null ? null : { kind: fault as Fault, sequence: fault_sequence ?? 0, eventId: fault_event_id ?? null },
  }
}

/** Stores that a verification was requested. A request that waits already keeps its time. */
export async function storeVerificationRequest(trx: Trx, now: Date): Promise<void> {
  await trx
    .insertInto('security_chain_verification')
    .values({ requested_at: now })
    .onConflict((conflict) =>
      conflict.column('only_row').doUpdateSet((eb) => ({
        requested_at: eb.fn.coalesce('security_chain_verification.requested_at', eb.val(now)),
      })),
    )
    .execute()
}

/** Reads the newest event of the last verification without a fault. */
export async function readVerifiedHead(db: Db): Promise<ChainPoint | undefined> {
  const row = await db
    .selectFrom('security_chain_verification')
    .select(['head_sequence', 'head_seal'])
    .executeTakeFirst()
  if (row?.head_sequence == null || row.head_seal === null) return undefined
  return { sequence: row.head_sequence, seal: row.head_seal }
}

/** Stores the result of a verification. A request that arrived after it started stays, because its job still runs. */
export async function storeVerification(
  db: Db,
  verdict: RecordVerdict,
  { startedAt, endedAt }: { startedAt: Date; endedAt: Date },
): Promise<void> {
  const result = {
    verified_at: endedAt,
    entries: verdict.rows,
    fault: verdict.isSound ? null : verdict.fault,
    fault_sequence: verdict.isSound ? null : verdict.place.sequence,
    fault_event_id: verdict.isSound ? null : verdict.place.id,
    // After a fault the earlier head stays, so that a truncated log does not count as complete the next day.
    ...(verdict.isSound ? { head_sequence: verdict.head.sequence, head_seal: verdict.head.seal } : {}),
  }
  await db
    .insertInto('security_chain_verification')
    .values(result)
    .onConflict((conflict) =>
      conflict.column('only_row').doUpdateSet({
        ...result,
        requested_at: sql`case when security_chain_verification.requested_at > ${startedAt}
          then security_chain_verification.requested_at end`,
      }),
    )
    .execute()
}
