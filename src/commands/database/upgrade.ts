import { resolve } from 'node:path'
import { readConfig } from '../../config/index.ts'
import { copyDatabase } from '../../platform/backup/index.ts'
import { openDatabase } from '../../platform/db/index.ts'
import { type EmbeddedPostgres, hasEmbeddedPostgres, isUpgradeInterrupted } from '../../platform/postgres/index.ts'
import { upgradeEmbeddedPostgres } from '../../platform/postgres/upgrade/upgrade.ts'
import { createLog, type Log } from '../../platform/telemetry/log.ts'
import { CommandError } from '../command-line/command-error.ts'
import { type Terminal, writeLine } from '../command-line/terminal.ts'
import { userPath } from '../command-line/user-path.ts'
import { whileStopped } from './while-stopped.ts'

export interface UpgradeOptions {
  programs?: string
}

/**
 * Moves the embedded database of a stopped service to the major version of PostgreSQL that this version of Platen
 * contains. Returns the exit status.
 */
export async function upgradeDatabase({ programs }: UpgradeOptions, { out }: Terminal): Promise<number> {
  const { databaseUrl, dataDir, logLevel } = readConfig()
  if (databaseUrl !== undefined) {
    throw new CommandError(
      'PLATEN_DATABASE_URL is set, so the database is your own server. Upgrade it with the tools of PostgreSQL.',
    )
  }
  if (!(await hasEmbeddedPostgres(dataDir)) && !(await isUpgradeInterrupted(dataDir))) {
    throw new CommandError(`The folder ${dataDir} contains no embedded database. Set PLATEN_DATA_DIR.`)
  }
  const log = createLog({ level: logLevel, destination: process.stderr })
  const report = (line: string) => writeLine(line, out)
  const { from, to, kept } = await whileStopped('changed', () =>
    upgradeEmbeddedPostgres({
      dataDir,
      log,
      programs: programs === undefined ? undefined : resolve(userPath(programs)),
      report,
      copy: (earlier, later, folder) => copyBetween(earlier, later, { log, folder, report }),
    }),
  )
  if (kept === undefined) {
    report(`The database is of PostgreSQL ${to}, as this version of Platen. There was nothing to copy.`)
    return 0
  }
  report(`The database was copied from PostgreSQL ${from} to ${to}, read again and compared. Start the service now.`)
  report(`The old database stays in ${kept} until you delete it.`)
  return 0
}

async function copyBetween(
  earlier: EmbeddedPostgres,
  { poolConfig }: EmbeddedPostgres,
  { log, folder, report }: { log: Log; folder: string; report(line: string): void },
): Promise<void> {
  const from = openDatabase({ ...earlier.poolConfig, max: 2 }, log)
  try {
    await copyDatabase({ from, settings: poolConfig, log, folder, report })
  } finally {
    await from.close()
  }
}
