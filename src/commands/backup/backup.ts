import { decryptsSigningKeys, withSettledSecret, wrongSecret } from '../../auth/index.ts'
import type { Config } from '../../config/index.ts'
import { ENCRYPTED_COLUMNS, STORAGE_REFERENCES } from '../../features.ts'
import { createBackup, fingerprintOf, type Manifest, recordBackup } from '../../platform/backup/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { type BaseCopyDeps, makeBaseCopy } from '../../platform/postgres/recovery/make-base-copy.ts'
import { VERSION } from '../../platform/version.ts'
import { openObjectStore } from '../../storage.ts'
import { CommandError } from '../command-line/command-error.ts'
import { type Terminal, writeLine } from '../command-line/terminal.ts'
import { type CommandContext, withDatabase } from '../database-server.ts'
import { namingFullDisk } from './full-disk.ts'
import { type PassphraseOptions, readPassphrase } from './passphrase.ts'
import { openTarget } from './places.ts'
import { findUnnamedArchive } from './unnamed-archive.ts'

export interface BackupCommandOptions extends PassphraseOptions {
  withoutSecret?: boolean
  allowMissing?: boolean
}

/** Makes a backup while the service runs. Returns the exit status. */
export async function backup(place: string, options: BackupCommandOptions, { out }: Terminal): Promise<number> {
  return withDatabase(async (context) => {
    const columns = ENCRYPTED_COLUMNS
    const deps = { database: context.database, secretFrom: context.config, columns, at: context.clock.now() }
    const settled = await withSettledSecret(deps, async (secret) => {
      const isNeeded = options.withoutSecret !== true && secret !== undefined
      // A backup with another secret could not be restored.
      if (isNeeded && !(await decryptsSigningKeys(deps, [secret]))) throw wrongSecret(context.config)
      return makeBackup(context, place, { ...options, secret, out })
    })
    if (settled !== undefined) return settled.result
    throw new CommandError(
      'No backup was made, because the secret of the service is being rotated: two secrets are in use. Run ' +
        '"platen secret rotate", which also completes an interrupted rotation, then make the backup.',
    )
  })
}

async function makeBackup(
  { config, database }: CommandContext,
  place: string,
  { secret: bytes, out, ...options }: BackupCommandOptions & { secret: Buffer | undefined; out: Terminal['out'] },
): Promise<number> {
  const secret = options.withoutSecret === true ? undefined : await requireSecret(config, options, bytes)
  const target = await openTarget(place, config)
  const store = await openObjectStore(config)
  try {
    const report = (line: string) => writeLine(line, out)
    const deps = { database, store, references: STORAGE_REFERENCES, target, program: VERSION, report }
    const manifest = await namingFullDisk(`No backup was made in ${place}`, () =>
      createBackup(deps, { secret, allowsMissing: options.allowMissing === true }),
    )
    for (const line of describe(manifest, place)) writeLine(line, out)
    const { walArchive: archive, dataDir } = config
    if (archive !== undefined) await copyBase({ dataDir, archive, report }, manifest, bytes)
    else await requireNoArchive(config, manifest.id)
    await noteBackup(database.db, manifest)
    return 0
  } finally {
    await store.close()
    await target.close()
  }
}

/** Makes the base copy from which a recovery to a time after this backup begins. */
async function copyBase(
  deps: BaseCopyDeps,
  { id, program, database }: Manifest,
  secret: Buffer | undefined,
): Promise<void> {
  const origin = {
    ...{ id, program, migrations: database.migrations.map(({ name }) => name) },
    ...(secret === undefined ? {} : { secret: fingerprintOf(secret) }),
  }
  const outcome = `The backup ${id} is complete, but no base copy of the database was made`
  await namingFullDisk(outcome, () => makeBaseCopy(deps, origin)).catch((error: Error) => {
    if (error instanceof CommandError) throw error
    throw new CommandError(`${outcome}. ${error.message}`)
  })
}

/** @throws {CommandError} if the service archives, so that each backup needs a base copy */
async function requireNoArchive(config: Config, id: string): Promise<void> {
  const own = await findUnnamedArchive(config)
  if (own === undefined) return
  throw new CommandError(
    `The backup ${id} is complete, but no base copy of the database was made, because PLATEN_WAL_ARCHIVE is not set. The ` +
      `service archives to ${own.archive}. Set the variable for this command, too.`,
  )
}

/** Records the backup for the metric of its age. */
async function noteBackup(db: Db, { id, takenAt }: Manifest): Promise<void> {
  await recordBackup(db, new Date(takenAt)).catch((error: Error) => {
    throw new CommandError(`The backup ${id} is complete, but its time could not be recorded. ${error.message}`)
  })
}

async function requireSecret(
  config: Config,
  options: PassphraseOptions,
  bytes: Buffer | undefined,
): Promise<{ bytes: Buffer; passphrase: string }> {
  const passphrase = await readPassphrase(options, config.backupPassphrase)
  if (passphrase === undefined) {
    throw new CommandError(
      'No backup was made, because there is no passphrase for the secret of the service. Add --passphrase-file, set ' +
        'PLATEN_BACKUP_PASSPHRASE, or add --without-secret and keep secret.key of the data folder elsewhere.',
    )
  }
  if (bytes === undefined) {
    throw new CommandError(
      `No backup was made, because ${config.dataDir} contains no secret.key and PLATEN_SECRET_KEY is not set.`,
    )
  }
  return { bytes, passphrase }
}

function describe({ id, takenAt, storage, secret }: Manifest, place: string): string[] {
  const lines = [`Backup ${id} of ${takenAt} is complete and verified in ${place}.`]
  if (storage.missing.length > 0) {
    lines.push(`${storage.missing.length} stored files are missing, because the storage had lost them.`)
  }
  if (secret === null) {
    lines.push('It does not contain secret.key. Without this file, nothing that is encrypted can be read.')
  }
  return lines
}
