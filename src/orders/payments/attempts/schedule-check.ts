import type { Db, Trx } from '../../../platform/db/index.ts'
import { enqueue } from '../../../platform/jobs.ts'

export const CHECK_JOB = 'check-charge'

export interface ChargeToCheck {
  provider: string
  /** What the provider calls the charge. */
  reference: string
  /** What the provider calls a dispute that was opened about it. */
  dispute?: string
}

/** Looks at charges go one after another in as many queues, so that a provider that hangs leaves places to other jobs. */
const QUEUES = 2

/** Has somebody look at a charge soon. Asked for several times while nobody has yet: once. */
export async function scheduleCheck(db: Db | Trx, charge: ChargeToCheck, runAt?: Date): Promise<void> {
  const { provider, reference, dispute = '' } = charge
  const key = `${CHECK_JOB} ${provider} ${reference} ${dispute}`
  const queue = `${CHECK_JOB} ${(reference.codePointAt(reference.length - 1) ?? 0) % QUEUES}`
  await enqueue(db, CHECK_JOB, charge, { key, queue, ...(runAt === undefined ? {} : { runAt }) })
}
