import { type Config, ConfigError } from './config/index.ts'
import { type FreeDisk, type ObjectStore, openFileStore, openS3Store, S3SetupError } from './platform/storage/index.ts'

/**
 * Opens the configured storage.
 *
 * @param freeDisk rejects local copies of files in a bucket while little disk space is free
 * @throws {ConfigError} if the storage cannot be used
 */
export async function openObjectStore({ storageDir, s3 }: Config, freeDisk?: FreeDisk): Promise<ObjectStore> {
  try {
    return await (s3 === undefined ? openFileStore(storageDir) : openS3Store(s3, storageDir, undefined, freeDisk))
  } catch (error) {
    if (error instanceof S3SetupError) throw new ConfigError('PLATEN_STORAGE_URL', error.message)
    if (!(error instanceof Error && 'syscall' in error)) throw error
    const variable = s3 === undefined ? 'PLATEN_STORAGE_URL' : 'PLATEN_DATA_DIR'
    throw new ConfigError(variable, `refers to a folder that cannot be used: ${error.message}.`)
  }
}
