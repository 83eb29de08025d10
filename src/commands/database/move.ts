import { join } from 'node:path'
import { type Config, ConfigError, readConfig } from '../../config/index.ts'
import { copyDatabase, requireEmptyDatabase } from '../../platform/backup/index.ts'
import { systemClock } from '../../platform/clock.ts'
import { type DatabasePool, openDatabase } from '../../platform/db/index.ts'
import { findSchemaMismatch } from '../../platform/db/migrations/migrate.ts'
import { hasEmbeddedPostgres, markMoved, startEmbeddedPostgres } from '../../platform/postgres/index.ts'
import { createLog, type Log } from '../../platform/telemetry/log.ts'
import { CommandError } from '../command-line/command-error.ts'
import { type Terminal, writeLine } from '../command-line/terminal.ts'
import { closeDatabaseServer, connectForCommand } from '../database-server.ts'
import { whileStopped } from './while-stopped.ts'

/**
 * Copies the embedded database to the empty database of `PLATEN_DATABASE_URL`. The service must be stopped, and the
 * embedded database stays as it is. Returns the exit status.
 */
export async function moveDatabase(_options: object, { out }: Terminal): Promise<number> {
  const config = readConfig()
  if (config.databaseUrl === undefined) {
    throw new ConfigError('PLATEN_DATABASE_URL', 'is not set. Set it to the new, empty database.')
  }
  if (!(await hasEmbeddedPostgres(config.dataDir))) {
    throw new CommandError(`The folder ${config.dataDir} contains no embedded database. Set PLATEN_DATA_DIR.`)
  }
  const log = createLog({ level: config.logLevel, destination: process.stderr })
  const { poolConfig: settings } = await connectForCommand(config, log)
  await requireEmptyDatabase(settings)
  const report = (line: string) => writeLine(line, out)
  const mark = await withEmbedded(config, log, async (from) => {
    await copyDatabase({ from, settings, log, folder: join(config.dataDir, 'database-move'), report })
    // While this process has the old database, no service can start on it.
    return markMoved(config.dataDir, systemClock.now())
  })
  report('The database was copied to PLATEN_DATABASE_URL, read again and compared.')
  report('Set PLATEN_DATABASE_URL for the service, and for timers and cron jobs with commands such as "platen backup".')
  report(
    `The old database stays in ${config.dataDir} until you delete it. Nothing uses it while ${mark} exists, also no command ` +
      'without PLATEN_DATABASE_URL.',
  )
  return 0
}

/** Starts the embedded database, which no other process may use, and stops it at the end. */
async function withEmbedded<T>(config: Config, log: Log, work: (database: DatabasePool) => Promise<T>): Promise<T> {
  const embedded = await whileStopped('copied', () =>
    startEmbeddedPostgres({ dataDir: config.dataDir, isForCommand: true, log }),
  )
  const database = openDatabase({ ...embedded.poolConfig, max: 2 }, log)
  try {
    const mismatch = await findSchemaMismatch(embedded.poolConfig)
    if (mismatch !== undefined) {
      throw new CommandError(
        `${mismatch} The embedded database is meant: run this version once without PLATEN_DATABASE_URL.`,
      )
    }
    return await work(database)
  } finally {
    await closeDatabaseServer({ embedded, poolConfig: embedded.poolConfig }, database)
  }
}
