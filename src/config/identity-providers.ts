import { PRESET_SETTINGS, type PresetName, type SettingsOf } from '../auth/oauth/provider-settings.ts'
import type { OidcProvider } from '../auth/oauth/providers/oidc/settings.ts'
import type { Settings } from './settings.ts'

export interface IdentityProviderSettings {
  /** Settings of the preset providers. Undefined if sign-in with the provider is off. */
  presetProviders: { readonly [Name in PresetName]: SettingsOf<Name> | undefined }
  /** Further OpenID providers. Their names differ from each other and from the names of the presets. */
  oidcProviders: readonly OidcProvider[]
}

export function readIdentityProviders(settings: Settings): IdentityProviderSettings {
  const entries = Object.entries(PRESET_SETTINGS).map(([name, { read }]) => [name, read(settings)])
  const presetProviders = Object.fromEntries(entries) as IdentityProviderSettings['presetProviders']
  return { presetProviders, oidcProviders: settings.oidcProviders }
}
