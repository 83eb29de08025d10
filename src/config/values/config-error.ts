/** An invalid setting. The message names the variable, its fault and the accepted values. */
export class ConfigError extends Error {
  readonly variable: string
  readonly problem: string

  constructor(variable: string, problem: string) {
    super(`${variable} ${problem}`)
    this.name = 'ConfigError'
    this.variable = variable
    this.problem = problem
  }
}
