import { type Config, ConfigError } from '../../config/index.ts'
import { CommandError, INVALID_SETTINGS } from '../command-line/command-error.ts'

/** Waits until a port is open. @throws {ConfigError} if that fails for a reason that settings can change */
export async function explainListening<Result>(config: Config, listening: Promise<Result>): Promise<Result> {
  try {
    return await listening
  } catch (error) {
    const { code, port } = error as NodeJS.ErrnoException & { port?: number }
    const variable = port === config.metricsPort ? 'PLATEN_METRICS_PORT' : 'PLATEN_PORT'
    if (code === 'EADDRINUSE')
      throw new ConfigError(variable, `is ${port}, which another program uses. Choose another port.`)
    if (code === 'EACCES')
      throw new ConfigError(variable, `is ${port}, which this user may not open. Choose one above 1023.`)
    if (code === 'EADDRNOTAVAIL')
      throw new ConfigError('PLATEN_HOST', `is ${config.host}, which is not an IP address of this machine.`)
    throw error
  }
}

/** @throws {CommandError} if metrics and requests have the same port, of which the second could not be opened */
export function requireOtherPort({ metricsPort, port }: Config): void {
  if (metricsPort !== port) return
  const detail = `PLATEN_METRICS_PORT is ${port}, as PLATEN_PORT. Choose another port for one of them.`
  throw new CommandError(detail, INVALID_SETTINGS)
}
