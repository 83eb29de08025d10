import type { Clock } from '../../../platform/clock.ts'
import type { Db } from '../../../platform/db/index.ts'
import type { Log } from '../../../platform/log.ts'
import type { PaymentProvider } from './provider.ts'

export interface PaymentProviders {
  /** Takes new payments. Undefined: operators record payments. */
  provider: PaymentProvider | undefined
  /** Take no new payments, but refund the payments that they took. */
  formerProviders: readonly PaymentProvider[]
}

export interface PaymentDeps extends PaymentProviders {
  db: Db
  clock: Clock
  log: Log
}

/** Far more than `STEP_SECONDS`, so that an expired lease belongs to a killed process. */
export const LEASE_SECONDS = 60

export function listProviders({ provider, formerProviders }: PaymentProviders): string[] {
  return [provider, ...formerProviders].flatMap((one) => (one === undefined ? [] : [one.name]))
}

export function findProvider(
  { provider, formerProviders }: PaymentProviders,
  name: string,
): PaymentProvider | undefined {
  return provider?.name === name ? provider : formerProviders.find((one) => one.name === name)
}

/** Maximum per run of the job. The next run starts within a minute. */
export const MAX_PER_RUN = 100

/** After so many failures in one run the provider counts as unavailable, and the rest waits for the next run. */
export const MAX_FAILURES = 3
