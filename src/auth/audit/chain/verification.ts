import { Gauge, type Registry } from 'prom-client'
import type { Clock } from '../../../platform/clock.ts'
import type { Db, Trx } from '../../../platform/db/index.ts'
import { defineJob, type JobDefinition } from '../../../platform/jobs/jobs.ts'
import type { Log } from '../../../platform/telemetry/log.ts'
import type { KeyDerivation } from '../../keys/secrets.ts'
import type { Sealer } from './sealer.ts'
import {
  type AuditVerification,
  readVerification,
  readVerifiedHead,
  storeVerification,
  storeVerificationRequest,
} from './verification-store.ts'
import { type RecordVerdict, verifyRecord } from './verify.ts'

export interface VerificationDeps {
  db: Db
  clock: Clock
  log: Log
  sealer: Pick<Sealer, 'sealNow'>
  keys: KeyDerivation
}

const VERIFY = defineJob('auth.verify_events')

/** Verifies all security events every day, after the job that removes old ones, and when an administrator requests it. */
export function verificationJob(deps: VerificationDeps): JobDefinition {
  const verify: JobDefinition['handle'] = async (_, attempt) => {
    const { db, clock, log, sealer, keys } = deps
    const startedAt = clock.now()
    await sealer.sealNow()
    const verdict = await verifySinceLast(db, keys, attempt?.signal)
    await storeVerification(db, verdict, { startedAt, endedAt: clock.now() })
    if (!verdict.isSound) log.error({ fault: verdict.fault, ...verdict.place }, 'the security events were changed')
  }
  // The seals of a long log keep the processor busy for seconds.
  return VERIFY.handledBy((payload, attempt) => verify(payload, attempt), { cron: '57 3 * * *', isHeavy: true })
}

/** Verifies the chain, which must still contain the newest event of the last verification without a fault. */
async function verifySinceLast(db: Db, keys: KeyDerivation, signal: AbortSignal | undefined): Promise<RecordVerdict> {
  const head = await readVerifiedHead(db)
  const verdict = await verifyRecord(db, keys, head, signal)
  const isHeadRemoved = !verdict.isSound && verdict.fault === 'head_too_old'
  return isHeadRemoved ? verifyRecord(db, keys, undefined, signal) : verdict
}

/** Lets a job runner verify the events soon. A request that waits already is not repeated. */
export async function requestVerification(trx: Trx, now: Date): Promise<AuditVerification> {
  await storeVerificationRequest(trx, now)
  await VERIFY.enqueue(trx, {}, { key: VERIFY.name })
  return readVerification(trx)
}

/** Reports the last verification, as every process reads it from the database. */
export function measureVerification(db: Db, registry: Registry): void {
  const gauge = (name: string, help: string, read: (last: AuditVerification, verifiedAt: Date) => number): Gauge =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const last = await readVerification(db).catch(() => undefined)
        // Without a value, an alert on a missing metric can fire.
        if (last?.verifiedAt == null) this.remove()
        else this.set(read(last, last.verifiedAt))
      },
    })
  gauge(
    'platen_audit_log_sound',
    '1 if the last verification of the security events found no fault, otherwise 0. Missing before the first one.',
    ({ fault }) => (fault === null ? 1 : 0),
  )
  gauge(
    'platen_audit_log_verified_timestamp_seconds',
    'When the last verification of the security events ended.',
    (_, verifiedAt) => verifiedAt.getTime() / 1000,
  )
}
