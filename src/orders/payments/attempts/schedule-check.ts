import type { Db, Trx } from '../../../platform/db/index.ts'
import { enqueue } from '../../../platform/jobs.ts'

export const CHECK_JOB = 'check-charge'

export interface ChargeToCheck {
  provider: string
  /** Id of the charge at the provider. */
  reference: string
  dispute?: string
}

/** Queues for checks. Each runs one check at a time, so that a provider that hangs does not occupy all job slots. */
const QUEUES = 2

/** Enqueues a check of a charge with its provider. Equal requests that still wait are merged. */
export async function scheduleCheck(db: Db | Trx, charge: ChargeToCheck, runAt?: Date): Promise<void> {
  const { provider, reference, dispute = '' } = charge
  const key = `${CHECK_JOB} ${provider} ${reference} ${dispute}`
  const queue = `${CHECK_JOB} ${(reference.codePointAt(reference.length - 1) ?? 0) % QUEUES}`
  await enqueue(db, CHECK_JOB, charge, { key, queue, ...(runAt === undefined ? {} : { runAt }) })
}
