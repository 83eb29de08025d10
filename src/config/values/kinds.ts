import { ConfigError } from './config-error.ts'

/** A variable of the environment. Its value has no leading or trailing blanks and is not empty. */
export interface Variable {
  name: string
  value: string | undefined
  /** Whether NODE_ENV is production. */
  production: boolean
}

/**
 * Returns the value of a setting, or its default value.
 *
 * @throws {ConfigError} for an invalid value
 */
export type Setting<T> = (variable: Variable) => T

/**
 * Validates a value and returns it, normalized if necessary.
 *
 * @throws {ConfigError} for an invalid value
 */
export type Check<T = string> = (value: string, variable: Variable) => T

export const text =
  (fallback: string): Setting<string> =>
  ({ value }) =>
    value ?? fallback

export function optional(): Setting<string | undefined>
export function optional<T>(check: Check<T>): Setting<T | undefined>
export function optional(check: Check<unknown> = (value) => value): Setting<unknown> {
  return (variable) => (variable.value === undefined ? undefined : check(variable.value, variable))
}

export const withDefault =
  <T>(fallback: string, check: Check<T>): Setting<T> =>
  (variable) =>
    check(variable.value ?? fallback, variable)

export const wholeNumber =
  (min: number, max: number): Check<number> =>
  (value, { name }) => {
    const number = Number(value)
    if (Number.isInteger(number) && number >= min && number <= max) return number
    throw new ConfigError(name, `is "${value}", but must be a whole number from ${min} to ${max}.`)
  }

export const integer = (fallback: number, min: number, max: number): Setting<number> =>
  withDefault(String(fallback), wholeNumber(min, max))

export const seconds = (fallback: number): Setting<number> => integer(fallback, 1, 315_360_000)

export const list =
  (check: Check = (entry) => entry): Setting<readonly string[]> =>
  (variable) =>
    (variable.value ?? '')
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '')
      .map((entry) => check(entry, variable))

export const choice = <const T extends string>(fallback: T, choices: readonly T[]): Setting<T> =>
  withDefault<T>(fallback, (value, { name }) => {
    const found = choices.find((one) => one === value)
    if (found === undefined) throw new ConfigError(name, `is "${value}", but must be one of: ${choices.join(', ')}.`)
    return found
  })

/** Makes a setting whose default value is different in production. */
export const inProduction =
  <T>(productionSetting: Setting<T>, setting: Setting<T>): Setting<T> =>
  (variable) =>
    variable.production ? productionSetting(variable) : setting(variable)

/** Settings by the name of their environment variable. */
export type SettingsTable = Readonly<Record<string, Setting<unknown>>>

/** The types of the values of a table of settings. */
export type ValuesOf<Table> = { readonly [N in keyof Table]: Table[N] extends Setting<infer T> ? T : never }

/**
 * Returns two values that must be set together, or undefined if neither is set.
 *
 * @throws {ConfigError} if only one is set
 */
export function readPair<Name extends string>(
  values: { readonly [N in Name]: string | undefined },
  first: Name,
  second: Name,
): [string, string] | undefined {
  const [a, b] = [values[first], values[second]]
  if (a === undefined && b === undefined) return undefined
  if (a === undefined) throw new ConfigError(first, `is not set, but ${second} is.`)
  if (b === undefined) throw new ConfigError(second, `is not set, but ${first} is.`)
  return [a, b]
}
