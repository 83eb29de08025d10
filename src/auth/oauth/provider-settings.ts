import { githubSettings } from './providers/github/settings.ts'
import { googleSettings } from './providers/google/settings.ts'

/**
 * The settings of every preset by its name, which is part of the API and of every identity that is stored.
 * `open-providers.ts` has the providers.
 */
export const PRESET_SETTINGS = { google: googleSettings, github: githubSettings }

export type PresetName = keyof typeof PRESET_SETTINGS

export const PRESET_NAMES = Object.keys(PRESET_SETTINGS) as PresetName[]

/** The settings of a preset, once they are read. */
export type SettingsOf<Name extends PresetName> = NonNullable<ReturnType<(typeof PRESET_SETTINGS)[Name]['read']>>
