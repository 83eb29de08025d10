/** A setting that cannot be used. The message names the variable, what is wrong with it and what it accepts. */
export class ConfigError extends Error {
  constructor(variable: string, problem: string) {
    super(`${variable} ${problem}`)
    this.name = 'ConfigError'
  }
}
