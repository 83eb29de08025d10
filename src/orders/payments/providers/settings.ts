import type { SettingsTable, ValuesOf } from '../../../config/kinds.ts'

export interface ProviderSettings<Table extends SettingsTable, Values extends object> {
  /** Environment variables by name, all of which begin with `PLATEN_`. */
  table: Table
  /** Variables without which the provider cannot take payments. */
  required: readonly string[]
  /** It moves no money, so production refuses it. */
  isTestOnly?: true
  /**
   * Returns undefined if the provider is not configured.
   *
   * @throws {ConfigError} for values that do not fit together
   */
  read(values: ValuesOf<Table> & { production: boolean }): Values | undefined
}
