import type { Clock } from '../../../platform/clock.ts'
import type { Db } from '../../../platform/db/index.ts'
import type { Log } from '../../../platform/log.ts'
import type { PaymentProvider } from './provider.ts'

export interface PaymentProviders {
  /** Through which customers pay. Undefined: operators record payments. */
  provider: PaymentProvider | undefined
  /** Those that take no new payments. They refund the payments that they took. */
  formerProviders: readonly PaymentProvider[]
}

/** What moving money needs. */
export interface PaymentDeps extends PaymentProviders {
  db: Db
  clock: Clock
  log: Log
}

/** Well above `STEP_SECONDS`; what is still open then was left by a process that died. */
export const LEASE_SECONDS = 60

/** All that this process can reach, by name. */
export function listProviders({ provider, formerProviders }: PaymentProviders): string[] {
  return [provider, ...formerProviders].flatMap((one) => (one === undefined ? [] : [one.name]))
}

export function findProvider(
  { provider, formerProviders }: PaymentProviders,
  name: string,
): PaymentProvider | undefined {
  return provider?.name === name ? provider : formerProviders.find((one) => one.name === name)
}
