import type { Config } from '../config/index.ts'
import type { Providers } from './oauth/open-providers.ts'

export interface SignInSettings {
  /** Names of the configured providers, and how customers know them. */
  providers: { name: string; title: string }[]
  hasSms: boolean
  passwordMinLength: number
  /** Whether everyone may register. */
  isRegistrationOpen: boolean
}

/** Returns how accounts of this installation can sign in. The pages of the shop contain it, so it has no secrets. */
export function signInSettings({
  config,
  providers,
}: {
  config: Pick<Config, 'production' | 'sms' | 'passwordMinLength' | 'registration'>
  providers: Providers
}): SignInSettings {
  return {
    providers: [...providers].map(([name, { title }]) => ({ name, title })),
    // Outside of production, messages go to the outbox.
    hasSms: config.sms !== undefined || !config.production,
    passwordMinLength: config.passwordMinLength,
    isRegistrationOpen: config.registration === 'open',
  }
}
