import type { Config } from '../../config/index.ts'
import { PRESET_NAMES, PRESET_SETTINGS, type PresetName, type SettingsOf } from './provider-settings.ts'
import { openGithub } from './providers/github/provider.ts'
import { openOidc } from './providers/oidc/provider.ts'
import type { OpenProvider, Provider, ProviderDeps } from './providers/provider.ts'

/** Every preset by its name. `provider-settings.ts` has their settings. */
const PRESETS: { readonly [Name in PresetName]: OpenProvider<SettingsOf<Name>> } = {
  google: openOidc,
  github: openGithub,
}

/** The providers that are configured, by name. A map has no members of its own that a name could hit. */
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

/** Whether a provider is configured, or is a preset, which may still have linked identities. */
export function isKnownProvider(providers: Providers, name: string): boolean {
  return providers.has(name) || PRESET_NAMES.some((preset) => preset === name)
}

/** Returns the name that is shown to people. Identities stay linked when their provider is no longer configured. */
export function titleOf(providers: Providers, name: string): string {
  const preset = PRESET_NAMES.find((one) => one === name)
  return providers.get(name)?.title ?? (preset === undefined ? name : PRESET_SETTINGS[preset].title)
}
