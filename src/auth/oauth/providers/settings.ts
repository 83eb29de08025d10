import type { SettingsTable, ValuesOf } from '../../../config/kinds.ts'

/** The client that the operator registered at a provider. */
export interface OAuthClient {
  clientId: string
  clientSecret: string
}

/** The name and the settings of one preset. */
export interface PresetSettings<Table extends SettingsTable, Values extends OAuthClient> {
  /** Shown to people, and part of operation ids: one word. */
  title: string
  /** Environment variables by name, all of which begin with `PLATEN_`. */
  table: Table
  /** The variable that turns sign-in with this provider on. */
  switchedOnBy: keyof Table & string
  /** Other names that some of these variables have. */
  aliases?: { readonly [Name in keyof Table]?: string }
  /**
   * Returns undefined if the provider is not configured.
   *
   * @throws {ConfigError} for values that do not fit together
   */
  read(values: ValuesOf<Table> & { production: boolean }): Values | undefined
}
