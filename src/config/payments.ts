import { PROVIDER_SETTINGS, type ProviderName, type SettingsOf } from '../orders/payments/provider-settings.ts'
import type { Settings } from './settings.ts'
import { ConfigError } from './values/config-error.ts'

export interface PaymentSettings {
  paymentProvider: 'manual' | ProviderName
  /**
   * Settings of the payment providers. Undefined if the provider is not configured, neither for payments nor for
   * refunds.
   */
  paymentProviders: { readonly [Name in ProviderName]: SettingsOf<Name> | undefined }
}

export function readPayments(settings: Settings): PaymentSettings {
  const { PLATEN_PAYMENT_PROVIDER: paymentProvider, production } = settings
  const entries = Object.entries(PROVIDER_SETTINGS).map(([name, { read }]) => [name, read(settings)])
  const paymentProviders = Object.fromEntries(entries) as PaymentSettings['paymentProviders']
  if (paymentProvider === 'manual') return { paymentProvider, paymentProviders }
  const { required, isTestOnly } = PROVIDER_SETTINGS[paymentProvider]
  if (production && isTestOnly === true) {
    throw new ConfigError(
      'PLATEN_PAYMENT_PROVIDER',
      `is "${paymentProvider}", which is not allowed when NODE_ENV is production.`,
    )
  }
  const [first, ...others] = required
  if (paymentProviders[paymentProvider] === undefined && first !== undefined) {
    const verb = others.length === 0 ? 'is' : `and ${others.join(' and ')} are`
    throw new ConfigError(first, `${verb} not set, but PLATEN_PAYMENT_PROVIDER is "${paymentProvider}".`)
  }
  return { paymentProvider, paymentProviders }
}
