import type { Clock } from '../../../platform/clock.ts'
import type { Db } from '../../../platform/db/index.ts'
import type { Log } from '../../../platform/telemetry/log.ts'
import type { PaymentProvider } from './provider.ts'

export interface PaymentProviders {
  /** Takes new payments. Undefined: operators record payments. */
  provider: PaymentProvider | undefined
  /** These providers take no new payments, but can refund the payments that they took before. */
  formerProviders: readonly PaymentProvider[]
}

export interface PaymentDeps extends PaymentProviders {
  db: Db
  clock: Clock
  log: Log
}

/** Far longer than `STEP_SECONDS`, so that only a killed process lets its lease expire. */
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

/** Maximum number of attempts or refunds that one run of the job processes. The next run starts within a minute. */
export const MAX_PER_RUN = 100

/**
 * After this number of failed calls in one run, the run ends, because the provider is probably unavailable. Unprocessed
 * attempts and refunds wait for the next run.
 */
export const MAX_FAILURES = 3
