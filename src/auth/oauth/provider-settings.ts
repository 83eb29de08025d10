import { githubSettings } from './providers/github/settings.ts'
import { googleSettings } from './providers/google/settings.ts'

/**
 * The settings of each preset by name. The names are part of the API and are stored with each identity, so they must
 * not change. `open-providers.ts` opens the providers.
 */
export const PRESET_SETTINGS = { google: googleSettings, github: githubSettings }

export type PresetName = keyof typeof PRESET_SETTINGS

export const PRESET_NAMES = Object.keys(PRESET_SETTINGS) as PresetName[]

/** The values of a preset's settings after they were read. */
export type SettingsOf<Name extends PresetName> = NonNullable<ReturnType<(typeof PRESET_SETTINGS)[Name]['read']>>
