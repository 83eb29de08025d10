import { stripeSettings } from './providers/stripe/settings.ts'
import { testSettings } from './providers/test/settings.ts'

/** The settings of every payment provider by its name. `open-payments.ts` opens the providers. */
export const PROVIDER_SETTINGS = { test: testSettings, stripe: stripeSettings }

export type ProviderName = keyof typeof PROVIDER_SETTINGS

export type SettingsOf<Name extends ProviderName> = NonNullable<ReturnType<(typeof PROVIDER_SETTINGS)[Name]['read']>>
