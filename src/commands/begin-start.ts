import type { Config } from '../config/index.ts'
import { createLog, type Log } from '../platform/log.ts'
import { type DatabaseServer, openDatabaseServer } from './database-server.ts'
import { onStopSignal, type StopReason } from './stop-signal.ts'
import { ignoreClosedOutput, writeLine } from './terminal.ts'

/** What has begun before the code of the service is loaded. */
export interface Start {
  log: Log
  /** Resolves at the first signal to stop. */
  stopAsked: Promise<StopReason>
  server: Promise<DatabaseServer>
}

/**
 * Begins to start PostgreSQL, or to connect to the configured one. The code of the service is loaded meanwhile.
 *
 * @param name of this process in the log. Undefined if it is the only one
 */
export function beginStart(config: Config, name?: string): Start {
  ignoreClosedOutput()
  const log = createLog({ level: config.logLevel, destination: process.stderr, process: name })
  // The handlers of signals are installed first, so that a start that is interrupted also stops PostgreSQL.
  const stopAsked = onStopSignal()
  if (config.databaseUrl === undefined) writeLine(`Starting PostgreSQL in ${config.dataDir}`)
  const server = openDatabaseServer(config, log)
  // `serve` reports a failure. Until then, it would count as an error that is not handled.
  server.catch(() => undefined)
  return { log, stopAsked, server }
}
