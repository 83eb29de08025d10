import type { Config } from '../../config/index.ts'
import type { ProviderName, SettingsOf } from './provider-settings.ts'
import type { OpenedProvider, OpenProvider, ProviderTools } from './providers/provider.ts'
import type { PaymentProviders } from './providers/providers.ts'
import { silentProvider } from './providers/silent-provider.ts'
import { openStripe } from './providers/stripe/connection.ts'
import { openTestProvider } from './providers/test/provider.ts'

/** Every payment provider by its name. `provider-settings.ts` defines their settings. */
const PROVIDERS: { readonly [Name in ProviderName]: OpenProvider<SettingsOf<Name>> } = {
  test: openTestProvider,
  stripe: openStripe,
}

export interface Payments extends PaymentProviders {
  addProviderRoutes: readonly NonNullable<OpenedProvider['addRoutes']>[]
}

/**
 * Opens all providers: the one that takes new payments, and those that only refund earlier payments. While sending is
 * off, none of them is called.
 */
export async function openPayments(
  {
    paymentProvider,
    paymentProviders,
    shopUrl,
    send,
  }: Pick<Config, 'paymentProvider' | 'paymentProviders' | 'shopUrl' | 'send'>,
  tools: Omit<ProviderTools, 'shopUrl'>,
): Promise<Payments> {
  const open = <Name extends ProviderName>(name: Name) => PROVIDERS[name](paymentProviders[name], { ...tools, shopUrl })
  const opened = await Promise.all((Object.keys(PROVIDERS) as ProviderName[]).map(open))
  const configured = opened.flatMap(({ provider }) => provider ?? [])
  const all = send ? configured : configured.map(silentProvider)
  const provider = all.find(({ name }) => name === paymentProvider)
  return {
    provider,
    formerProviders: all.filter((one) => one !== provider),
    addProviderRoutes: opened.flatMap(({ addRoutes }) => addRoutes ?? []),
  }
}
