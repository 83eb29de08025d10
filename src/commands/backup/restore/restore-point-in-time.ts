import { rm, stat } from 'node:fs/promises'
import { writeSecret } from '../../../auth/index.ts'
import { type Config, readConfigFor } from '../../../config/index.ts'
import { ENCRYPTED_COLUMNS, STORAGE_REFERENCES } from '../../../features.ts'
import { type BackupSource, copyObjects, openFolderSource } from '../../../platform/backup/index.ts'
import { type DatabasePool, openDatabase } from '../../../platform/db/index.ts'
import { migrate } from '../../../platform/db/migrations/migrate.ts'
import {
  chooseLatest,
  chooseReaches,
  type LatestChoice,
  type LogChoice,
} from '../../../platform/postgres/archive/choose-reaches.ts'
import { withRecovered } from '../../../platform/postgres/recovery/recover.ts'
import { requireVersions } from '../../../platform/postgres/recovery/require-versions.ts'
import { markFinished, markUnfinished } from '../../../platform/postgres/unfinished-restore.ts'
import { listReferenced, type ObjectSource, type StoredObject } from '../../../platform/storage/index.ts'
import { createLog } from '../../../platform/telemetry/log.ts'
import { openObjectStore } from '../../../storage.ts'
import { fillNewFolder } from './new-folder.ts'
import type { SecretOptions } from './restored-secret.ts'
import { readSecretsNear, requireFitting } from './secret-of-time.ts'
import { readPresentVersions, requireKnownSchema } from './versions.ts'

interface Restoring {
  /** The place of the backups, which has the files and the secret. */
  source: BackupSource
  config: Config
  dataDir: string
  report(line: string): void
}

interface PointInTimeOptions extends SecretOptions {
  /** The point in time, or `latest` for the last one that the archive has. */
  at: Date | 'latest'
  archive: string
  log?: string
}

/**
 * Restores the embedded database to a point in time, with the files that it refers to. A folder that is not complete
 * contains a mark, with which no service starts.
 */
export async function restorePointInTime(
  restoring: Restoring,
  { at: wanted, archive, ...options }: PointInTimeOptions,
): Promise<void> {
  const { source, config, dataDir, report } = restoring
  const backups = new Set(await source.listIds())
  const { at, reaches, notes } = await choose(wanted, { archive, backups, log: options.log })
  requireVersions(reaches[0].base, await readPresentVersions())
  if (wanted === 'latest')
    report(`The last point in time of the archive is ${at.toISOString()} (log ${reaches[0].log.name}).`)
  for (const note of notes) report(note)
  const secrets = options.withoutSecret === true ? undefined : await readSecretsNear(source, at, options, config)
  const log = createLog({ level: 'warn', destination: process.stderr })
  const reached = await fillNewFolder(dataDir, async (draft) => {
    await markUnfinished(draft)
    const recovery = { dataDir: draft, reaches, at: wanted, report }
    const end = await withRecovered(recovery, async ({ poolConfig, lastCommitAt, ...recovered }) => {
      const last = lastCommitAt === undefined ? 'the base copy' : `the transaction of ${lastCommitAt.toISOString()}`
      report(`The last change in the database is ${last}.`)
      await requireKnownSchema(poolConfig)
      // The features know where files are referred to in the present schema.
      await migrate(poolConfig, log)
      const database = openDatabase({ ...poolConfig, max: 2 }, log)
      try {
        if (secrets !== undefined) {
          const secret = await requireFitting(secrets, { database, secretFrom: config, columns: ENCRYPTED_COLUMNS, at })
          if (config.secretKey === undefined) await writeSecret(draft, secret)
        }
        await restoreFiles(restoring, { database, draft })
        return recovered.at
      } finally {
        await database.close()
      }
    })
    await markFinished(draft)
    return end
  })
  report(`Restored the state of ${reached.toISOString()} to ${dataDir}. Make a backup when its service runs.`)
  if (secrets === undefined && config.secretKey === undefined) {
    report(`Copy secret.key to ${dataDir} before you start the service.`)
  }
}

async function choose(at: Date | 'latest', choice: LogChoice): Promise<LatestChoice> {
  if (at === 'latest') return chooseLatest(choice)
  return { at, reaches: await chooseReaches({ ...choice, at }), notes: [] }
}

interface Recovered {
  database: DatabasePool
  draft: string
}

/**
 * Copies the files to which the database refers: from the backups, and from the storage of the settings, which may still
 * have files that were stored after the last backup.
 */
async function restoreFiles({ source, config, report }: Restoring, { database, draft }: Recovered): Promise<void> {
  const store = await openObjectStore(readConfigFor(draft))
  try {
    const workDir = await store.createWorkDir()
    const copyFrom = (from: ObjectSource, only?: ReadonlySet<string>) =>
      copyObjects(listObjects(database.db, only), { from, to: store, workDir })
    const backedUp = await copyFrom(source)
    let [copied, bytes, missing] = [backedUp.copied, backedUp.bytes, backedUp.damaged]
    if (missing.length > 0 && config.s3 === undefined && (await isFolder(config.storageDir))) {
      const others = await copyFrom(await openFolderSource(config.storageDir), new Set(missing))
      copied += others.copied
      bytes += others.bytes
      missing = others.damaged
    }
    await rm(workDir, { recursive: true, force: true })
    report(`Stored files: ${copied} restored (${bytes} bytes).`)
    if (missing.length > 0) {
      report(
        `${missing.length} stored files are missing, because no backup has them. "platen storage verify" lists them.`,
      )
    }
  } finally {
    await store.close()
  }
}

async function* listObjects(
  db: Parameters<typeof listReferenced>[0],
  only: ReadonlySet<string> | undefined,
): AsyncGenerator<StoredObject> {
  for await (const batch of listReferenced(db, STORAGE_REFERENCES)) {
    for (const object of batch) if (only?.has(object.sha256) !== false) yield object
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true
}
