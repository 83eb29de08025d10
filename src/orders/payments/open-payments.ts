import type { Config } from '../../config/index.ts'
import type { ProviderName, SettingsOf } from './provider-settings.ts'
import type { OpenedProvider, OpenProvider, ProviderTools } from './providers/provider.ts'
import type { PaymentProviders } from './providers/providers.ts'
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

/** Opens all providers: the one that takes new payments, and those that only refund earlier payments. */
export async function openPayments(
  { paymentProvider, paymentProviders, shopUrl }: Pick<Config, 'paymentProvider' | 'paymentProviders' | 'shopUrl'>,
  tools: Omit<ProviderTools, 'shopUrl'>,
): Promise<Payments> {
  const open = <Name extends ProviderName>(name: Name) => PROVIDERS[name](paymentProviders[name], { ...tools, shopUrl })
  const opened = await Promise.all((Object.keys(PROVIDERS) as ProviderName[]).map(open))
  const all = opened.flatMap(({ provider }) => provider ?? [])
  const provider = all.find(({ name }) => name === paymentProvider)
  return {
    provider,
    formerProviders: all.filter((one) => one !== provider),
    addProviderRoutes: opened.flatMap(({ addRoutes }) => addRoutes ?? []),
  }
}
