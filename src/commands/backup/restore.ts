import { chmod, mkdtemp, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { writeSecret } from '../../auth/index.ts'
import { type Config, readConfig, readConfigFor } from '../../config/index.ts'
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
  unsealSecret,
  verifyDatabase,
} from '../../platform/backup/index.ts'
import { createLog, type Log } from '../../platform/log.ts'
import { makeDirDurably, syncDir } from '../../platform/storage/index.ts'
import { openObjectStore } from '../../storage.ts'
import { openPrompt } from '../client/prompt.ts'
import { CommandError } from '../command-error.ts'
import { connectForCommand } from '../database-server.ts'
import { type Terminal, writeLine } from '../terminal.ts'
import { userPath } from '../user-path.ts'
import { type PassphraseOptions, readPassphrase } from './passphrase.ts'
import { openSource } from './places.ts'

export interface RestoreOptions extends PassphraseOptions {
  id?: string
  at?: Date
  dataDir?: string
  withoutSecret?: boolean
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
  const dataDir = options.dataDir === undefined ? config.dataDir : resolve(userPath(options.dataDir))
  const report = (line: string) => writeLine(line, out)
  const source = await openSource(place, config)
  try {
    await requireNewFolder(dataDir)
    if (config.databaseUrl !== undefined) await requireEmptyDatabase({ connectionString: config.databaseUrl })
    const manifest = await findBackup(source, options)
    await requireKnownMigrations(manifest)
    const secret = await readSealedSecret(manifest, options, config)
    requireSecretOfSettings(config, secret)
    report(`Verifying the backup ${manifest.id} of ${manifest.takenAt}.`)
    await verifyDatabase(source, manifest)
    const log = createLog({ level: 'warn', destination: process.stderr })
    const draft = await fillDraft(dataDir, { source, manifest, secret, log, report })
    await moveIntoPlace(draft, dataDir)
    for (const line of describe(manifest, config, dataDir, secret !== undefined)) report(line)
    return 0
  } finally {
    await source.close()
  }
}

async function readSealedSecret(
  manifest: Manifest,
  { withoutSecret = false, ...options }: RestoreOptions,
  config: Config,
): Promise<Buffer | undefined> {
  if (manifest.secret === null || withoutSecret) return undefined
  const given = await readPassphrase(options, config.backupPassphrase)
  return unsealSecret(manifest, given ?? (await askPassphrase(manifest)))
}

/** @throws {CommandError} if the settings have another secret than the backup, so that no service could start */
function requireSecretOfSettings({ secretKey, previousSecretKey }: Config, secret: Buffer | undefined): void {
  if (secretKey === undefined || secret === undefined) return
  // After a rotation, `platen secret rotate` encrypts the restored database with the new secret again.
  if ([secretKey, previousSecretKey].includes(secret.toString('base64url'))) return
  throw new CommandError(
    'PLATEN_SECRET_KEY is another secret than that of the backup. Nothing was restored. Set it or ' +
      'PLATEN_SECRET_KEY_PREVIOUS to the secret of the backup, or unset both to restore secret.key.',
  )
}

async function askPassphrase({ id }: Manifest): Promise<string> {
  const prompt = openPrompt()
  try {
    return await prompt.askHidden(`Passphrase of the backup ${id}: `)
  } finally {
    prompt.close()
  }
}

/** @throws {CommandError} if the folder contains anything */
async function requireNewFolder(dataDir: string): Promise<void> {
  const names = await readdir(dataDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw new CommandError(`${dataDir} cannot be used: ${error.message}.`)
  })
  if (names.length === 0) return
  throw new CommandError(`The folder ${dataDir} is not empty. Nothing was changed. Add --data-dir with a new folder.`)
}

/** Restores into a new folder beside the data folder. Returns it, and removes it after a failure. */
async function fillDraft(dataDir: string, restoring: Restoring): Promise<string> {
  await makeDirDurably(dirname(dataDir))
  const draft = await mkdtemp(join(dirname(dataDir), `${basename(dataDir)}.restoring-`))
  try {
    // If this process runs as root, PostgreSQL runs as another user, which must pass through the folder.
    await chmod(draft, 0o711)
    const config = readConfigFor(draft)
    await restoreStorage(config, restoring)
    if (restoring.secret !== undefined && config.secretKey === undefined) await writeSecret(draft, restoring.secret)
    await restoreDatabase(config, restoring)
    return draft
  } catch (error) {
    await rm(draft, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    throw error
  }
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

/** Gives the complete folder its name. */
async function moveIntoPlace(draft: string, dataDir: string): Promise<void> {
  try {
    await rmdir(dataDir).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
    await rename(draft, dataDir)
  } catch (error) {
    throw new CommandError(
      `Everything was restored to ${draft}, but the folder could not be renamed to ${dataDir}: ${(error as Error).message}. ` +
        'Rename it.',
    )
  }
  await syncDir(dirname(dataDir))
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
  lines.push(`Look at the copy without sending anything: PLATEN_DATA_DIR=${dataDir} platen serve --no-send`)
  return lines
}
