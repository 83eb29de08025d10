import type { SettingsTable, ValuesOf } from '../../../config/values/kinds.ts'

/** The client id and the secret that the operator registered at a provider. */
export interface OAuthClient {
  clientId: string
  clientSecret: string
}

/** The name and the settings of one preset. */
export interface PresetSettings<Table extends SettingsTable, Values extends OAuthClient> {
  /** Name of the provider in mails. It must be one word, because ids of operations contain it. */
  title: string
  /** Settings by the name of the environment variable. All names begin with `PLATEN_`. */
  table: Table
  /** The environment variable that enables sign-in with this provider. */
  switchedOnBy: keyof Table & string
  /** Other names of some of these variables, which are accepted, too. */
  aliases?: { readonly [Name in keyof Table]?: string }
  /**
   * Reads the values. Returns undefined if the provider is not configured.
   *
   * @throws {ConfigError} if values contradict each other
   */
  read(values: ValuesOf<Table> & { production: boolean }): Values | undefined
}
