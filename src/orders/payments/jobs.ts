import type { Db } from '../../platform/db/index.ts'
import { enqueue, type JobDefinition } from '../../platform/jobs.ts'
import { type ChargeToCheck, checkCharge, finishPayments } from './finish-attempts.ts'
import { FINISH_JOB } from './make-way.ts'
import type { PaymentDeps } from './providers/find-provider.ts'

const CHECK_JOB = 'check-charge'

/** Has somebody look at a charge soon. Asked for several times while nobody has yet: once. */
export async function checkSoon(db: Db, charge: ChargeToCheck): Promise<void> {
  const { provider, reference, dispute = '' } = charge
  await enqueue(db, CHECK_JOB, charge, { key: `${CHECK_JOB} ${provider} ${reference} ${dispute}` })
}

export function paymentJobs(deps: PaymentDeps): JobDefinition[] {
  return [
    { name: FINISH_JOB, cron: '* * * * *', handle: () => finishPayments(deps) },
    { name: CHECK_JOB, handle: (payload) => checkCharge(deps, payload as ChargeToCheck) },
  ]
}
