import type { Db, Trx } from '../../../platform/db/index.ts'
import { defineJob } from '../../../platform/jobs/jobs.ts'
import type { DisputeEnd } from '../../order/disputes.ts'

export interface ChargeToCheck {
  provider: string
  /** Id of the charge at the provider. */
  reference: string
  /** Id of the attempt according to the provider. */
  attemptId?: string
  /** Id of a dispute at the provider. */
  dispute?: string
  /** How the dispute ended. Without it, the dispute has begun. */
  disputeEnd?: DisputeEnd
}

export const checkJob = defineJob<ChargeToCheck>('orders.check_charge', ['check-charge'])

/**
 * Number of queues for checks. Each queue runs one check at a time, so that a provider that hangs does not occupy all
 * job slots.
 */
const QUEUES = 2

/** Enqueues a check that compares a charge with its state at the provider. Equal checks that still wait are merged. */
export async function scheduleCheck(db: Db | Trx, charge: ChargeToCheck, runAt?: Date): Promise<void> {
  const { provider, reference, dispute = '', disputeEnd = '' } = charge
  const key = `${checkJob.name} ${provider} ${reference} ${dispute} ${disputeEnd}`.trimEnd()
  const queue = `${checkJob.name} ${(reference.codePointAt(reference.length - 1) ?? 0) % QUEUES}`
  await checkJob.enqueue(db, charge, { key, queue, ...(runAt === undefined ? {} : { runAt }) })
}
