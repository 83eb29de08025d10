import type { SettingsTable, ValuesOf } from '../../../config/values/kinds.ts'

export interface ProviderSettings<Table extends SettingsTable, Values extends object> {
  /** Environment variables by name, all of which begin with `PLATEN_`. */
  table: Table
  /** Variables without which the provider cannot take payments. */
  required: readonly string[]
  /** The provider moves no money, so the service refuses to use it in production. */
  isTestOnly?: true
  /**
   * Reads the settings of the provider. Returns undefined if it is not configured.
   *
   * @throws {ConfigError} if values contradict each other
   */
  read(values: ValuesOf<Table> & { production: boolean }): Values | undefined
}
