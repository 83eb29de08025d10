import { join, resolve } from 'node:path'
import { type Config, ConfigError, readBackupBucket } from '../../config/index.ts'
import {
  type BackupSource,
  type BackupTarget,
  openBucketSource,
  openBucketTarget,
  openFolderSource,
  openFolderTarget,
} from '../../platform/backup/index.ts'
import { isInside } from '../../platform/file-system/real-path.ts'
import { S3SetupError } from '../../platform/storage/index.ts'
import { CommandError, usageError } from '../command-line/command-error.ts'
import { userPath } from '../command-line/user-path.ts'

/** Opens the place that the user named for reading. It is a folder or the URL of a bucket. */
export async function openSource(place: string, config: Config): Promise<BackupSource> {
  if (isBucket(place)) return openBucketSource(readBackupBucket(place, config), place)
  return openFolderSource(folderOf(place))
}

/**
 * Opens the place that the user named for writing.
 *
 * @throws {CommandError} if the place cannot be used, or holds the data that the backup is to protect
 */
export async function openTarget(place: string, config: Config): Promise<BackupTarget> {
  try {
    return isBucket(place) ? await openBucket(place, config) : await openFolder(folderOf(place), config)
  } catch (error) {
    if (error instanceof ConfigError || !(error instanceof S3SetupError || isDiskError(error))) throw error
    throw new CommandError(`${place} cannot be used: ${error.message}`)
  }
}

async function openBucket(place: string, config: Config): Promise<BackupTarget> {
  const settings = readBackupBucket(place, config)
  const { s3 } = config
  const isSame = s3 !== undefined && s3.bucket === settings.bucket && s3.endpoint === settings.endpoint
  if (isSame && s3.prefix === settings.prefix) throw inTheData(place, 'the storage')
  return openBucketTarget(settings, place, join(config.dataDir, 'backup-work'))
}

async function openFolder(folder: string, { dataDir, storageDir }: Config): Promise<BackupTarget> {
  for (const dir of [dataDir, storageDir]) {
    if (await isInside(folder, dir)) throw inTheData(folder, dir)
  }
  return openFolderTarget(folder)
}

function inTheData(place: string, data: string): CommandError {
  return new CommandError(`${place} is in ${data}, whose loss the backup must survive. Choose another place.`)
}

function isDiskError(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error
}

function isBucket(place: string): boolean {
  return place.startsWith('s3://')
}

function folderOf(place: string): string {
  if (/^[a-z0-9]+:\/\//i.test(place)) throw usageError(`${place} is neither a folder nor an s3:// URL.`)
  return resolve(userPath(place))
}
