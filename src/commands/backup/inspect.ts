import { readSecrets } from '../../auth/index.ts'
import { type Config, readConfig } from '../../config/index.ts'
import {
  countRows,
  findBackup,
  fingerprintOf,
  type ListedBackup,
  listBackups,
  type Manifest,
  verifyBackup,
} from '../../platform/backup/index.ts'
import { findLog } from '../../platform/postgres/archive/log-folder.ts'
import { describeArchive, type KnownSecrets } from '../../platform/postgres/archive/ranges.ts'
import { clusterFolder } from '../../platform/postgres/index.ts'
import { verifyArchive } from '../../platform/postgres/recovery/verify-archive.ts'
import { type Terminal, writeLine } from '../command-line/terminal.ts'
import { openSource } from './places.ts'

/** Lists the complete backups of a place, oldest first. Returns the exit status. */
export async function listAll(place: string, _options: object, { out }: Terminal): Promise<number> {
  const config = readConfig()
  const source = await openSource(place, config)
  try {
    const listed = await listBackups(source)
    if (listed.length === 0) writeLine(`${place} contains no complete backup.`, out)
    for (const { id, manifest } of listed) {
      writeLine(manifest === undefined ? `${id}  damaged` : `${id}  ${describe(manifest)}`, out)
    }
    if (config.walArchive !== undefined) await listPoints(config, config.walArchive, listed, out)
    return listed.every(({ manifest }) => manifest !== undefined) ? 0 : 1
  } finally {
    await source.close()
  }
}

/** Lists the points in time that `restore --at` can restore. */
async function listPoints(
  config: Config,
  archive: string,
  listed: readonly ListedBackup[],
  out: Terminal['out'],
): Promise<void> {
  const { dataDir } = config
  // The machine that restores may have no database.
  const own = await findLog(archive, { dataDir, cluster: clusterFolder(dataDir) }).catch(() => undefined)
  for (const line of await describeArchive(archive, own?.name, await readKnown(config, listed))) writeLine(line, out)
}

/** Reads which secrets a restore would have: those of the settings, or else those of the backups. */
async function readKnown(config: Config, listed: readonly ListedBackup[]): Promise<KnownSecrets> {
  if (config.secretKey !== undefined) {
    const fingerprints = new Set((await readSecrets(config)).map(fingerprintOf))
    return { fingerprints, otherwise: 'not in PLATEN_SECRET_KEY and PLATEN_SECRET_KEY_PREVIOUS' }
  }
  const fingerprints = new Set(listed.flatMap(({ manifest }) => manifest?.secret?.fingerprint ?? []))
  return { fingerprints, otherwise: 'in no backup of this place' }
}

/** Reads a backup completely and compares it with its checksums. Returns the exit status. */
export async function verifyOne(place: string, { id }: { id?: string }, { out }: Terminal): Promise<number> {
  const config = readConfig()
  const source = await openSource(place, config)
  try {
    const manifest = await findBackup(source, { id })
    await verifyBackup(source, manifest)
    writeLine(`Backup ${manifest.id} is complete and undamaged: ${describe(manifest)}.`, out)
    if (config.walArchive !== undefined) {
      const { bases, segments } = await verifyArchive(config.walArchive)
      writeLine(`${config.walArchive} is undamaged: base copies ${bases}, segments ${segments}.`, out)
    }
    return 0
  } finally {
    await source.close()
  }
}

function describe({ takenAt, program, database, storage, secret }: Manifest): string {
  const missing = storage.missing.length === 0 ? '' : ` (${storage.missing.length} missing)`
  return [
    takenAt,
    `${countRows(database)} rows`,
    `${storage.objects} files${missing}`,
    `${storage.bytes} bytes`,
    `Platen ${program}`,
    secret === null ? 'without secret' : 'with secret',
  ].join(', ')
}
