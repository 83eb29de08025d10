import type { OrderDeps } from '../../context.ts'
import type { PaymentProvider } from './provider.ts'

/** What moving money needs. */
export type PaymentDeps = Pick<OrderDeps, 'db' | 'clock' | 'log' | 'provider' | 'formerProviders'>

/** Well above `STEP_SECONDS`; what is still open then was left by a process that died. */
export const LEASE_SECONDS = 60

/** All that this process can reach, by name. */
export function listProviders({ provider, formerProviders }: PaymentDeps): string[] {
  return [provider, ...formerProviders].flatMap((one) => (one === undefined ? [] : [one.name]))
}

export function findProvider({ provider, formerProviders }: PaymentDeps, name: string): PaymentProvider | undefined {
  return provider?.name === name ? provider : formerProviders.find((one) => one.name === name)
}
