import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { writeSecret } from '../../../auth/index.ts'
import { type Config, readConfig, readConfigFor } from '../../../config/index.ts'
import {
  BackupError,
  type BackupSource,
  copyObjects,
  countRows,
  findBackup,
  loadDatabase,
  type Manifest,
  readObjectList,
  requireEmptyDatabase,
  requireKnownMigrations,
  verifyDatabase,
} from '../../../platform/backup/index.ts'
import { createLog, type Log } from '../../../platform/telemetry/log.ts'
import { openObjectStore } from '../../../storage.ts'
import { usageError } from '../../command-line/command-error.ts'
import { type Terminal, writeLine } from '../../command-line/terminal.ts'
import { userPath } from '../../command-line/user-path.ts'
import { connectForCommand } from '../../database-server.ts'
import { namingFullDisk } from '../full-disk.ts'
import { openSource } from '../places.ts'
import { fillNewFolder, requireNewFolder } from './new-folder.ts'
import { restorePointInTime } from './restore-point-in-time.ts'
import { readSealedSecret, type SecretOptions } from './restored-secret.ts'

export interface RestoreOptions extends SecretOptions {
  id?: string
  at?: Date | 'latest'
  log?: string
  dataDir?: string
}

interface Restoring {
  source: BackupSource
  manifest: Manifest
  secret: Buffer | undefined
  log: Log
  report(line: string): void
}

/**
 * Restores a backup into a new data folder, and into the database and the storage of the settings if these are
 * elsewhere. Returns the exit status.
 *
 * Everything that can be wrong with the backup, the passphrase and the destination is checked before anything is
 * written. The data folder appears under its name when it is complete.
 */
export async function restore(place: string, options: RestoreOptions, { out }: Terminal): Promise<number> {
  const config = readConfig()
  const { walArchive } = config
  const named = options.dataDir === undefined ? config.dataDir : resolve(userPath(options.dataDir))
  const report = (line: string) => writeLine(line, out)
  if (options.log !== undefined && (options.at === undefined || walArchive === undefined)) {
    throw usageError('--log is for a restore --at a time from PLATEN_WAL_ARCHIVE.')
  }
  const { at } = options
  if (at === 'latest' && walArchive === undefined) {
    throw usageError(
      '--at latest is for the archive of PLATEN_WAL_ARCHIVE, which is not set. Without --at, the newest backup is restored.',
    )
  }
  const source = await openSource(place, config)
  try {
    const dataDir = await requireNewFolder(named)
    await namingFullDisk(`Nothing was restored to ${dataDir}`, () =>
      at !== undefined && walArchive !== undefined
        ? restorePointInTime({ source, config, dataDir, report }, { ...options, at, archive: walArchive })
        : restoreBackup({ source, config, dataDir, report }, { ...options, at: at === 'latest' ? undefined : at }),
    )
    for (const line of describeSettings(config)) report(line)
    const unset = walArchive === undefined ? '' : 'env -u PLATEN_WAL_ARCHIVE '
    report(`Look at the copy without sending anything: ${unset}PLATEN_DATA_DIR=${dataDir} platen serve --no-send`)
    return 0
  } finally {
    await source.close()
  }
}

/** Names the settings that the restored installation needs besides its data folder. */
function describeSettings({ secretKeyName, walArchive }: Config): string[] {
  const lines: string[] = []
  if (secretKeyName !== undefined) {
    lines.push(
      `The secret stays in ${secretKeyName}, and the new folder has no secret.key. Start the copy with the same setting.`,
    )
  }
  if (walArchive !== undefined) {
    lines.push(
      'Start a drill without PLATEN_WAL_ARCHIVE, so that it leaves no log there. Start the copy with it if it becomes your shop.',
    )
  }
  return lines
}

interface Destination extends Pick<Restoring, 'source' | 'report'> {
  config: Config
  dataDir: string
}

async function restoreBackup(
  { source, config, dataDir, report }: Destination,
  options: SecretOptions & { id?: string | undefined; at: Date | undefined },
): Promise<void> {
  if (config.databaseUrl !== undefined) await requireEmptyDatabase({ connectionString: config.databaseUrl })
  const manifest = await findBackup(source, options)
  await requireKnownMigrations(manifest)
  const secret = await readSealedSecret(manifest, options, config)
  report(`Verifying the backup ${manifest.id} of ${manifest.takenAt}.`)
  await verifyDatabase(source, manifest)
  const log = createLog({ level: 'warn', destination: process.stderr })
  await fillNewFolder(dataDir, (draft) => fill(draft, { source, manifest, secret, log, report }))
  for (const line of describe(manifest, config, dataDir, secret !== undefined)) report(line)
  if (options.at !== undefined) {
    report(
      `Later changes until ${options.at.toISOString()} are not in it. Their restore needs PLATEN_WAL_ARCHIVE, which is not set.`,
    )
  }
}

async function fill(draft: string, restoring: Restoring): Promise<void> {
  // The service archives what it writes after its first start.
  const config = { ...readConfigFor(draft), walArchive: undefined }
  await restoreStorage(config, restoring)
  if (restoring.secret !== undefined && config.secretKey === undefined) await writeSecret(draft, restoring.secret)
  await restoreDatabase(config, restoring)
}

async function restoreStorage(config: Config, { source, manifest, report }: Restoring): Promise<void> {
  const store = await openObjectStore(config)
  try {
    const workDir = await store.createWorkDir()
    const listed = readObjectList(source, manifest.storage.list)
    const { copied, bytes, damaged } = await copyObjects(listed, { from: source, to: store, workDir })
    await rm(workDir, { recursive: true, force: true })
    const known = new Set(manifest.storage.missing)
    const lost = damaged.filter((sha256) => !known.has(sha256))
    if (lost.length > 0) {
      throw new BackupError(
        `${lost.length} stored files of the backup are missing or damaged, such as ${lost[0]}. Nothing was restored. ` +
          'Use another backup.',
      )
    }
    report(`Stored files: ${copied} restored (${bytes} bytes).`)
  } finally {
    await store.close()
  }
}

async function restoreDatabase(config: Config, { source, manifest, log, report }: Restoring): Promise<void> {
  const { poolConfig, end } = await connectForCommand(config, log)
  try {
    await loadDatabase({ settings: poolConfig, log, source, report }, manifest.database)
  } finally {
    await end()
  }
  const rows = countRows(manifest.database)
  report(`Database: ${rows} rows in ${manifest.database.tables.length} tables restored, and compared with the backup.`)
}

function describe(
  { takenAt, program, storage }: Manifest,
  config: Config,
  dataDir: string,
  hasSecret: boolean,
): string[] {
  const lines = [
    `Restored the state of ${takenAt}, which Platen ${program} had stored, to ${dataDir}` +
      `${config.databaseUrl === undefined ? '' : ' and the database of PLATEN_DATABASE_URL'}.`,
  ]
  if (storage.missing.length > 0) lines.push(`${storage.missing.length} stored files were not in the backup.`)
  if (!hasSecret && config.secretKey === undefined)
    lines.push(`Copy secret.key to ${dataDir} before you start the service.`)
  return lines
}
