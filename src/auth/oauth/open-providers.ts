import type { Config } from '../../config/index.ts'
import { PRESET_NAMES, PRESET_SETTINGS, type PresetName, type SettingsOf } from './provider-settings.ts'
import { openGithub } from './providers/github/provider.ts'
import { openOidc } from './providers/oidc/provider.ts'
import type { OpenProvider, Provider, ProviderDeps } from './providers/provider.ts'

/** Opens the provider of each preset. Their settings are in `provider-settings.ts`. */
const PRESETS: { readonly [Name in PresetName]: OpenProvider<SettingsOf<Name>> } = {
  google: openOidc,
  github: openGithub,
}

/**
 * The configured providers by name. It is a `Map`, because a plain object inherits members such as `constructor`, which
 * a request could name.
 */
export type Providers = ReadonlyMap<string, Provider & { title: string }>

export function openProviders(
  { presetProviders, oidcProviders, origin }: Pick<Config, 'presetProviders' | 'oidcProviders' | 'origin'>,
  tools: Pick<ProviderDeps, 'log' | 'timeoutSeconds'>,
): Providers {
  const openPreset = <Name extends PresetName>(name: Name) => {
    const client = presetProviders[name]
    if (client === undefined) return []
    const provider = PRESETS[name](client, { ...tools, name, origin })
    return [[name, { ...provider, title: PRESET_SETTINGS[name].title }] as const]
  }
  const others = oidcProviders.map(({ name, title, ...client }) => {
    return [name, { ...openOidc(client, { ...tools, name, origin }), title }] as const
  })
  return new Map([...PRESET_NAMES.flatMap(openPreset), ...others])
}

/**
 * Returns whether a provider is configured or is a preset. Identities of a preset can exist even while it is not
 * configured.
 */
export function isKnownProvider(providers: Providers, name: string): boolean {
  return providers.has(name) || PRESET_NAMES.some((preset) => preset === name)
}

/**
 * Returns the name of a provider for mails. If the provider is no longer configured, its identities stay linked, so it
 * still needs a name.
 */
export function titleOf(providers: Providers, name: string): string {
  const preset = PRESET_NAMES.find((one) => one === name)
  return providers.get(name)?.title ?? (preset === undefined ? name : PRESET_SETTINGS[preset].title)
}
