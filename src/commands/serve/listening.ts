import { once } from 'node:events'
import { type AddressInfo, createServer, type ListenOptions } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
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

/** Processes of a service that was killed a short time ago keep the port until they notice. */
const LEFT_MS = 2_000
const AGAIN_MS = 100

export interface SharedPort {
  port: number
  /** Whether several processes can open it, so that the kernel distributes the connections (`SO_REUSEPORT`). */
  isShareable: boolean
}

/**
 * Finds the port for several processes. Opens and closes it first, because the system would let a second service of the
 * same user open it, too, and would divide the connections between both.
 *
 * @throws EADDRINUSE if another program uses the port
 */
export async function findPort({ host, port }: Pick<Config, 'host' | 'port'>): Promise<SharedPort> {
  const end = performance.now() + LEFT_MS
  for (;;) {
    try {
      const free = await openAndClose({ host, port, exclusive: true })
      const shared = { host, port: free, reusePort: true }
      return { port: free, isShareable: await openAndClose(shared).then(() => true, isUnsupported) }
    } catch (error) {
      if (!isInUse(error) || performance.now() > end) throw error
      await delay(AGAIN_MS)
    }
  }
}

const isInUse = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EADDRINUSE'

/** Returns false for an error of a system without `SO_REUSEPORT`. @throws other errors */
function isUnsupported(error: unknown): false {
  if (isInUse(error)) throw error
  return false
}

async function openAndClose(options: ListenOptions): Promise<number> {
  const server = createServer()
  server.listen(options)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** @throws {CommandError} if metrics and requests have the same port, of which the second could not be opened */
export function requireOtherPort({ metricsPort, port }: Config): void {
  if (metricsPort !== port) return
  const detail = `PLATEN_METRICS_PORT is ${port}, as PLATEN_PORT. Choose another port for one of them.`
  throw new CommandError(detail, INVALID_SETTINGS)
}
